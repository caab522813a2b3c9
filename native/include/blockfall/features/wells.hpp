// Wells: empty cells between two filled ones; the walls are filled.
#pragma once

#include "../afterstates.hpp"
#include "facts.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template <int C>
inline Word between_filled(const Stack<C>& stack, int i) {
  return and_not(stack.column(i - 1) & stack.column(i + 1), stack.column(i));
}

// Those above the column's top, shifted down by it.
template <int C>
inline Word open_well(const Stack<C>& stack, int i) {
  return shift_right(between_filled(stack, i), stack.height[i]);
}

struct WellSums {
  static constexpr FeatureFacts facts{
      .name = "well-sums",
      .aliases = "lit-16",
      .definition =
          "For every empty cell with both side neighbours filled: one, and the empty cells directly below it.",
      .formula = "sum over well cells of (1 + length of the empty run below)",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009; data2021, table 2 (16)",
      .example =
          "o#...#o#..\n"
          "o#...#o#..\n"
          "##...#o##o\n",
      .example_value = 10,
  };
  template <class P>
  static Word value(const P& p) {
    Word cells[max_columns + 1];
    for (int i = 0; i < p.columns(); ++i) cells[i] = between_filled(p.board, i);
    cells[p.columns()] = splat(0);
    Word sum = splat(0);
    for (bool more = true; more;) {
      // Adjacent columns have no well cell in the same row, nor have they after equal steps down: one popcount for two.
      Word left = splat(0);
      for (int i = 0; i < p.columns(); i += 2) {
        sum = sum + popcount(cells[i] | cells[i + 1]);
        cells[i] = and_not(cells[i] >> 1, p.board.column(i));
        cells[i + 1] = and_not(cells[i + 1] >> 1, p.board.column(i + 1));
        left = left | cells[i] | cells[i + 1];
      }
      more = any(left);
    }
    return sum;
  }
};

struct WellSumsFast {
  static constexpr FeatureFacts facts{
      .name = "well-sums-fast",
      .definition = "From the first well cell of an empty run down, its n cells count 1 + 2 + .. + n.",
      .formula = "sum over empty runs with a well cell of n (n + 1) / 2",
      .source = "Scherrer et al. 2015 (DT), as in the program of Thiery & Scherrer",
      .example =
          "o#...#o#..\n"
          "o#...#o#..\n"
          "##...#o.#o\n",
      .example_value = 10,
  };
  template <class P>
  static Word value(const P& p) {
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i) {
      const Word filled = p.board.column(i);
      Word cells = between_filled(p.board, i);
      for (Word below = and_not(cells >> 1, filled); any(and_not(below, cells)); below = and_not(cells >> 1, filled))
        cells = cells | below;
      while (any(cells)) {  // k-th pass: the n - k + 1 stretches of k cells in a run of n
        sum = sum + popcount(cells);
        cells = cells & (cells >> 1);
      }
    }
    return sum;
  }
};

struct WellCells {
  static constexpr FeatureFacts facts{
      .name = "well-cells",
      .aliases = "NTCP lit-15",
      .definition = "Empty cells above every filled cell of their column with both side neighbours filled.",
      .formula = "|{(x, y): y >= h(x), neighbours filled}|",
      .source = "Birken; soster2024, metric 2; data2021, table 2 (15)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          "o#...#o#..\n"
          "o#...#o##o\n"
          "##...#o##o\n",
      .example_value = 7,
  };
  template <class P>
  static Word value(const P& p) {
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i) sum = sum + popcount(open_well(p.board, i));
    return sum;
  }
};

struct Wells {
  static constexpr FeatureFacts facts{
      .name = "wells",
      .aliases = "lit-14",
      .definition = "Columns with at least one well cell above their top.",
      .formula = "|{x: well cells of x >= 1}|",
      .source = "data2021, table 2 (14), after Boehm et al. 2005",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          "o#...#o#..\n"
          "o#...#o##o\n"
          "##...#o##o\n",
      .example_value = 3,
  };
  template <class P>
  static Word value(const P& p) {
    Word wells = splat(0);
    for (int i = 0; i < p.columns(); ++i)
      wells = wells + select(equal(open_well(p.board, i), splat(0)), splat(0), splat(1));
    return wells;
  }
};

struct DeepWells {
  static constexpr FeatureFacts facts{
      .name = "deep-wells",
      .definition = "Columns with three or more well cells above their top.",
      .formula = "|{x: well cells of x >= 3}|",
      .source = "Birken, 17 factors",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".#...#o#..\n"
          ".#...#o##.\n"
          "##...#o##.\n",
      .example_value = 1,
  };
  template <class P>
  static Word value(const P& p) {
    Word wells = splat(0);
    for (int i = 0; i < p.columns(); ++i)
      wells = wells + select(greater(popcount(open_well(p.board, i)), splat(2)), splat(1), splat(0));
    return wells;
  }
};

struct SmallWells {
  static constexpr FeatureFacts facts{
      .name = "small-wells",
      .aliases = "lit-12",
      .definition = "Empty cells with both side neighbours filled and an empty cell directly above.",
      .formula = "|{(x, y) empty: neighbours filled, (x, y+1) empty}|",
      .source = "Romero, Tomes & Yusiong 2011; data2021, table 2 (12)",
      .example =
          "....###...\n"
          "o#..#.#...\n"
          "##..#o##o#\n"
          "##..#####.\n",
      .example_value = 3,
  };
  template <class P>
  static Word value(const P& p) {
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i)
      sum = sum + popcount(and_not(between_filled(p.board, i), p.board.column(i) >> 1));
    return sum;
  }
};

}  // namespace blockfall::BLOCKFALL_ARCH
