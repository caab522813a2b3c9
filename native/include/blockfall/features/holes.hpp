// Features of holes: empty cells with a filled cell somewhere above in their column.
#pragma once

#include "heights.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// The empty cells with a filled cell directly above.
template <int C>
inline Word roofed(const Stack<C>& stack, int i) {
  return and_not(stack.column(i) >> 1, stack.column(i));
}

// The number of the highest row with a hole, plus one; 0 if there is none.
template <class P>
inline Word highest_hole(const P& p) {
  Word rows = p.board.hole[0];
  for (int i = 1; i < p.columns(); ++i) rows = rows | p.board.hole[i];
  return bit_length(rows);
}

struct Holes {
  static constexpr FeatureFacts facts{
      .name = "holes",
      .aliases = "data-6 lit-6 ist-4",
      .definition = "Empty cells with a filled cell somewhere above in their column.",
      .formula = "sum of h(i) - filled cells",
      .source = "Dellacherie (Fahey 2003); Bertsekas & Tsitsiklis 1996; data2021, 4.2; ist2015, h4",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".#...##...\n"
          ".o...#o...\n"
          "#o#..#o.#.\n",
      .example_value = 4,
  };
  template <class P>
  static Word value(const P& p) {
    return heights_sum(p.board) - p.path[PATH_CELLS];  // all cells below the tops, less the filled ones
  }
};

struct HolesBeforeRemoval {
  static constexpr FeatureFacts facts{
      .name = "holes-before-removal",
      .definition = "Holes before full rows are removed.",
      .formula = "sum of h(i) - filled cells",
      .source = "Lee 2013; aveiro2020",
      .looks_at = "move",
      .cost = "heights",
      .needs = NEEDS_BEFORE | NEEDS_HEIGHTS_BEFORE,
      .example =
          "######@@@@\n"
          "##o###o###\n",
      .example_value = 2,
  };
  template <class P>
  static Word value(const P& p) {
    Word filled = splat(0);
    for (int i = 0; i < p.columns(); ++i) filled = filled + popcount(p.before.column(i));
    return heights_sum(p.before) - filled;
  }
};

struct HoleDepth {
  static constexpr FeatureFacts facts{
      .name = "hole-depth",
      .definition = "Filled cells in the unbroken runs directly above holes; each run counts once.",
      .formula = "filled cells above the lowest empty cell of their column",
      .source = "Thiery & Scherrer 2009 (BCTS)",
      .example =
          ".x...xx...\n"
          ".x...x....\n"
          ".....x..#.\n"
          "#.#.....#.\n",
      .example_value = 6,
  };
  template <class P>
  static Word value(const P& p) {
    // c & (c + 1) drops the run on the floor; every other run has a hole directly below it.
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i) sum = sum + popcount(p.board.column(i) & (p.board.column(i) + splat(1)));
    return sum;
  }
};

struct RowsWithHoles {
  static constexpr FeatureFacts facts{
      .name = "rows-with-holes",
      .aliases = "lit-29",
      .definition = "Rows that contain at least one hole.",
      .formula = "|{row: some cell of it is a hole}|",
      .source = "Thiery & Scherrer 2009 (BCTS); data2021, table 2 (29)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS | NEEDS_HOLES,
      .example =
          ".#...##...\n"
          ".#...#o...\n"
          ".o...#o.#.\n"
          "#.#.....#.\n",
      .example_value = 3,
  };
  template <class P>
  static Word value(const P& p) {
    Word rows = p.board.hole[0];
    for (int i = 1; i < p.columns(); ++i) rows = rows | p.board.hole[i];
    return popcount(rows);
  }
};

struct ColumnHoles {
  static constexpr FeatureFacts facts{
      .name = "column-holes",
      .aliases = "NBC connected-holes lit-7",
      .definition = "Empty cells with a filled cell directly above, so each run of holes in a column counts once.",
      .formula = "sum over columns of |c(y) empty and c(y+1) filled|",
      .source = "Birken; soster2024, metric 3; data2021, table 2 (7), after Boehm et al. 2005",
      .example =
          ".#...##...\n"
          ".o...#o...\n"
          "#.#..o..#.\n",
      .example_value = 3,
  };
  template <class P>
  static Word value(const P& p) {
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i) sum = sum + popcount(roofed(p.board, i));
    return sum;
  }
};

