// Changes between filled and empty along rows and columns.
#pragma once

#include "../position.hpp"
#include "facts.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// Empty runs of all rows between filled walls. A cell that starts a run has a filled left neighbour, so two adjacent
// columns never start one in the same row, and their words can share a popcount.
template <int C>
inline Word empty_runs_in_rows(const Stack<C>& stack) {
  Word runs = splat(0);
  const auto starts = [&](int i) { return and_not(stack.column(i - 1), stack.column(i)); };
  int i = 0;
  for (; i + 1 < stack.columns(); i += 2) runs = runs + popcount(starts(i) | starts(i + 1));
  if (i < stack.columns()) runs = runs + popcount(starts(i));
  return runs;
}

struct RowTransitions {
  static constexpr FeatureFacts facts{
      .name = "row-transitions",
      .definition = "Changes between filled and empty along all rows; the walls are filled, an empty row counts 2.",
      .formula = "2 * empty runs of all rows",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009",
  };
  template <class P>
  static Word value(const P& p) {
    return empty_runs_in_rows(p.board) << 1;
  }
};

struct RowTransitionsOccupied {
  static constexpr FeatureFacts facts{
      .name = "row-transitions-occupied",
      .definition = "Changes between filled and empty along the rows that have a filled cell; the walls are filled.",
      .formula = "2 * empty runs of the rows that are not empty",
      .source = "Birken; soster2024, 3.1.2",
  };
  template <class P>
  static Word value(const P& p) {
    Word occupied = p.board.column(0);
    for (int i = 1; i < p.columns(); ++i) occupied = occupied | p.board.column(i);
    const Word empty_rows = splat(uint32_t(p.rows)) - popcount(occupied);
    return (empty_runs_in_rows(p.board) - empty_rows) << 1;
  }
};

struct ColumnTransitions {
  static constexpr FeatureFacts facts{
      .name = "column-transitions",
      .definition =
          "Changes between filled and empty along columns; the floor is filled, the cell above the top empty.",
      .formula = "columns + 2 * filled runs that stand on an empty cell",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009",
  };
  template <class P>
  static Word value(const P& p) {
    Word runs = splat(0);
    for (int i = 0; i < p.columns(); ++i) {
      const Word c = p.board.column(i);
      runs = runs + popcount(and_not(c, (c << 1) | splat(1)));
    }
    return splat(uint32_t(p.columns())) + (runs << 1);
  }
};

struct ColumnTransitionsInner {
  static constexpr FeatureFacts facts{
      .name = "column-transitions-inner",
      .definition = "Changes between filled and empty inside columns, below their tops; floor and top do not count.",
      .formula = "sum over columns of |c(y) != c(y+1), y + 1 < h|",
      .source = "Birken; soster2024, 3.1.2",
  };
  template <class P>
  static Word value(const P& p) {
    Word changes = splat(0);
    for (int i = 0; i < p.columns(); ++i) {
      const Word c = p.board.column(i);
      const Word top = select(equal(c, splat(0)), splat(0), splat(1));
      changes = changes + popcount(c ^ (c >> 1)) - top;
    }
    return changes;
  }
};

}  // namespace blockfall::BLOCKFALL_ARCH
