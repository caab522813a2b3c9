// The placements of a piece: the places where it can come to rest.
//
// A placement is a set of cells: a shape, the column of its left edge and the row of its lowest cell. Placements come
// in the order that breaks ties: shape, column, then row from the top.
//
// A falling piece has a pose: its rotation state, column and row. The poses that keys can reach are found by flooding
// whole sets of poses: for each rotation state and column, one word holds all rows, so a shift, a fall or a rotation
// moves up to 32 poses at once, and each lane floods its own board.
#pragma once

#include "lanes.hpp"
#include "locking.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// Whether pieces drop straight down. Fixed when the code is compiled for one rule set.
inline bool drops(const Rules& rules) {
#if defined(BLOCKFALL_DROPS)
  (void)rules;
  return BLOCKFALL_DROPS;
#else
  return rules.model == PlacementModel::drop;
#endif
}

// The most rotation states of a piece, and the most columns. Fixed when the code is compiled for one rule set.
#if defined(BLOCKFALL_STATES)
inline constexpr int most_states = BLOCKFALL_STATES, most_columns = BLOCKFALL_COLUMNS;
#else
inline constexpr int most_states = max_states, most_columns = max_columns;
#endif

// A board per lane.
struct Boards {
  Word column[max_columns];
};

// Poses of a falling piece: bit y of at[state][x] has the state's shape with its lower left corner at (x, y).
struct PoseSet {
  Word at[most_states][most_columns];
};

inline void clear(PoseSet& set, int states) {
  for (int s = 0; s < states; ++s)
    for (int x = 0; x < most_columns; ++x) set.at[s][x] = splat(0);
}

inline Word move_rows(Word rows, int up) { return up >= 0 ? rows << up : rows >> -up; }

// `rows` and every row below them that is reached through `free` (a Kogge-Stone fill).
inline Word fall(Word rows, Word free) {
  rows = rows | (free & (rows >> 1));
  free = free & (free >> 1);
  rows = rows | (free & (rows >> 2));
  free = free & (free >> 2);
  rows = rows | (free & (rows >> 4));
  free = free & (free >> 4);
  rows = rows | (free & (rows >> 8));
  free = free & (free >> 8);
  return rows | (free & (rows >> 16));
}

// The rows at which a shape fits with its left edge at column x. Cells above the top are free, but the shape's lowest
// cell must be inside.
inline Word free_rows(const Rules& rules, const Boards& boards, const Shape& shape, int x) {
  Word taken = splat(0);
  for (int i = 0; i < cells_per_piece; ++i)
    taken = taken | (boards.column[x + shape.cell_column[i]] >> shape.cell_row[i]);
  return and_not(splat(rows_mask(rules.rows)), taken);
}

// The number of columns at which a state's shape fits.
inline int poses_across(const Rules& rules, const Piece& piece, int state) {
  return rules.columns - piece.shape[piece.state[state].shape].width + 1;
}

inline void find_free(const Rules& rules, const Boards& boards, const Piece& piece, PoseSet& free) {
  for (int s = 0; s < piece.states; ++s) {
    int twin = 0;  // a state with the same shape has the same rows
    while (piece.state[twin].shape != piece.state[s].shape) ++twin;
    const Shape& shape = piece.shape[piece.state[s].shape];
    for (int x = 0; x + shape.width <= rules.columns; ++x)
      free.at[s][x] = twin < s ? free.at[twin][x] : free_rows(rules, boards, shape, x);
  }
}

// The rows, among those from which a plain rotation is tried, where the first blocked cell in reading order lies in the
// centre column: Arika allows no kick there. The plain rotation would put the shape at `x` and `up`.
inline Word centre_blocked(const Rules& rules, const Boards& boards, const Shape& shape, int x, int up, int centre) {
  Word blocked_before = splat(0), blocked_by_centre = splat(0);
  for (int i = 0; i < cells_per_piece; ++i) {
    const int column = x + shape.cell_column[i], row = up + shape.cell_row[i];
    Word taken = splat(~0u);  // the walls
    if (column >= 0 && column < rules.columns) {
      taken = move_rows(boards.column[column], -row);
      if (row < 0) taken = taken | splat(rows_mask(-row));  // the floor
    }
    if (shape.cell_column[i] == centre) blocked_by_centre = blocked_by_centre | and_not(taken, blocked_before);
    blocked_before = blocked_before | taken;
  }
  return blocked_by_centre;
}

