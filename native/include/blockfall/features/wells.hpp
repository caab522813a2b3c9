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
    Word cells[max_columns + 1], filled[max_columns];
    if (p.rows() > half_rows && is_high(p.board)) {
      for (int i = 0; i < p.columns(); ++i) {
        cells[i] = between_filled(p.board, i);
        filled[i] = p.board.column(i);
      }
      return count_downwards(cells, filled, p.columns());
    }
    const int words = (p.columns() + 1) / 2;
    pair_columns(p.board, words, cells, filled);
    return count_downwards(cells, filled, words);
  }

 private:
  static constexpr int half_rows = 16;
  static constexpr int steps_at_once = 4;  // few wells are deeper, so that the branch after them nearly always ends it

  // Whether a column of a lane is higher than half a word.
  template <int C>
  static bool is_high(const Stack<C>& stack) {
    Word rows = stack.column(0);
    for (int i = 1; i < stack.columns(); ++i) rows = rows | stack.column(i);
    return any(rows >> half_rows);
  }

  // Where none is, a word holds two: columns i and i + words.
  template <int C>
  static void pair_columns(const Stack<C>& stack, int words, Word* cells, Word* filled) {
    for (int i = 0; i < words; ++i) filled[i] = stack.column(i) | (stack.column(i + words) << half_rows);
    const Word wall = stack.column(-1) & splat((1u << half_rows) - 1);
    for (int i = 0; i < words; ++i) {
      const Word left = i > 0 ? filled[i - 1] : wall | (filled[words - 1] << half_rows);
      const Word right = i + 1 < words ? filled[i + 1] : (wall << half_rows) | (filled[0] >> half_rows);
      cells[i] = and_not(left & right, filled[i]);
    }
    for (int i = 0; i < words; ++i) filled[i] = filled[i] | splat(1u << (half_rows - 1));  // no cell steps down into it
  }

  // The cells, and the empty ones below them step by step.
  static Word count_downwards(Word* cells, const Word* filled, int words) {
    cells[words] = splat(0);
    Word sum = splat(0);
    for (bool more = true; more;) {
      Word left = splat(0);
      for (int step = 0; step < steps_at_once; ++step) {
        // Adjacent columns have no well cell in the same row, nor have they after equal steps: one popcount for two.
        left = splat(0);
        for (int i = 0; i < words; i += 2) {
          sum = sum + popcount(cells[i] | cells[i + 1]);
          cells[i] = and_not(cells[i] >> 1, filled[i]);
          if (i + 1 < words) cells[i + 1] = and_not(cells[i + 1] >> 1, filled[i + 1]);
          left = left | cells[i] | cells[i + 1];
        }
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
