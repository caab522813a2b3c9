// Changes between filled and empty along rows and columns.
#pragma once

#include "../afterstates.hpp"
#include "list.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// Empty runs in all rows; the walls count as filled. A cell that starts a run has a filled left neighbour, so adjacent
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

// Filled runs in all columns that rest on an empty cell.
template <int C>
inline Word raised_runs(const Stack<C>& stack) {
  Word runs = splat(0);
  for (int i = 0; i < stack.columns(); ++i) {
    const Word c = stack.column(i);
    runs = runs + popcount(and_not(c, (c << 1) | splat(1)));
  }
  return runs;
}

struct RowTransitions {
  static constexpr FeatureFacts facts{
      .name = "row-transitions",
      .aliases = "data-14",
      .definition = "Changes between filled and empty along all rows; walls count as filled, so an empty row counts 2.",
      .formula = "2 * empty runs of all rows",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009; data2021, 4.8 (poziome)",
      .example =
          ".#........\n"
          "##..####..\n",
      .example_value = 44,
  };
  template <class P>
  static Word value(const P& p) {
    return empty_runs_in_rows(p.board) << 1;
  }
};

struct RowTransitionsOccupied {
  static constexpr FeatureFacts facts{
      .name = "row-transitions-occupied",
      .aliases = "NTL",
      .definition = "Changes between filled and empty along rows with a filled cell; walls count as filled.",
      .formula = "2 * empty runs of the rows that are not empty",
      .source = "Birken; soster2024, metric 5",
      .example =
          ".#........\n"
          "##..####..\n",
      .example_value = 8,
  };
  template <class P>
  static Word value(const P& p) {
    Word occupied = p.board.column(0);
    for (int i = 1; i < p.columns(); ++i) occupied = occupied | p.board.column(i);
    const Word empty_rows = splat(uint32_t(p.rows())) - popcount(occupied);
    return (empty_runs_in_rows(p.board) - empty_rows) << 1;
  }
};

struct RowRuns {
  static constexpr FeatureFacts facts{
      .name = "row-runs",
      .aliases = "lit-21",
      .definition = "Empty runs along all rows; adjacent empty cells in a row count as one.",
      .formula = "empty runs of all rows",
      .source = "data2021, table 2 (21), after Boehm et al. 2005",
      .example =
          ".#........\n"
          "##..####..\n",
      .example_value = 22,
  };
  template <class P>
  static Word value(const P& p) {
    return empty_runs_in_rows(p.board);
  }
};

struct ColumnTransitions {
  static constexpr FeatureFacts facts{
      .name = "column-transitions",
      .aliases = "data-13",
      .definition =
          "Changes between filled and empty along columns; below the floor counts as filled, above the top as empty.",
      .formula = "W + 2 * filled runs that rest on an empty cell",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009; data2021, 4.8 (pionowe)",
      .example =
          ".x...x....\n"
          ".....#....\n"
          "#.#.......\n",
      .example_value = 14,
  };
  template <class P>
  static Word value(const P& p) {
    return splat(uint32_t(p.columns())) + (raised_runs(p.board) << 1);
  }
};

struct ColumnTransitionsInner {
  static constexpr FeatureFacts facts{
      .name = "column-transitions-inner",
      .aliases = "NTC",
      .definition =
          "Changes between filled and empty inside columns, below their tops; those at floor and top do not count.",
      .formula = "sum over columns of |c(y) != c(y+1), y + 1 < h|",
      .source = "Birken; soster2024, metric 4",
      .example =
          ".#...#....\n"
          ".o........\n"
          "#x#..#....\n",
      .example_value = 4,
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

struct ColumnRuns {
  static constexpr FeatureFacts facts{
      .name = "column-runs",
      .aliases = "lit-22",
      .definition =
          "Empty runs along all columns, up to the top of the board; adjacent empty cells in a column count as "
          "one.",
      .formula = "runs of holes + columns that are not full",
      .source = "data2021, table 2 (22), after Boehm et al. 2005",
      .example =
          ".#...#....\n"
          ".o...o....\n"
          "#.#.......\n",
      .example_value = 12,
  };
  template <class P>
  static Word value(const P& p) {
    const Word top = splat(1u << (p.rows() - 1));
    Word open = splat(0);
    for (int i = 0; i < p.columns(); ++i)
      open = open + select(equal(p.board.column(i) & top, splat(0)), splat(1), splat(0));
    return raised_runs(p.board) + open;
  }
};

using TransitionFeatures =
    FeatureList<RowTransitions, RowTransitionsOccupied, RowRuns, ColumnTransitions, ColumnTransitionsInner, ColumnRuns>;

}  // namespace blockfall::BLOCKFALL_ARCH