// Turns the piece at every row of `rows` in column x, and adds the resulting poses to `into`.
BLOCKFALL_INLINE void turn(const Rules& rules, const Boards& boards, const Piece& piece, const PoseSet& free,
                           const Turn& t, int x, Word rows, PoseSet& into) {
  const Shape& shape = piece.shape[piece.state[t.state].shape];
  for (int k = 0; k < t.tests; ++k) {
    const int to = x + t.columns[k];
    if (to >= 0 && to + shape.width <= rules.columns) {
      const Word landed = move_rows(rows, t.rows[k]) & free.at[t.state][to];
      into.at[t.state][to] = into.at[t.state][to] | landed;
      rows = and_not(rows, move_rows(landed, -t.rows[k]));
    }
    if (k + 1 == t.tests || !any(rows)) return;
    if (k == 0 && t.centre_column_rule)
      rows = and_not(rows, centre_blocked(rules, boards, shape, to, t.rows[0], t.centre_column));
  }
}

BLOCKFALL_INLINE void add_turns(const Rules& rules, const Boards& boards, const Piece& piece, const PoseSet& free,
                                int state, int x, Word rows, PoseSet& into) {
  if (rules.keys & KEY_CLOCKWISE) turn(rules, boards, piece, free, piece.state[state].clockwise, x, rows, into);
  if (rules.keys & KEY_COUNTER_CLOCKWISE)
    turn(rules, boards, piece, free, piece.state[state].counter_clockwise, x, rows, into);
}

// On most boards the spawn row is open from wall to wall in every state, so the piece reaches every column there, and
// in each column every row down to the first obstacle. Does nothing and returns false if something is in the way.
inline bool flood_from_open_sky(const Rules& rules, const Piece& piece, const PoseSet& free, PoseSet& reach) {
  const int states = piece.states;
  Word blocked = splat(0);
  for (int s = 0; s < states; ++s) {
    const int row = piece.spawn_row + piece.state_row[s];
    if (row < 0 || row >= rules.rows) return false;
    for (int x = 0; x < poses_across(rules, piece, s); ++x)
      blocked = blocked | and_not(splat(1u << row), free.at[s][x]);
  }
  if (any(blocked)) return false;
  for (int s = 0; s < states; ++s) {
    const Word down_to_here = splat(rows_mask(piece.spawn_row + piece.state_row[s] + 1));
    for (int x = 0; x < poses_across(rules, piece, s); ++x) {
      const Word first_open = bit_length(and_not(down_to_here, free.at[s][x]));
      reach.at[s][x] = down_to_here & shift_left(splat(~0u), first_open);
    }
  }
  return true;
}

// Adds every pose that shifts, turns and falls reach from those in `reach`.
inline void flood(const Rules& rules, const Boards& boards, const Piece& piece, const PoseSet& free, PoseSet& reach) {
  const bool falls = rules.keys & KEY_DOWN;
  const int states = piece.states;
  PoseSet turned, landed;
  clear(turned, states);
  bool grew = true;
  const auto add = [&](int s, int x, Word rows) {
    rows = and_not(rows & free.at[s][x], reach.at[s][x]);
    if (!any(rows)) return;
    reach.at[s][x] = reach.at[s][x] | (falls ? fall(rows, free.at[s][x]) : rows);
    grew = true;
  };
  while (grew) {
    grew = false;
    for (int s = 0; s < states; ++s) {
      const int across = poses_across(rules, piece, s);
      for (int x = 1; x < across; ++x) add(s, x, reach.at[s][x - 1]);
      for (int x = across - 2; x >= 0; --x) add(s, x, reach.at[s][x + 1]);
      if (most_states == 1 || states == 1) continue;
      clear(landed, states);
      for (int x = 0; x < across; ++x) {
        const Word rows = and_not(reach.at[s][x], turned.at[s][x]);
        turned.at[s][x] = reach.at[s][x];
        if (any(rows)) add_turns(rules, boards, piece, free, s, x, rows, landed);
      }
      for (int t = 0; t < states; ++t)
        for (int x = 0; x < poses_across(rules, piece, t); ++x) add(t, x, landed.at[t][x]);
    }
  }
}

// Presses one key in each pose: shifts and turns, but no fall.
inline void press(const Rules& rules, const Boards& boards, const Piece& piece, const PoseSet& free,
                  const PoseSet& from, PoseSet& to) {
  const int states = piece.states;
  clear(to, states);
  for (int s = 0; s < states; ++s) {
    const int across = poses_across(rules, piece, s);
    for (int x = 0; x < across; ++x) {
      const Word rows = from.at[s][x];
      if (!any(rows)) continue;
      if (x > 0) to.at[s][x - 1] = to.at[s][x - 1] | (rows & free.at[s][x - 1]);
      if (x + 1 < across) to.at[s][x + 1] = to.at[s][x + 1] | (rows & free.at[s][x + 1]);
      if (most_states > 1 && states > 1) add_turns(rules, boards, piece, free, s, x, rows, to);
    }
  }
}

