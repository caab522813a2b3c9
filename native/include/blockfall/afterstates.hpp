// The data that features read: boards after a placement, one per lane, before and after full rows are removed, and the
// path that led to them. Parts that several features share are computed once, and only if a chosen feature needs them.
#pragma once

#include "lanes.hpp"
#include "path.hpp"
#include "rules.hpp"

namespace blockfall {

enum Needs : uint32_t {
  NEEDS_HEIGHTS = 1,  // of the board after removal
  NEEDS_HOLES = 2,
  NEEDS_BEFORE = 4,  // the board before removal
  NEEDS_HEIGHTS_BEFORE = 8,
  NEEDS_POINTS = 16,
  NEEDS_ROW_COUNTS = 32,
  NEEDS_AREAS = 64,
};

namespace BLOCKFALL_ARCH {

// A board per lane. `Columns` is the board's width if it is known at compile time, or else 0.
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

// The number of a set's cells in each row, in binary: digit[k] holds bit k of every row's count.
struct RowCounts {
  static constexpr int digits = 5;  // counts up to 16
  Word digit[digits];
};

template <int Columns>
struct Afterstates {
  const Rules* rules;
  Stack<Columns> board;   // after full rows are removed
  Stack<Columns> before;  // as the piece locked
  Word path[path_counts];
  RowCounts row_counts;  // filled cells of `board`
  Word largest_area, smallest_area;

  int columns() const { return board.columns(); }
  int rows() const { return rules->rows; }
  int cells() const { return rows() * columns(); }
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

// Counts with a binary counter per row, all rows and lanes at once. `cells(i)` gives the cells of column i.
template <class Cells>
inline RowCounts count_in_rows(int columns, Cells cells) {
  RowCounts counts;
  for (Word& digit : counts.digit) digit = splat(0);
  for (int i = 0; i < columns; ++i) {
    Word carry = cells(i);
    for (int k = 0; k < RowCounts::digits && (i + 1) >> k; ++k) {
      const Word sum = counts.digit[k] ^ carry;
      carry = counts.digit[k] & carry;
      counts.digit[k] = sum;
    }
  }
  return counts;
}

// The sum of the row numbers of all counted cells; the floor is row 0.
inline Word sum_of_rows(const RowCounts& counts) {
  constexpr uint32_t rows_with_bit[5] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u};
  Word sum = splat(0);
  for (int k = 0; k < RowCounts::digits; ++k)
    for (int bit = 0; bit < 5; ++bit) sum = sum + (popcount(counts.digit[k] & splat(rows_with_bit[bit])) << (k + bit));
  return sum;
}

// The sizes of the largest and the smallest 4-connected region of filled cells. Each pass finds one region per lane.
// The region grows from the middle column to both sides and back, as two independent chains with few branches. Most
// boards have one or two regions, and each is complete after one or two such sweeps.
template <int Columns>
inline void find_areas(Afterstates<Columns>& p) {
  const int columns = p.columns(), middle = columns / 2;
  Word left[max_columns], area[max_columns];  // cells that belong to no region yet, and those of the growing one
  Word any_left = splat(0);
  for (int i = 0; i < columns; ++i) left[i] = p.board.column(i), any_left = any_left | left[i];
  p.largest_area = splat(0);
  p.smallest_area = splat(~0u >> 1);
  while (any(any_left)) {
    Word unseeded = splat(~0u);
    const auto seed = [&](int i) {  // the lowest cell of the first column that has one
      area[i] = left[i] & (splat(0) - left[i]) & unseeded;
      unseeded = unseeded & select(equal(left[i], splat(0)), splat(~0u), splat(0));
    };
    for (int i = middle; i < columns; ++i) seed(i);
    for (int i = middle - 1; i >= 0; --i) seed(i);
    const auto spread = [&](int from, int to) {
      const Word reached = (area[to] | area[from]) & left[to];
      const Word up = and_not(left[to], left[to] + reached);  // the addition carries to the end of the run
      area[to] = reached | up | (left[to] & (reached >> 1));  // down is rare: one cell per step will do
    };
    Word open;  // cells beside the region
    do {
      spread(middle, middle);
      for (int i = 1; i <= middle; ++i) {
        spread(middle - i + 1, middle - i);
        if (middle + i < columns) spread(middle + i - 1, middle + i);
      }
      for (int i = middle; i > 0; --i) {
        spread(middle - i, middle - i + 1);
        if (middle + i < columns) spread(middle + i, middle + i - 1);
      }
      open = splat(0);
      for (int i = 0; i < columns; ++i) {
        Word beside = area[i] >> 1;  // none are above: `up` has them all
        if (i > 0) beside = beside | area[i - 1];
        if (i + 1 < columns) beside = beside | area[i + 1];
        open = open | (and_not(left[i], area[i]) & beside);
      }
    } while (any(open));
    Word size = splat(0);
    any_left = splat(0);
    for (int i = 0; i < columns; ++i) {
      size = size + popcount(area[i]);
      left[i] = and_not(left[i], area[i]);
      any_left = any_left | left[i];
    }
    p.largest_area = maximum(p.largest_area, size);
    p.smallest_area = select(equal(size, splat(0)), p.smallest_area, minimum(p.smallest_area, size));
  }
  p.smallest_area = minimum(p.smallest_area, p.largest_area);  // 0 if there is no region
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