struct WeightedColumnHoles {
  static constexpr FeatureFacts facts{
      .name = "weighted-column-holes",
      .definition = "Empty cells with a filled cell directly above, each times its row number; the top row is 1.",
      .formula = "sum over them of (H - y)",
      .source = "Birken, 17 factors",
      .cost = "rows",
      .example =
          ".#...##...\n"
          ".o...#o...\n"
          "#.#..o..#.\n",
      .example_value = 58,
  };
  template <class P>
  static Word value(const P& p) {
    const RowCounts counts = count_in_rows(p.columns(), [&](int i) { return roofed(p.board, i); });
    return multiply(ColumnHoles::value(p), splat(uint32_t(p.rows()))) - sum_of_rows(counts);
  }
};

struct ColumnHoleDepths {
  static constexpr FeatureFacts facts{
      .name = "column-hole-depths",
      .definition =
          "Sum of the distances from empty cells with a filled cell directly above to the top of their column.",
      .formula = "sum over them of (h(x) - 1 - y)",
      .source = "Birken, 17 factors",
      .cost = "rows",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".#...##...\n"
          ".o...#o...\n"
          "#.#..o..#.\n",
      .example_value = 4,
  };
  template <class P>
  static Word value(const P& p) {
    const RowCounts counts = count_in_rows(p.columns(), [&](int i) { return roofed(p.board, i); });
    Word tops = splat(0);
    for (int i = 0; i < p.columns(); ++i)
      tops = tops + multiply(popcount(roofed(p.board, i)), p.board.height[i] - splat(1));
    return tops - sum_of_rows(counts);
  }
};

struct MinColumnHoleDepth {
  static constexpr FeatureFacts facts{
      .name = "min-column-hole-depth",
      .definition =
          "Smallest distance from an empty cell with a filled cell directly above to the top of its column; the "
          "number of rows if there is none.",
      .formula = "min over them of (h(x) - 1 - y), or H",
      .source = "Birken, 17 factors",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".#...##...\n"
          ".o...#o...\n"
          "#.#..o..#.\n",
      .example_value = 1,
  };
  template <class P>
  static Word value(const P& p) {
    Word least = splat(uint32_t(p.rows()));
    for (int i = 0; i < p.columns(); ++i) {
      const Word cells = roofed(p.board, i);
      const Word depth = p.board.height[i] - bit_length(cells);  // of the highest cell
      least = select(equal(cells, splat(0)), least, minimum(least, depth));
    }
    return least;
  }
};

struct MaxColumnHoleDepth {
  static constexpr FeatureFacts facts{
      .name = "max-column-hole-depth",
      .definition =
          "Largest distance from an empty cell with a filled cell directly above to the top of its column; 0 if "
          "there is none.",
      .formula = "max over them of (h(x) - 1 - y), or 0",
      .source = "Birken, 17 factors",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".#...##...\n"
          ".o...#o...\n"
          "#.#..o..#.\n",
      .example_value = 2,
  };
  template <class P>
  static Word value(const P& p) {
    Word most = splat(0);
    for (int i = 0; i < p.columns(); ++i) {
      const Word cells = roofed(p.board, i);
      const Word depth = p.board.height[i] - bit_length(cells & (splat(0) - cells));  // of the lowest cell
      most = select(equal(cells, splat(0)), most, maximum(most, depth));
    }
    return most;
  }
};

struct EdgeCovered {
  static constexpr FeatureFacts facts{
      .name = "edge-covered",
      .aliases = "CTC",
      .definition = "Holes in the first and last columns.",
      .formula = "holes of columns 1 and W",
      .source = "soster2024, metric 12",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS | NEEDS_HOLES,
      .example =
          "#....#....\n"
          "o....#...#\n"
          "o.#......o\n",
      .example_value = 3,
  };
  template <class P>
  static Word value(const P& p) {
    return popcount(p.board.hole[0]) + popcount(p.board.hole[p.columns() - 1]);
  }
};

struct HoleCover {
  static constexpr FeatureFacts facts{
      .name = "hole-cover",
      .aliases = "lit-30",
      .definition = "Number of filled cells above each hole in its column, summed over the holes.",
      .formula = "sum over holes of the filled cells above",
      .source = "data2021, table 2 (30)",
      .cost = "rows",
      .needs = NEEDS_ROW_COUNTS,
      .example =
          ".x...xx...\n"
          ".x...x....\n"
          ".....x..#.\n"
          "#.#.....#.\n",
      .example_value = 10,
  };
  // A filled cell in row y has y cells below it; those that are not filled are the holes it covers.
  template <class P>
  static Word value(const P& p) {
    Word pairs_of_filled = splat(0);
    for (int i = 0; i < p.columns(); ++i) {
      const Word n = popcount(p.board.column(i));
      pairs_of_filled = pairs_of_filled + (multiply(n, n - splat(1)) >> 1);
    }
    return sum_of_rows(p.row_counts) - pairs_of_filled;
  }
};

