// Features of wells: empty cells between two filled ones. The walls count as filled.
#pragma once

#include "heights.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template <int C>
inline Word between_filled(const Stack<C>& stack, int i) {
  return and_not(stack.column(i - 1) & stack.column(i + 1), stack.column(i));
}

// The well cells above the column's top, shifted down to bit 0.
template <int C>
inline Word open_well(const Stack<C>& stack, int i) {
  return shift_right(between_filled(stack, i), stack.height[i]);
}

// Well cells and filled cells, one column to a word, or two where the stack is low. The functions take the number of
// words as an argument: a number known at compile time keeps the words in registers.
struct WellWords {
  Word cells[max_columns + 1], filled[max_columns];

  // Call count(words, number of words, rows of a column in them).
  template <class P, class Count>
  BLOCKFALL_INLINE static Word of(const P& p, const Count& count) {
    WellWords words;
    if (p.rows() > half_rows && is_high(p.board)) {
      words.take_columns(p.board, p.columns());
      return count(words, p.columns(), max_rows);
    }
    words.take_pairs(p.board, (p.columns() + 1) / 2);
    return count(words, (p.columns() + 1) / 2, half_rows);
  }

  // Add the empty cells below each well cell, down to the next filled one.
  BLOCKFALL_INLINE void fill_downwards(int count, int rows) {
    for (int i = 0; i < count; ++i) {
      Word empty = and_not(splat(~0u), filled[i]);
      for (int step = 1; step < rows; step *= 2) {
        cells[i] = cells[i] | ((cells[i] >> step) & empty);
        empty = empty & (empty >> step);
      }
    }
  }

  // Count the cells and the empty ones below each of them, row by row. Adjacent columns never have well cells in the
  // same row, not even after equal steps down; so if there are no other cells, one popcount can count two words
  // `Together`.
  template <int Together>
  BLOCKFALL_INLINE Word count_downwards(int count) {
    cells[count] = splat(0);
    Word sum = splat(0);
    for (bool more = true; more;) {
      Word left = splat(0);
      for (int step = 0; step < steps_at_once; ++step) {
        left = splat(0);
        for (int i = 0; i < count; i += Together) {
          sum = sum + popcount(Together == 2 ? cells[i] | cells[i + 1] : cells[i]);
          for (int k = i; k < i + Together && k < count; ++k) {
            cells[k] = and_not(cells[k] >> 1, filled[k]);
            left = left | cells[k];
          }
        }
      }
      more = any(left);
    }
    return sum;
  }

 private:
  static constexpr int half_rows = 16;
  static constexpr int steps_at_once = 4;  // few wells are deeper, so the branch after them nearly always ends the loop

  // Whether any column of any lane is higher than half a word.
  template <int C>
  static bool is_high(const Stack<C>& stack) {
    Word cells = stack.column(0);
    for (int i = 1; i < stack.columns(); ++i) cells = cells | stack.column(i);
    return any(cells >> half_rows);
  }

  template <int C>
  BLOCKFALL_INLINE void take_columns(const Stack<C>& stack, int count) {
    for (int i = 0; i < count; ++i) {
      cells[i] = between_filled(stack, i);
      filled[i] = stack.column(i);
    }
  }

  // Columns i and i + count share a word.
  template <int C>
  BLOCKFALL_INLINE void take_pairs(const Stack<C>& stack, int count) {
    for (int i = 0; i < count; ++i) filled[i] = stack.column(i) | (stack.column(i + count) << half_rows);
    const Word wall = stack.column(-1) & splat((1u << half_rows) - 1);
    for (int i = 0; i < count; ++i) {
      const Word left = i > 0 ? filled[i - 1] : wall | (filled[count - 1] << half_rows);
      const Word right = i + 1 < count ? filled[i + 1] : (wall << half_rows) | (filled[0] >> half_rows);
      cells[i] = and_not(left & right, filled[i]);
    }
    for (int i = 0; i < count; ++i) filled[i] = filled[i] | splat(1u << (half_rows - 1));  // no cell steps down into it
  }
};

struct WellSums {
  static constexpr FeatureFacts facts{
      .name = "well-sums",
      .aliases = "lit-16",
      .definition =
          "For each empty cell with both side neighbours filled, 1 plus the empty cells directly below it, summed.",
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
    return WellWords::of(p, [](WellWords& words, int count, int) { return words.count_downwards<2>(count); });
  }
};

struct WellSumsFast {
  static constexpr FeatureFacts facts{
      .name = "well-sums-fast",
      .definition = "For each empty run, the n cells from its first well cell down count 1 + 2 + .. + n.",
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
    return WellWords::of(p, [](WellWords& words, int count, int rows) {
      words.fill_downwards(count, rows);
      return words.count_downwards<1>(count);
    });
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

// Twice the depth of a column below the mean of its neighbours.
template <class P>
inline Word doubled_well(const P& p, int i) {
  const int last = p.columns() - 1;
  const Word left = p.board.height[i > 0 ? i - 1 : 1], right = p.board.height[i < last ? i + 1 : last - 1];
  return maximum(splat(0), left + right - (p.board.height[i] << 1));
}

struct DeepestWell {
  static constexpr FeatureFacts facts{
      .name = "deepest-well",
      .aliases = "data-7 lit-13",
      .definition =
          "The furthest that any column lies below the mean of its neighbours; at a wall, below its one "
          "neighbour. The thesis's formula has errors; this version reproduces its figures.",
      .formula = "max of w(i), w(i) = max(0, (h(i-1) + h(i+1)) / 2 - h(i))",
      .source = "data2021, 4.3 and table 2 (13)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".#........\n"
          "##o##.....\n"
          "##o##..##.\n",
      .example_value = 2.5,
  };
  template <class P>
  static Real value(const P& p) {
    Word most = splat(0);
    for (int i = 0; i < p.columns(); ++i) most = maximum(most, doubled_well(p, i));
    return to_real(most) * splat_real(0.5f);
  }
};

struct WellDepths {
  static constexpr FeatureFacts facts{
      .name = "well-depths",
      .aliases = "data-8",
      .definition =
          "Sum of how far each column lies below the mean of its neighbours; at a wall, below its one neighbour.",
      .formula = "sum of w(i), w(i) = max(0, (h(i-1) + h(i+1)) / 2 - h(i))",
      .source = "data2021, 4.3",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          "o#........\n"
          "##o##o....\n"
          "##o##oo##o\n",
      .example_value = 6,
  };
  template <class P>
  static Real value(const P& p) {
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i) sum = sum + doubled_well(p, i);
    return to_real(sum) * splat_real(0.5f);
  }
};

using DepthFeatures = FeatureList<DeepestWell, WellDepths>;
using WellFeatures = FeatureList<WellSums, WellSumsFast, WellCells, Wells, DeepWells, SmallWells>;

}  // namespace blockfall::BLOCKFALL_ARCH
