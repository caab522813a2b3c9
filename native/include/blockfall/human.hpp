// The game as a person plays it: gravity, keys held frame by frame, lock delay, hold. A deterministic state machine:
// the same rules, seed, settings and keys per frame always give the same game, so a list of keys is a recording.
#pragma once

#include "game.hpp"

namespace blockfall {

enum HumanKey : uint8_t {
  HOLD_LEFT = KEY_LEFT,
  HOLD_RIGHT = KEY_RIGHT,
  HOLD_DOWN = KEY_DOWN,  // soft drop
  HOLD_CLOCKWISE = KEY_CLOCKWISE,
  HOLD_COUNTER_CLOCKWISE = KEY_COUNTER_CLOCKWISE,
  HOLD_DROP = KEY_DROP,  // hard drop
  HOLD_SWAP = 64,        // the hold queue
};

// Delayed auto shift, in frames: the time before a held sideways key repeats, and the time between repeats. With 0
// between repeats the piece goes to the wall at once.
struct ShiftSettings {
  int32_t delay, repeat;
};

struct HumanGame {
  Game game;
  ShiftSettings shift;
  int64_t frame;
  uint8_t held;     // keys of the last frame
  uint8_t swapped;  // the piece in the hold queue, or no_piece
  bool may_swap;    // once per piece
  int32_t state, x, y;
  int32_t lowest;      // row reached so far
  int32_t fall_timer;  // thousandths of a frame since the last row
  int32_t lock_timer, resets;
  int32_t row_keys;     // shifts and turns since the piece fell into its row
  int32_t shift_timer;  // frames the sideways key has been held
  Placement locked;     // the last piece that locked, before rows went; piece is no_piece until one has
};

namespace BLOCKFALL_ARCH {

inline const Piece& falling(const Rules& rules, const HumanGame& h) { return rules.piece[h.game.known[0]]; }

inline bool fits(const Rules& rules, const HumanGame& h, int state, int x, int y) {
  const Piece& piece = falling(rules, h);
  if (x < 0 || x >= poses_across(rules, piece, state) || y < 0) return false;
  return (free_rows(rules, spread(h.game.board), piece.shape[piece.state[state].shape], x) >> y) & 1;
}

inline bool rests(const Rules& rules, const HumanGame& h) { return !fits(rules, h, h.state, h.x, h.y - 1); }

inline void spawn(const Rules& rules, HumanGame& h) {
  if (h.game.outcome.termination != Termination::running) return;
  const Piece& piece = falling(rules, h);
  h.state = 0, h.x = piece.spawn_column, h.y = h.lowest = piece.spawn_row;
  h.fall_timer = h.lock_timer = h.resets = h.row_keys = 0;
  // A game of placements ends only as its rules say, but a person cannot go on without room for the piece.
  if (!fits(rules, h, h.state, h.x, h.y)) h.game.outcome.termination = Termination::block_out;
}

inline HumanGame start_human_game(const Rules& rules, uint64_t seed, ShiftSettings shift, const Board& board = {}) {
  HumanGame h{};
  h.game = start_game(rules, Purpose::test, seed, 0, rules.previews + 1, board);
  h.shift = shift;
  h.swapped = h.locked.piece = no_piece;
  h.may_swap = rules.hold;
  spawn(rules, h);
  return h;
}

// Whether the rules allow another key in this row.
inline bool may_press(const Rules& rules, const HumanGame& h) {
  if (!limits_keys(rules)) return true;
  if (!rules.keys_on_spawn_row && h.y == falling(rules, h).spawn_row) return false;
  return h.row_keys < key_limit(rules, h.game.outcome.lines);
}

// A successful move restarts the lock delay, up to `lock_resets` times.
inline void moved(const Rules& rules, HumanGame& h) {
  ++h.row_keys;
  if (h.resets < rules.lock_resets && h.lock_timer > 0) ++h.resets, h.lock_timer = 0;
}

inline bool shift_by(const Rules& rules, HumanGame& h, int columns) {
  if (!may_press(rules, h) || !fits(rules, h, h.state, h.x + columns, h.y)) return false;
  h.x += columns;
  moved(rules, h);
  return true;
}

inline void rotate(const Rules& rules, HumanGame& h, bool clockwise) {
  const Piece& piece = falling(rules, h);
  const State& from = piece.state[h.state];
  const Turn& t = clockwise ? from.clockwise : from.counter_clockwise;
  if (piece.states == 1 || !may_press(rules, h)) return;
  const Boards board = spread(h.game.board);
  PoseSet free, landed{};
  find_free(rules, board, piece, free);
  turn(rules, board, piece, free, t, h.x, 1u << h.y, landed);
  for (int x = 0; x < max_columns; ++x)
    if (landed.at[t.state][x]) {
      h.state = t.state, h.x = x, h.y = highest_bit(landed.at[t.state][x]);
      moved(rules, h);
    }
}

inline void lock_now(const Rules& rules, HumanGame& h) {
  const uint8_t kind = h.game.known[0];
  const uint8_t shape = rules.piece[kind].state[h.state].shape;
  h.locked = {kind, shape, uint8_t(h.x), uint8_t(h.y)};
  if (lock_piece(rules, h.game, h.locked)) next_piece(rules, h.game, 0);
  h.may_swap = rules.hold;
  spawn(rules, h);
}

inline void swap(const Rules& rules, HumanGame& h) {
  const uint8_t held = h.swapped;
  h.swapped = h.game.known[0];
  if (held == no_piece) {
    next_piece(rules, h.game, 0);
  } else {
    h.game.known[0] = held;
    end_if_stuck(rules, h.game);
  }
  spawn(rules, h);
  h.may_swap = false;
}

inline void shift_while_held(const Rules& rules, HumanGame& h, uint8_t keys, uint8_t pressed) {
  const uint8_t sideways = keys & (HOLD_LEFT | HOLD_RIGHT);
  if (sideways == 0 || sideways == (HOLD_LEFT | HOLD_RIGHT)) {
    h.shift_timer = 0;
    return;
  }
  const int direction = sideways == HOLD_LEFT ? -1 : 1;
  if ((pressed & sideways) || h.shift_timer == 0) {
    h.shift_timer = 1;
    shift_by(rules, h, direction);
    return;
  }
  const int repeating = h.shift_timer++ - h.shift.delay;
  if (repeating < 0) return;
  if (h.shift.repeat == 0) {
    while (shift_by(rules, h, direction)) {
    }
  } else if (repeating % h.shift.repeat == 0) {
    shift_by(rules, h, direction);
  }
}

inline void fall_with_time(const Rules& rules, HumanGame& h, bool soft) {
  const int now = level(rules, h.game);
  int per_row = rules.frames_per_row[now < max_levels ? now : max_levels - 1];
  if (soft && rules.soft_drop_frames_per_row < per_row) per_row = rules.soft_drop_frames_per_row;
  for (h.fall_timer += 1000; h.fall_timer >= per_row; h.fall_timer -= per_row) {
    if (rests(rules, h)) {
      h.fall_timer = 0;
      if (rules.lock_delay == 0) lock_now(rules, h);
      return;
    }
    --h.y;
    h.row_keys = 0;
    if (soft) h.game.outcome.score += rules.soft_drop_score;
    if (h.y < h.lowest) h.lowest = h.y, h.resets = h.lock_timer = 0;
  }
}

// One frame with these keys held down.
inline void step(const Rules& rules, HumanGame& h, uint8_t keys) {
  if (h.game.outcome.termination != Termination::running) return;
  const uint8_t pressed = keys & uint8_t(~h.held);
  h.held = keys;
  ++h.frame;
  pass_frames(h.game.generator, rules, 1);
  const uint8_t turns = pressed & rules.keys;
  if ((pressed & HOLD_SWAP) && h.may_swap) {
    swap(rules, h);
    if (h.game.outcome.termination != Termination::running) return;
  }
  if (turns & HOLD_CLOCKWISE) rotate(rules, h, true);
  if (turns & HOLD_COUNTER_CLOCKWISE) rotate(rules, h, false);
  shift_while_held(rules, h, keys, pressed);
  if ((pressed & HOLD_DROP) && (rules.keys & KEY_DROP)) {
    for (; !rests(rules, h); --h.y) h.game.outcome.score += rules.hard_drop_score;
    lock_now(rules, h);
    return;
  }
  fall_with_time(rules, h, (keys & HOLD_DOWN) && (rules.keys & KEY_DOWN));
  if (h.game.outcome.termination != Termination::running || rules.lock_delay == 0 || !rests(rules, h)) return;
  if (++h.lock_timer >= rules.lock_delay) lock_now(rules, h);
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