struct MeanHoleCover {
  static constexpr FeatureFacts facts{
      .name = "mean-hole-cover",
      .aliases = "lit-8",
      .definition = "Mean number of filled cells above a hole in its column; 0 without holes.",
      .formula = "hole-cover / holes",
      .source = "Romdhane & Lamontagne 2008; data2021, table 2 (8)",
      .cost = "rows",
      .needs = NEEDS_HEIGHTS | NEEDS_ROW_COUNTS,
      .example =
          ".#...#....\n"
          ".#...#....\n"
          ".o...#....\n"
          "#o#..o....\n",
      .example_value = 7.0 / 3.0,
  };
  template <class P>
  static Real value(const P& p) {
    return to_real(HoleCover::value(p)) / to_real(maximum(splat(1), Holes::value(p)));
  }
};

struct HighestHole {
  static constexpr FeatureFacts facts{
      .name = "highest-hole",
      .aliases = "lit-23",
      .definition = "Height of the highest hole; the floor row is 1, and 0 means none.",
      .formula = "max over holes of (y + 1)",
      .source = "Romero, Tomes & Yusiong 2011; data2021, table 2 (23)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS | NEEDS_HOLES,
      .example =
          ".#...#....\n"
          ".#...#....\n"
          ".o...#....\n"
          "#.#.......\n",
      .example_value = 2,
  };
  template <class P>
  static Word value(const P& p) {
    return highest_hole(p);
  }
};

struct CellsAboveHighestHole {
  static constexpr FeatureFacts facts{
      .name = "cells-above-highest-hole",
      .aliases = "lit-24",
      .definition = "Filled cells above the highest hole in its column; summed if several holes share its row.",
      .formula = "filled cells above the holes of the highest row with a hole",
      .source = "Romero, Tomes & Yusiong 2011; data2021, table 2 (24)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS | NEEDS_HOLES,
      .example =
          ".x...#....\n"
          ".x...#....\n"
          ".....#....\n"
          "#.#.......\n",
      .example_value = 2,
  };
  template <class P>
  static Word value(const P& p) {
    const Word above = highest_hole(p), row = above - splat(1);
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i) {
      const Word has_hole = splat(0) - (shift_right(p.board.hole[i], row) & splat(1));
      sum = sum + popcount(shift_right(p.board.column(i), above) & has_hole);
    }
    return sum;
  }
};

// The rows whose count is at least `least`.
inline Word rows_with(const RowCounts& counts, int least) {
  Word more = splat(0), same = splat(~0u);
  for (int k = RowCounts::digits - 1; k >= 0; --k) {
    if ((least >> k) & 1) {
      same = same & counts.digit[k];
    } else {
      more = more | (same & counts.digit[k]);
      same = and_not(same, counts.digit[k]);
    }
  }
  return more | same;
}

struct PotentialRows {
  static constexpr FeatureFacts facts{
      .name = "potential-rows",
      .aliases = "lit-25",
      .definition = "Rows above the highest hole with at most two empty cells.",
      .formula = "|{row above the highest hole: filled >= W - 2}|",
      .source = "Romero, Tomes & Yusiong 2011; data2021, table 2 (25)",
      .cost = "rows",
      .needs = NEEDS_HEIGHTS | NEEDS_HOLES | NEEDS_ROW_COUNTS,
      .example =
          "##........\n"
          "xxxxxxxxo.\n"
          "xxxxxxxxxo\n"
          "###.####.#\n",
      .example_value = 2,
  };
  template <class P>
  static Word value(const P& p) {
    const Word above = shift_left(splat(~0u), highest_hole(p));
    return popcount(rows_with(p.row_counts, p.columns() - 2) & above);
  }
};

using HoleFeatures = FeatureList<Holes, HolesBeforeRemoval, HoleDepth, RowsWithHoles, ColumnHoles, WeightedColumnHoles,
                                 ColumnHoleDepths, MinColumnHoleDepth, MaxColumnHoleDepth, EdgeCovered, HoleCover,
                                 MeanHoleCover, HighestHole, CellsAboveHighestHole, PotentialRows>;

}  // namespace blockfall::BLOCKFALL_ARCH
