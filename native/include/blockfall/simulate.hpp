// Playing games to their end.
#pragma once

#include "player.hpp"

namespace blockfall {

// Games to play, shared by all threads: each takes the next number until none is left.
struct Batch {
  Purpose purpose;
  uint64_t seed;
  int64_t first_game, games;
  int64_t max_pieces;  // 0 for no limit
  Outcome* outcomes;   // one per game

  int64_t next;         // games handed out; atomic
  int64_t games_done;   // atomic
  int64_t pieces_done;  // atomic, of finished and running games
  int32_t stop;         // set to end early; atomic
};

namespace BLOCKFALL_ARCH {

template <int Columns>
inline void play_batch(const Rules& rules, const Agent& agent, Batch& batch) {
  Player<Columns> player(rules, agent);
  Game game[max_together];
  int64_t number[max_together];
  int64_t pieces = 0;
  int playing = 0;
  const auto seat_next_game = [&](int seat) {
    number[seat] = __atomic_fetch_add(&batch.next, 1, __ATOMIC_RELAXED);
    if (number[seat] >= batch.games) return false;
    game[seat] = start_game(rules, batch.purpose, batch.seed, uint64_t(batch.first_game + number[seat]),
                            agent.pieces_known);
    return true;
  };
  while (playing < max_together && seat_next_game(playing)) ++playing;
  while (playing > 0) {
    for (int seat = 0; seat < playing;) {  // finished games leave, new ones sit down
      Outcome& outcome = game[seat].outcome;
      if (outcome.termination == Termination::running && outcome.pieces == batch.max_pieces && batch.max_pieces)
        outcome.termination = Termination::piece_limit;
      if (outcome.termination == Termination::running) {
        ++seat;
        continue;
      }
      batch.outcomes[number[seat]] = outcome;
      __atomic_fetch_add(&batch.games_done, 1, __ATOMIC_RELAXED);
      if (!seat_next_game(seat)) {
        --playing;
        game[seat] = game[playing], number[seat] = number[playing];
      }
    }
    for (int seat = 0; seat < playing; ++seat) player.consider(seat, game[seat]);
    player.finish();
    for (int seat = 0; seat < playing; ++seat) {
      game[seat].outcome.placements += player.placements(seat);
      play(rules, game[seat], player.chosen(seat));
    }
    pieces += playing;
    if (pieces >= 256) {
      __atomic_fetch_add(&batch.pieces_done, pieces, __ATOMIC_RELAXED);
      pieces = 0;
    }
    if (__atomic_load_n(&batch.stop, __ATOMIC_RELAXED)) break;
  }
  for (int seat = 0; seat < playing; ++seat) {
    batch.outcomes[number[seat]] = game[seat].outcome;
    batch.outcomes[number[seat]].termination = Termination::interrupted;
  }
  __atomic_fetch_add(&batch.pieces_done, pieces, __ATOMIC_RELAXED);
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
