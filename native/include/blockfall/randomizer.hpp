// Random streams and piece generators.
//
// A stream is Philox4x32-10 (Salmon et al. 2011): a pure function of (seed, purpose, game, draw). A game's pieces
// therefore depend only on these numbers, on every backend and any number of threads, and training, validation and
// test games are disjoint by construction.
#pragma once

#include "rules.hpp"

namespace blockfall {

enum class Purpose : uint32_t { test, training, validation, learning };

struct Stream {
  uint32_t key[2], counter[4], block[4];
  int32_t used;
};

struct Generator {
  Stream stream;
  int64_t dealt;
  uint8_t previous;
  uint8_t history[4];              // tgm1, tgm2, tgm3_real: the last four, newest first
  uint8_t bag[piece_kinds];        // bag7: the pieces taken out come first
  uint8_t taken;                   // bag7: how many were taken out; all seven before the first piece
  uint8_t pool[5 * piece_kinds];   // tgm3, tgm3_real
  int64_t last_seen[piece_kinds];  // tgm3, tgm3_real; 0 for never
  uint16_t lfsr;                   // nes_lfsr
  uint8_t spawns;                  // nes_lfsr: its spawn counter
};

inline constexpr uint8_t no_piece = 0xff;  // after a script's end

namespace BLOCKFALL_ARCH {

inline void philox_round(uint32_t c[4], const uint32_t k[2]) {
  const uint64_t a = uint64_t{0xD2511F53u} * c[0], b = uint64_t{0xCD9E8D57u} * c[2];
  const uint32_t c1 = c[1], c3 = c[3];
  c[0] = uint32_t(b >> 32) ^ c1 ^ k[0];
  c[1] = uint32_t(b);
  c[2] = uint32_t(a >> 32) ^ c3 ^ k[1];
  c[3] = uint32_t(a);
}

inline void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t k[2] = {key[0], key[1]};
  for (int i = 0; i < 4; ++i) out[i] = counter[i];
  for (int round = 0; round < 10; ++round) {
    if (round) k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
    philox_round(out, k);
  }
}

inline Stream make_stream(Purpose purpose, uint64_t seed, uint64_t game) {
  Stream s{};
  s.key[0] = uint32_t(seed), s.key[1] = uint32_t(seed >> 32);
  s.counter[1] = uint32_t(purpose);
  s.counter[2] = uint32_t(game), s.counter[3] = uint32_t(game >> 32);
  s.used = 4;
  return s;
}

inline uint32_t draw(Stream& s) {
  if (s.used == 4) {
    philox(s.counter, s.key, s.block);
    // 2^34 draws pass before counter[0] wraps; the carry keeps longer games from repeating. Purposes stay below 2^16.
    if (++s.counter[0] == 0) s.counter[1] += 1u << 16;
    s.used = 0;
  }
  return s.block[s.used++];
}

// A number from 0 to n - 1. The multiplication's bias, n / 2^32, is too small for any study of games to see.
inline uint32_t draw_below(Stream& s, uint32_t n) { return uint32_t((uint64_t{draw(s)} * n) >> 32); }

// The console's probabilities for the next piece, in 64ths: 2 for a repeat, 12 for one favoured piece, 10 for the
// others; after O and S there is no favourite and a repeat has 4.
inline uint32_t nes_share(uint8_t previous, uint8_t piece) {
  //                               I        O         T        S         Z        J        L
  constexpr uint8_t favoured[7] = {PIECE_S, no_piece, PIECE_Z, no_piece, PIECE_J, PIECE_T, PIECE_T};
  if (piece == previous) return favoured[previous] == no_piece ? 4 : 2;
  return piece == favoured[previous] ? 12 : 10;
}

inline uint8_t next_by_nes_law(Stream& s, uint8_t previous) {
  uint32_t point = draw(s) >> 26;
  for (uint8_t piece = 0; piece < piece_kinds; ++piece) {
    const uint32_t share = nes_share(previous, piece);
    if (point < share) return piece;
    point -= share;
  }
  return no_piece;  // unreachable: the shares sum to 64
}

inline uint16_t lfsr_step(uint16_t v) { return uint16_t((v >> 1) | ((((v >> 1) ^ (v >> 9)) & 1) << 15)); }

// The console's own choice, from the register's current value.
inline uint8_t next_by_lfsr(Generator& g) {
  constexpr uint8_t order[7] = {PIECE_T, PIECE_J, PIECE_Z, PIECE_O, PIECE_S, PIECE_L, PIECE_I};
  //                                  I   O   T   S  Z  J  L
  constexpr uint8_t orientation[7] = {18, 10, 2, 11, 8, 7, 14};
  const uint8_t previous_orientation = g.previous == no_piece ? 0 : orientation[g.previous];
  ++g.spawns;
  uint8_t i = ((g.lfsr >> 8) + g.spawns) & 7;
  if (i == 7 || order[i] == g.previous) {
    g.lfsr = lfsr_step(g.lfsr);
    i = (((g.lfsr >> 8) & 7) + previous_orientation) % 7;
  }
  return order[i];
}

inline bool in_history(const Generator& g, uint8_t piece) {
  for (uint8_t seen : g.history)
    if (seen == piece) return true;
  return false;
}

inline void add_to_history(Generator& g, uint8_t piece) {
  for (int i = 3; i > 0; --i) g.history[i] = g.history[i - 1];
  g.history[0] = piece;
}

// TGM's first piece is never S, Z or O.
inline uint8_t first_of_tgm(Generator& g) {
  constexpr uint8_t openers[4] = {PIECE_I, PIECE_T, PIECE_J, PIECE_L};
  return openers[draw_below(g.stream, 4)];
}

inline uint8_t next_by_history(Generator& g, int tries) {
  uint8_t piece = 0;
  if (g.dealt == 0) {
    piece = first_of_tgm(g);
  } else {
    for (int i = 0; i < tries; ++i) {
      piece = uint8_t(draw_below(g.stream, piece_kinds));
      if (!in_history(g, piece)) break;
    }
  }
  add_to_history(g, piece);
  return piece;
}

inline void fill_bag(Generator& g) {
  for (uint8_t i = 0; i < piece_kinds; ++i) g.bag[i] = i;
  g.taken = 0;
}

// Shuffles the rest of the bag (Fisher-Yates).
inline void shuffle_bag(Generator& g) {
  for (int i = piece_kinds - 1; i > g.taken; --i) {
    const uint32_t j = g.taken + draw_below(g.stream, uint32_t(i + 1 - g.taken));
    const uint8_t held = g.bag[i];
    g.bag[i] = g.bag[j], g.bag[j] = held;
  }
}

inline uint8_t next_from_bag(Generator& g) {
  if (g.taken == piece_kinds) {
    fill_bag(g);
    shuffle_bag(g);
  }
  return g.bag[g.taken++];
}

// Replaces this place of the pool with the piece that has not been seen for longest.
inline void replace_in_pool(Generator& g, uint32_t place) {
  g.last_seen[g.pool[place]] = g.dealt + 1;
  uint8_t rarest = 0;
  for (uint8_t i = 1; i < piece_kinds; ++i)
    if (g.last_seen[i] < g.last_seen[rarest]) rarest = i;
  g.pool[place] = rarest;
}

inline uint8_t next_from_pool(Generator& g) {
  const uint32_t place = draw_below(g.stream, 5 * piece_kinds);
  const uint8_t piece = g.pool[place];
  replace_in_pool(g, place);
  return piece;
}

// The game itself (TGM3, after S. Laroche, "The history of Tetris randomizers"): tgm3's pool with a history. The first
// of six rolls that is not in the history counts, or else the last. The place of every roll, even of one that does not
// count, is filled with the piece that came longest ago; this ignores pieces that have not come yet, and the very first
// piece.
inline constexpr int pool_rolls = 6;

inline uint8_t rarest_seen(const Generator& g) {
  uint8_t rarest = no_piece;
  for (uint8_t i = 0; i < piece_kinds; ++i)
    if (g.last_seen[i] && (rarest == no_piece || g.last_seen[i] < g.last_seen[rarest])) rarest = i;
  return rarest;
}

inline void refill_pool(Generator& g, uint32_t place) {
  const uint8_t rarest = rarest_seen(g);
  if (rarest != no_piece) g.pool[place] = rarest;
}

inline uint8_t next_by_rolls(Generator& g) {
  uint8_t piece = 0;
  if (g.dealt == 0) {
    piece = first_of_tgm(g);
  } else {
    for (int roll = 1;; ++roll) {
      const uint32_t place = draw_below(g.stream, 5 * piece_kinds);
      piece = g.pool[place];
      const bool counts = roll == pool_rolls || !in_history(g, piece);
      if (counts) g.last_seen[piece] = g.dealt;
      refill_pool(g, place);
      if (counts) break;
    }
  }
  add_to_history(g, piece);
  return piece;
}

// The probabilities of next_by_rolls for someone who sees the pool. A roll that does not count removes a random piece
// of the history from the pool, and puts the rarest there, which may also be in the history.
inline void law_of_rolls(const Generator& g, float law[piece_kinds]) {
  constexpr float places = 5 * piece_kinds;
  int count[piece_kinds]{}, recent = 0;
  for (uint8_t piece : g.pool) ++count[piece], recent += in_history(g, piece);
  const uint8_t rarest = rarest_seen(g);
  const int freshens =
      rarest != no_piece && !in_history(g, rarest);  // places of the history lost with each roll that does not count
  float reached = 1;                                 // the chance of this roll
  for (uint8_t i = 0; i < piece_kinds; ++i) law[i] = 0;
  for (int roll = 0; roll < pool_rolls && recent - freshens * roll >= 0; ++roll) {
    if (roll) reached *= float(recent - freshens * (roll - 1)) / places;
    for (uint8_t i = 0; i < piece_kinds; ++i)
      if (!in_history(g, i)) law[i] += reached * (float(count[i] + (i == rarest ? roll : 0)) / places);
  }
  const int last = recent - freshens * (pool_rolls - 1);  // places of the history left at the last roll
  if (last <= 0) return;
  float stays = freshens ? float(last) / float(recent) : 1;  // the chance that a place of the history is unchanged
  if (rarest != no_piece && !freshens)
    for (int roll = 1; roll < pool_rolls; ++roll) stays *= float(recent - 1) / float(recent);
  for (uint8_t i = 0; i < piece_kinds; ++i)
    if (in_history(g, i)) law[i] = reached * (stays * float(count[i]) / places);
  if (rarest != no_piece && !freshens) law[rarest] += reached * ((1 - stays) * float(recent) / places);
}

inline Generator make_generator(const Rules& rules, Purpose purpose, uint64_t seed, uint64_t game) {
  Generator g{};
  g.stream = make_stream(purpose, seed, game);
  g.previous = no_piece;
  constexpr uint8_t tgm1[4] = {PIECE_Z, PIECE_Z, PIECE_Z, PIECE_Z};
  constexpr uint8_t tgm2[4] = {PIECE_Z, PIECE_S, PIECE_S, PIECE_Z};
  constexpr uint8_t tgm3[4] = {PIECE_S, PIECE_Z, PIECE_S, PIECE_Z};
  for (int i = 0; i < 4; ++i)
    g.history[i] = rules.generator == GeneratorKind::tgm1        ? tgm1[i]
                   : rules.generator == GeneratorKind::tgm3_real ? tgm3[i]
                                                                 : tgm2[i];
  for (int i = 0; i < 5 * piece_kinds; ++i) g.pool[i] = uint8_t(i % piece_kinds);
  g.taken = piece_kinds;
  g.lfsr = 0x8988;
  if (rules.generator == GeneratorKind::nes_lfsr)  // as if the console had idled on its menus for a while
    for (uint32_t steps = draw_below(g.stream, 32767); steps > 0; --steps) g.lfsr = lfsr_step(g.lfsr);
  return g;
}

// The console steps its register once per frame; the other generators ignore time.
inline void pass_frames(Generator& g, const Rules& rules, int frames) {
  if (rules.generator != GeneratorKind::nes_lfsr) return;
  for (int i = 0; i < frames; ++i) g.lfsr = lfsr_step(g.lfsr);
}

// The next piece, or no_piece after a script's end.
BLOCKFALL_CALL_ON_GPU uint8_t deal(Generator& g, const Rules& rules) {
  uint8_t piece = no_piece;
  switch (rules.generator) {
    case GeneratorKind::uniform: piece = rules.drawn[draw_below(g.stream, uint32_t(rules.drawn_count))]; break;
    case GeneratorKind::nes:
      piece =
          g.previous == no_piece ? uint8_t(draw_below(g.stream, piece_kinds)) : next_by_nes_law(g.stream, g.previous);
      break;
    case GeneratorKind::nes_lfsr: piece = next_by_lfsr(g); break;
    case GeneratorKind::bag7: piece = next_from_bag(g); break;
    case GeneratorKind::tgm1: piece = next_by_history(g, 4); break;
    case GeneratorKind::tgm2: piece = next_by_history(g, 6); break;
    case GeneratorKind::tgm3: piece = next_from_pool(g); break;
    case GeneratorKind::tgm3_real: piece = next_by_rolls(g); break;
    case GeneratorKind::script: piece = g.dealt < rules.script_length ? rules.script[g.dealt] : no_piece; break;
    case GeneratorKind::snake: piece = g.dealt % 2 == 0 ? PIECE_S : PIECE_Z; break;
  }
  g.previous = piece;
  ++g.dealt;
  return piece;
}

// Takes a piece that was dealt elsewhere as the next one, so that later pieces follow from it. If the bag has no such
// piece left, a new bag is assumed; a pool without it stays as it is. For tgm3_real, the first roll is assumed to have
// counted, because the others cannot be seen.
inline void take_as_dealt(Generator& g, const Rules& rules, uint8_t piece) {
  if (rules.generator == GeneratorKind::bag7) {
    int place = g.taken;
    while (place < piece_kinds && g.bag[place] != piece) ++place;
    if (place == piece_kinds) {
      fill_bag(g);
      place = piece;
    }
    g.bag[place] = g.bag[g.taken];
    g.bag[g.taken++] = piece;
  }
  if (rules.generator == GeneratorKind::tgm3) {
    uint32_t place = 0;
    while (place < 5 * piece_kinds && g.pool[place] != piece) ++place;
    if (place < 5 * piece_kinds) replace_in_pool(g, place);
  }
  if (rules.generator == GeneratorKind::tgm3_real && g.dealt > 0) {
    uint32_t place = 0;
    while (place < 5 * piece_kinds && g.pool[place] != piece) ++place;
    g.last_seen[piece] = g.dealt;
    if (place < 5 * piece_kinds) refill_pool(g, place);
  }
  add_to_history(g, piece);
  ++g.spawns;
  g.previous = piece;
  ++g.dealt;
}

// The generator of a game of which only the pieces dealt so far are known: the seed draws the pieces to come. A
// console's register cannot be inferred from its pieces, so the seed draws it as well.
inline Generator make_generator_after(const Rules& rules, uint64_t seed, const uint8_t pieces[], int64_t count) {
  Generator g = make_generator(rules, Purpose::test, seed, 0);
  for (int64_t i = 0; i < count; ++i) {
    pass_frames(g, rules, rules.frames_per_piece);
    take_as_dealt(g, rules, pieces[i]);
  }
  shuffle_bag(g);
  return g;
}

// The probability of each piece to be dealt next, for somebody who has seen all pieces so far and nothing else; for
// tgm3_real, also the pool.
inline void next_law(const Generator& g, const Rules& rules, float law[piece_kinds]) {
  for (int i = 0; i < piece_kinds; ++i) law[i] = 1.0f / piece_kinds;
  switch (rules.generator) {
    case GeneratorKind::nes:
    case GeneratorKind::nes_lfsr:
      if (g.previous == no_piece) return;
      for (uint8_t i = 0; i < piece_kinds; ++i) law[i] = float(nes_share(g.previous, i)) / 64;
      return;
    case GeneratorKind::bag7: {
      if (g.taken == piece_kinds) return;
      for (int i = 0; i < piece_kinds; ++i) law[i] = 1.0f / float(piece_kinds - g.taken);
      for (int i = 0; i < g.taken; ++i) law[g.bag[i]] = 0;
      return;
    }
    case GeneratorKind::tgm1:
    case GeneratorKind::tgm2: {
      const int tries = rules.generator == GeneratorKind::tgm1 ? 4 : 6;
      float kinds = 0;  // in the history
      for (uint8_t i = 0; i < piece_kinds; ++i) kinds += in_history(g, i);
      float all_in_history = 1, new_piece = 0;  // over the tries so far; the chance of one particular new piece
      for (int i = 0; i < tries; ++i) {
        new_piece += all_in_history / piece_kinds;
        if (i + 1 < tries) all_in_history *= kinds / piece_kinds;
      }
      for (uint8_t i = 0; i < piece_kinds; ++i) law[i] = in_history(g, i) ? all_in_history / piece_kinds : new_piece;
      return;
    }
    case GeneratorKind::tgm3:
      for (int i = 0; i < piece_kinds; ++i) law[i] = 0;
      for (uint8_t piece : g.pool) law[piece] += 1.0f / (5 * piece_kinds);
      return;
    case GeneratorKind::tgm3_real: law_of_rolls(g, law); return;
    case GeneratorKind::snake:
      for (int i = 0; i < piece_kinds; ++i) law[i] = 0;
      law[g.dealt % 2 == 0 ? PIECE_S : PIECE_Z] = 1;
      return;
    case GeneratorKind::uniform:
      for (int i = 0; i < piece_kinds; ++i) law[i] = 0;
      for (int i = 0; i < rules.drawn_count; ++i) law[rules.drawn[i]] = 1.0f / float(rules.drawn_count);
      return;
    case GeneratorKind::script: return;
  }
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
