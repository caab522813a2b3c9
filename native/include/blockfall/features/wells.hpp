// Wells: empty cells between two filled ones; the walls are filled.
#pragma once

#include "../position.hpp"
#include "facts.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template <int C>
inline Word between_filled(const Stack<C>& stack, int i) {
  return and_not(stack.column(i - 1) & stack.column(i + 1), stack.column(i));
}

struct WellSums {
  static constexpr FeatureFacts facts{
      .name = "well-sums",
      .definition =
          "For every empty cell with both side neighbours filled: one, and the empty cells directly below it.",
      .formula = "sum over well cells of (1 + length of the empty run below)",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009",
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
      .definition = "Empty cells above every filled cell of their column with both side neighbours filled.",
      .formula = "|{(x, y): y >= h(x), neighbours filled}|",
      .source = "Birken; soster2024, 3.1.2",
      .needs = NEEDS_HEIGHTS,
  };
  template <class P>
  static Word value(const P& p) {
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i)  // the shift by h and back drops what lies below the top
      sum = sum + popcount(shift_right(between_filled(p.board, i), p.board.height[i]));
    return sum;
  }
};

}  // namespace blockfall::BLOCKFALL_ARCH