// Removes from `found` the poses that were seen before, and adds the rest to `seen`. Returns false if none are new.
inline bool keep_new(PoseSet& found, PoseSet& seen, int states) {
  Word all = splat(0);
  for (int s = 0; s < states; ++s)
    for (int x = 0; x < most_columns; ++x) {
      found.at[s][x] = and_not(found.at[s][x], seen.at[s][x]);
      seen.at[s][x] = seen.at[s][x] | found.at[s][x];
      all = all | found.at[s][x];
    }
  return any(all);
}

// With at most `limit` keys per row and gravity in between: presses up to this many keys in each row, then lets the
// piece fall.
inline void flood_limited(const Rules& rules, const Boards& boards, const Piece& piece, const PoseSet& free, Word limit,
                          PoseSet& reach) {
  const int states = piece.states;
  PoseSet fresh, arrived;  // poses after a fall, with no key used in their row yet
  clear(fresh, states);
  clear(arrived, states);
  const Word spawn = reach.at[0][piece.spawn_column];
  Word& below = fresh.at[0][piece.spawn_column];
  below = fall(spawn, free.at[0][piece.spawn_column]);
  if (!rules.keys_on_spawn_row) below = and_not(below, spawn);
  while (keep_new(fresh, arrived, states)) {
    PoseSet seen = fresh, edge = fresh, next;
    for (int key = 0; any(select(greater(limit, splat(uint32_t(key))), splat(1), splat(0))); ++key) {
      const Word may_press = select(greater(limit, splat(uint32_t(key))), splat(~0u), splat(0));
      press(rules, boards, piece, free, edge, next);
      for (int s = 0; s < states; ++s)
        for (int x = 0; x < most_columns; ++x) edge.at[s][x] = next.at[s][x] & may_press;
      if (!keep_new(edge, seen, states)) break;
    }
    for (int s = 0; s < states; ++s)
      for (int x = 0; x < poses_across(rules, piece, s); ++x) {
        reach.at[s][x] = reach.at[s][x] | seen.at[s][x];
        fresh.at[s][x] = fall((seen.at[s][x] >> 1) & free.at[s][x], free.at[s][x]);
      }
  }
}

inline bool limits_keys(const Rules& rules) { return rules.keys_per_row[0] != 0; }

// The most keys in one row after this many lines.
inline int key_limit(const Rules& rules, int64_t lines) {
  const int level = level_at(rules, lines);
  return rules.keys_per_row[level < max_levels ? level : max_levels - 1];
}

// A mask of the lanes in which the piece has room to appear, with all rows set.
inline Word room_to_spawn(const Rules& rules, const Boards& boards, const Piece& piece) {
  const Word free = free_rows(rules, boards, piece.shape[0], piece.spawn_column);
  return splat(0) - ((free >> piece.spawn_row) & splat(1));
}

// The resting places by shape and column under reachable rules; none if the spawn is blocked. `limit` is the most keys
// per row, if the rules limit them.
BLOCKFALL_CALL_ON_GPU void find_resting_places(const Rules& rules, const Boards& boards, const Piece& piece, Word limit,
                                               PoseSet& rest) {
  const int states = piece.states;
  const Word room = room_to_spawn(rules, boards, piece);
  PoseSet free, reach;
  find_free(rules, boards, piece, free);
  clear(rest, piece.shapes);
  if (!limits_keys(rules) && (rules.keys & KEY_DOWN) && flood_from_open_sky(rules, piece, free, reach)) {
    flood(rules, boards, piece, free, reach);
  } else {
    clear(reach, states);
    Word& spawn = reach.at[0][piece.spawn_column];
    spawn = room & splat(1u << piece.spawn_row);
    if (limits_keys(rules)) {
      flood_limited(rules, boards, piece, free, limit, reach);
    } else {
      if (rules.keys & KEY_DOWN) spawn = fall(spawn, free.at[0][piece.spawn_column]);
      flood(rules, boards, piece, free, reach);
    }
  }
  for (int s = 0; s < states; ++s)
    for (int x = 0; x < poses_across(rules, piece, s); ++x) {
      Word rows = reach.at[s][x];
      if (!(rules.keys & KEY_DOWN) || limits_keys(rules)) rows = fall(rows, free.at[s][x]);
      Word& resting = rest.at[piece.state[s].shape][x];
      resting = resting | and_not(rows, free.at[s][x] << 1);
    }
}

