// Where a piece can come to rest.
//
// A placement is a set of cells: a shape, the column of its left edge and the row of its lowest cell. They come in
// the order that breaks ties: shape, column, then row from the top.
//
// What the keys can reach is found by flooding sets of positions, not single ones: for each rotation state and column
// one word holds all rows, so a shift, a fall or a rotation moves up to 32 positions at once.
#pragma once

#include "rules.hpp"

namespace blockfall {

// Positions of a falling piece: bit y of at[state][x] has the state's shape with its lower left corner at (x, y).
struct PositionSet {
  uint32_t at[max_states][max_columns];
};

namespace BLOCKFALL_ARCH {

inline uint32_t move_rows(uint32_t rows, int up) { return up >= 0 ? rows << up : rows >> -up; }

// Every row below `rows` that is reached through `free`, the rows themselves included (a Kogge-Stone fill).
inline uint32_t fall(uint32_t rows, uint32_t free) {
  rows |= free & (rows >> 1);
  free &= free >> 1;
  rows |= free & (rows >> 2);
  free &= free >> 2;
  rows |= free & (rows >> 4);
  free &= free >> 4;
  rows |= free & (rows >> 8);
  free &= free >> 8;
  return rows | (free & (rows >> 16));
}

// The rows at which a shape fits with its left edge at column x. Cells above the top are free; the lowest is not.
inline uint32_t free_rows(const Rules& rules, const Board& board, const Shape& shape, int x) {
  uint32_t taken = 0;
  for (int i = 0; i < cells_per_piece; ++i) taken |= board.column[x + shape.cell_column[i]] >> shape.cell_row[i];
  return ~taken & rows_mask(rules.rows);
}

inline PositionSet free_positions(const Rules& rules, const Board& board, const Piece& piece) {
  PositionSet free;
  for (int s = 0; s < piece.states; ++s) {
    int twin = 0;  // a state with the same shape has the same rows
    while (piece.state[twin].shape != piece.state[s].shape) ++twin;
    const Shape& shape = piece.shape[piece.state[s].shape];
    for (int x = 0; x + shape.width <= rules.columns; ++x)
      free.at[s][x] = twin < s ? free.at[twin][x] : free_rows(rules, board, shape, x);
  }
  return free;
}

// How many columns a state's shape can stand at.
inline int positions_across(const Rules& rules, const Piece& piece, int state) {
  return rules.columns - piece.shape[piece.state[state].shape].width + 1;
}

// Of the rows from which a plain rotation is tried, those where the first blocked cell, in reading order, lies in the
// centre column: Arika allows no kick there. `x` and `up` are where the plain rotation would put the shape.
inline uint32_t centre_blocked(const Rules& rules, const Board& board, const Shape& shape, int x, int up, int centre) {
  uint32_t blocked_before = 0, blocked_by_centre = 0;
  for (int i = 0; i < cells_per_piece; ++i) {
    const int column = x + shape.cell_column[i], row = up + shape.cell_row[i];
    uint32_t taken = ~0u;  // the walls
    if (column >= 0 && column < rules.columns)
      taken = row >= 0 ? board.column[column] >> row : (board.column[column] << -row) | rows_mask(-row);
    if (shape.cell_column[i] == centre) blocked_by_centre |= taken & ~blocked_before;
    blocked_before |= taken;
  }
  return blocked_by_centre;
}

// Turns the piece at every row of `rows` (in state `from`, column x) and adds where it ends to `into`.
inline void turn(const Rules& rules, const Board& board, const Piece& piece, const PositionSet& free, const Turn& t,
                 int x, uint32_t rows, PositionSet& into) {
  const Shape& shape = piece.shape[piece.state[t.state].shape];
  for (int k = 0; k < t.tests && rows; ++k) {
    const int to = x + t.columns[k];
    if (to >= 0 && to + shape.width <= rules.columns) {
      const uint32_t landed = move_rows(rows, t.rows[k]) & free.at[t.state][to];
      into.at[t.state][to] |= landed;
      rows &= ~move_rows(landed, -t.rows[k]);
    }
    if (k == 0 && t.centre_column_rule && rows)
      rows &= ~centre_blocked(rules, board, shape, to, t.rows[0], t.centre_column);
  }
}

inline void add_turns(const Rules& rules, const Board& board, const Piece& piece, const PositionSet& free, int state,
                      int x, uint32_t rows, PositionSet& into) {
  if (rules.keys & KEY_CLOCKWISE) turn(rules, board, piece, free, piece.state[state].clockwise, x, rows, into);
  if (rules.keys & KEY_COUNTER_CLOCKWISE)
    turn(rules, board, piece, free, piece.state[state].counter_clockwise, x, rows, into);
}

inline bool can_turn(const Rules& rules, const Piece& piece) {
  return piece.states > 1 && (rules.keys & (KEY_CLOCKWISE | KEY_COUNTER_CLOCKWISE));
}

// The most keys in one row at this level, 0 for no limit.
inline int key_limit(const Rules& rules, int level) {
  return rules.keys_per_row[level < max_levels ? level : max_levels - 1];
}

inline bool has_room_to_spawn(const Rules& rules, const Board& board, const Piece& piece) {
  return (free_rows(rules, board, piece.shape[piece.state[0].shape], piece.spawn_column) >> piece.spawn_row) & 1;
}

// On most boards the spawn row is open from wall to wall in every state, so every column is reached there and
// everything down to the first obstacle after it. False, and nothing done, when something stands in the way.
inline bool flood_from_open_sky(const Rules& rules, const Piece& piece, const PositionSet& free, PositionSet& reach) {
  const int states = can_turn(rules, piece) ? piece.states : 1;
  for (int s = 0; s < states; ++s) {
    const int row = piece.spawn_row + piece.state_row[s];
    if (row < 0 || row >= rules.rows) return false;
    for (int x = 0; x < positions_across(rules, piece, s); ++x)
      if (!((free.at[s][x] >> row) & 1)) return false;
  }
  for (int s = 0; s < states; ++s) {
    const int row = piece.spawn_row + piece.state_row[s];
    for (int x = 0; x < positions_across(rules, piece, s); ++x) {
      const uint32_t down_to_here = rows_mask(row + 1);
      const uint32_t blocked = ~free.at[s][x] & down_to_here;
      reach.at[s][x] = down_to_here & ~rows_mask(highest_bit(blocked) + 1);
    }
  }
  return true;
}

// Everything that shifts, turns and falls reach from what is in `reach` already.
inline void flood(const Rules& rules, const Board& board, const Piece& piece, const PositionSet& free,
                  PositionSet& reach) {
  const bool falls = rules.keys & KEY_DOWN, turns = can_turn(rules, piece);
  const int states = turns ? piece.states : 1;
  PositionSet turned{};
  for (bool grew = true; grew;) {
    grew = false;
    for (int s = 0; s < states; ++s) {
      const int across = positions_across(rules, piece, s);
      const auto spread = [&](int x, uint32_t from) {
        uint32_t rows = from & free.at[s][x] & ~reach.at[s][x];
        if (!rows) return;
        if (falls) rows = fall(rows, free.at[s][x]);
        reach.at[s][x] |= rows;
        grew = true;
      };
      for (int x = 1; x < across; ++x) spread(x, reach.at[s][x - 1]);
      for (int x = across - 2; x >= 0; --x) spread(x, reach.at[s][x + 1]);
      if (!turns) continue;
      PositionSet landed{};
      for (int x = 0; x < across; ++x) {
        const uint32_t rows = reach.at[s][x] & ~turned.at[s][x];
        if (rows) add_turns(rules, board, piece, free, s, x, rows, landed);
        turned.at[s][x] |= rows;
      }
      for (int t = 0; t < states; ++t)
        for (int x = 0; x < positions_across(rules, piece, t); ++x) {
          uint32_t rows = landed.at[t][x] & ~reach.at[t][x];
          if (!rows) continue;
          if (falls) rows = fall(rows, free.at[t][x]);
          reach.at[t][x] |= rows;
          grew = true;
        }
    }
  }
}

// One key from each position: shifts and turns, no fall.
inline PositionSet press(const Rules& rules, const Board& board, const Piece& piece, const PositionSet& free,
                         const PositionSet& from) {
  PositionSet to{};
  for (int s = 0; s < piece.states; ++s) {
    const int across = positions_across(rules, piece, s);
    for (int x = 0; x < across; ++x) {
      const uint32_t rows = from.at[s][x];
      if (!rows) continue;
      if (x > 0 && (rules.keys & KEY_LEFT)) to.at[s][x - 1] |= rows & free.at[s][x - 1];
      if (x + 1 < across && (rules.keys & KEY_RIGHT)) to.at[s][x + 1] |= rows & free.at[s][x + 1];
      if (can_turn(rules, piece)) add_turns(rules, board, piece, free, s, x, rows, to);
    }
  }
  return to;
}

// With `limit` keys per row and gravity in between: from each row that the piece fell into, so many keys, then fall.
inline void flood_limited(const Rules& rules, const Board& board, const Piece& piece, const PositionSet& free,
                          int limit, PositionSet& reach) {
  PositionSet arrived{};  // positions that the piece falls into, with no key used in their row yet
  const uint32_t spawn = 1u << piece.spawn_row;
  reach.at[0][piece.spawn_column] = spawn;
  arrived.at[0][piece.spawn_column] = fall(spawn, free.at[0][piece.spawn_column]);
  if (!rules.keys_on_spawn_row) arrived.at[0][piece.spawn_column] &= ~spawn;
  PositionSet fresh = arrived;
  for (bool grew = true; grew;) {
    grew = false;
    PositionSet seen = fresh, edge = fresh;
    for (int key = 0; key < limit; ++key) {
      edge = press(rules, board, piece, free, edge);
      bool any = false;
      for (int s = 0; s < piece.states; ++s)
        for (int x = 0; x < max_columns; ++x) {
          edge.at[s][x] &= ~seen.at[s][x];
          seen.at[s][x] |= edge.at[s][x];
          any |= edge.at[s][x] != 0;
        }
      if (!any) break;
    }
    for (int s = 0; s < piece.states; ++s)
      for (int x = 0; x < positions_across(rules, piece, s); ++x) {
        const uint32_t rows = seen.at[s][x];
        reach.at[s][x] |= rows;
        const uint32_t fell = fall((rows >> 1) & free.at[s][x], free.at[s][x]);
        fresh.at[s][x] = fell & ~arrived.at[s][x];
        arrived.at[s][x] |= fell;
        grew |= fresh.at[s][x] != 0;
      }
  }
}

// The resting places by shape and column; all zero when the spawn is blocked.
inline PositionSet resting_places(const Rules& rules, const Board& board, const Piece& piece, int level) {
  PositionSet rest{}, reach{};
  if (!has_room_to_spawn(rules, board, piece)) return rest;
  const PositionSet free = free_positions(rules, board, piece);
  if (const int limit = key_limit(rules, level)) {
    flood_limited(rules, board, piece, free, limit, reach);
  } else {
    if (!(rules.keys & KEY_DOWN) || !flood_from_open_sky(rules, piece, free, reach))
      reach.at[0][piece.spawn_column] = rules.keys & KEY_DOWN
                                            ? fall(1u << piece.spawn_row, free.at[0][piece.spawn_column])
                                            : 1u << piece.spawn_row;
    flood(rules, board, piece, free, reach);
  }
  for (int s = 0; s < piece.states; ++s)
    for (int x = 0; x < positions_across(rules, piece, s); ++x) {
      const uint32_t rows = fall(reach.at[s][x], free.at[s][x]);
      rest.at[piece.state[s].shape][x] |= rows & ~(free.at[s][x] << 1);
    }
  return rest;
}

// Calls visit(shape, x, y) for every placement, in order.
template <class Visit>
inline void for_each_placement(const Rules& rules, const Board& board, const Piece& piece, int level, Visit visit) {
  if (rules.model == PlacementModel::drop) {
    int top[max_columns];
    for (int i = 0; i < rules.columns; ++i) top[i] = height(board.column[i]);
    for (int s = 0; s < piece.shapes; ++s) {
      const Shape& shape = piece.shape[s];
      for (int x = 0; x + shape.width <= rules.columns; ++x) {
        int y = top[x] - shape.bottom[0];
        for (int i = 1; i < shape.width; ++i) {
          const int rest = top[x + i] - shape.bottom[i];
          y = rest > y ? rest : y;
        }
        visit(shape, x, y);
      }
    }
    return;
  }
  const PositionSet rest = resting_places(rules, board, piece, level);
  for (int s = 0; s < piece.shapes; ++s)
    for (int x = 0; x + piece.shape[s].width <= rules.columns; ++x)
      for (uint32_t rows = rest.at[s][x]; rows;) {
        const int y = highest_bit(rows);
        rows ^= 1u << y;
        visit(piece.shape[s], x, y);
      }
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
