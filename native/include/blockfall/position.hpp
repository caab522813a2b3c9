// What a feature may look at: candidate boards, one per lane, as the piece locked and after full rows went, and the
// facts of the move. Parts that several features share are computed once, and only when a chosen feature needs them.
#pragma once

#include "lanes.hpp"
#include "limits.hpp"

namespace blockfall {

enum Needs : uint32_t {
  NEEDS_HEIGHTS = 1,  // of the board after removal
  NEEDS_HOLES = 2,
  NEEDS_BEFORE = 4,  // the board before removal
  NEEDS_HEIGHTS_BEFORE = 8,
};

namespace BLOCKFALL_ARCH {

// A board per lane. `Columns` is the board's width where it is known at compile time, or 0.
template <int Columns>
struct Stack {
  int run_time_columns;
  Word padded[max_columns + 2];  // the columns between two filled walls
  Word height[max_columns];
  Word hole[max_columns];  // empty cells with a filled one somewhere above

  int columns() const { return Columns ? Columns : run_time_columns; }
  Word& column(int i) { return padded[i + 1]; }
  Word column(int i) const { return padded[i + 1]; }
};

template <int Columns>
struct Position {
  int rows;
  Stack<Columns> board;   // after full rows are removed
  Stack<Columns> before;  // as the piece locked
  // Facts of the move; with several pieces known, summed over them.
  Word lines;
  Word lock_height;     // of the piece's lowest cell, floor row 0
  Word landing_height;  // of the piece's middle, doubled
  Word eroded;          // per piece: lines removed times its cells removed with them
  Word cells;           // filled cells of `board`

  int columns() const { return board.columns(); }
};

template <int Columns>
inline void find_heights(Stack<Columns>& stack) {
  for (int i = 0; i < stack.columns(); ++i) stack.height[i] = bit_length(stack.column(i));
}

template <int Columns>
inline void find_holes(Stack<Columns>& stack) {
  const Word all = splat(~0u), bits = splat(32);
  for (int i = 0; i < stack.columns(); ++i)
    stack.hole[i] = and_not(shift_right(all, bits - stack.height[i]), stack.column(i));
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