// The rows where a shape comes to rest when it drops straight down, at all columns at once. `top` has four extra
// entries.
inline void drop_rows(const Shape& shape, const int8_t top[], int8_t row[]) {
  for (int x = 0; x < max_columns; ++x) row[x] = int8_t(top[x] - shape.bottom[0]);
  for (int i = 1; i < shape.width; ++i)
    for (int x = 0; x < max_columns; ++x) {
      const int8_t rest = int8_t(top[x + i] - shape.bottom[i]);
      row[x] = rest > row[x] ? rest : row[x];
    }
}

// The same for one column.
inline int drop_row(const uint32_t column[], const Shape& shape, int x) {
  int row = 0;
  for (int i = 0; i < shape.width; ++i) {
    const int rest = height(column[x + i]) - shape.bottom[i];
    row = rest > row ? rest : row;
  }
  return row;
}

inline void find_tops(const Rules& rules, const Board& board, int8_t top[max_columns + 4]) {
  for (int i = 0; i < max_columns + 4; ++i) top[i] = i < rules.columns ? int8_t(height(board.column[i])) : int8_t(0);
}

inline Boards spread(const Board& board) {
  Boards boards;
  for (int i = 0; i < max_columns; ++i) boards.column[i] = splat(board.column[i]);
  return boards;
}

// Calls visit(shape, x, y) for every placement on one board after this many lines, in order.
template <class Visit>
inline void for_each_placement(const Rules& rules, const Board& board, const Piece& piece, int64_t lines, Visit visit) {
  const int shapes = piece.shapes, columns = rules.columns;
  if (drops(rules)) {
    int8_t top[max_columns + 4], row[max_columns];
    find_tops(rules, board, top);
    for (int s = 0; s < shapes; ++s) {
      const Shape& shape = piece.shape[s];
      drop_rows(shape, top, row);
      const int across = columns - shape.width + 1;
      for (int x = 0; x < across; ++x) visit(shape, x, row[x]);
    }
    return;
  }
  PoseSet rest;
  const int limit = limits_keys(rules) ? key_limit(rules, lines) : 0;
  find_resting_places(rules, spread(board), piece, splat(uint32_t(limit)), rest);
  int left = 0;
  for (int s = 0; s < shapes; ++s)
    for (int x = 0; x < columns; ++x) left += bit_count(first_lane(rest.at[s][x]));
  // One loop over all shapes, columns and rows, so that GPU threads with different boards stay together.
  uint32_t rows = 0;
  for (int s = 0, x = -1; left > 0; --left) {
    while (!rows) {
      if (++x == columns) x = 0, ++s;
      rows = first_lane(rest.at[s][x]);
    }
    const int y = highest_bit(rows);
    rows ^= 1u << y;
    visit(piece.shape[s], x, y);
  }
}

// The same as an iterator, for threads that each find their next placement and then go on together. A visit is faster
// elsewhere, by a few percent on a CPU.
class PlacementWalk {
 public:
  PlacementWalk(const Rules& rules, const Board& board, const Piece& piece, int64_t lines)
      : rules_(rules), board_(board), piece_(piece) {
    if (drops(rules)) {
      left_ = piece.slots.count;
      return;
    }
    const int limit = limits_keys(rules) ? key_limit(rules, lines) : 0;
    find_resting_places(rules, spread(board), piece, splat(uint32_t(limit)), rest_);
    for (int s = 0; s < piece.shapes; ++s)
      for (int x = 0; x < rules.columns; ++x) left_ += bit_count(first_lane(rest_.at[s][x]));
  }

  // Goes to the next placement, or to the first one at the first call. Returns false if there is none.
  bool next() {
    if (left_ == 0) return false;
    --left_;
    if (drops(rules_)) {
      const int slot = piece_.slots.count - 1 - left_;
      shape_ = piece_.slots.shape[slot], x_ = piece_.slots.x[slot];
      y_ = drop_row(board_.column, shape(), x_);
      return true;
    }
    while (!rows_) {
      if (++x_ == rules_.columns) x_ = 0, ++shape_;
      rows_ = first_lane(rest_.at[shape_][x_]);
    }
    y_ = highest_bit(rows_);
    rows_ ^= 1u << y_;
    return true;
  }

  const Shape& shape() const { return piece_.shape[shape_]; }
  int x() const { return x_; }
  int y() const { return y_; }

 private:
  const Rules& rules_;
  const Board& board_;
  const Piece& piece_;
  PoseSet rest_;
  int left_ = 0;  // placements left after this one
  int shape_ = 0, x_ = -1, y_ = 0;
  uint32_t rows_ = 0;  // of this shape and column, not visited yet
};

}  // namespace blockfall::BLOCKFALL_ARCH
