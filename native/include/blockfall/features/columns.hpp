// Features of single columns: heights, height differences and the clipped contour.
#pragma once

#include "heights.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// The example board of the single-column features.
inline constexpr const char* stairs =
    "#.........\n"
    "#.........\n"
    "#.........\n"
    "#...#.....\n"
    "##.##.###.\n"
    "#########.\n";
inline constexpr int heights_of_stairs[10] = {6, 2, 1, 2, 3, 1, 2, 2, 2, 0};
inline constexpr int steps_of_stairs[9] = {4, 1, 1, 1, 2, 1, 0, 0, 2};
inline constexpr int contour_of_stairs[9] = {-3, -1, 1, 1, -2, 1, 0, 0, -2};

// One feature per column, numbered from 1; 0 on a board without that column.
template <int Number>
struct ColumnHeight {
  static constexpr NumberedName name{"column-height-", Number};
  static constexpr FeatureFacts facts{
      .name = name.text,
      .definition = "Height of one column; columns are numbered from 1 on the left.",
      .formula = "h(i)",
      .source = "Bertsekas & Tsitsiklis 1996; data2021, table 2 (9)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example = stairs,
      .example_value = Number <= 10 ? heights_of_stairs[Number - 1] : 0,
  };
  template <class P>
  static Word value(const P& p) {
    return Number <= p.columns() ? p.board.height[Number - 1] : splat(0);
  }
};

template <int Number>
struct HeightDifference {
  static constexpr NumberedName name{"height-difference-", Number};
  static constexpr FeatureFacts facts{
      .name = name.text,
      .definition = "Absolute height difference between one column and the next; columns are numbered from 1.",
      .formula = "|h(i) - h(i+1)|",
      .source = "Bertsekas & Tsitsiklis 1996; data2021, table 2 (27)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example = stairs,
      .example_value = Number <= 9 ? steps_of_stairs[Number - 1] : 0,
  };
  template <class P>
  static Word value(const P& p) {
    return Number < p.columns() ? distance(p.board.height[Number - 1], p.board.height[Number]) : splat(0);
  }
};

template <int Number>
struct Contour {
  static constexpr NumberedName name{"contour-", Number};
  static constexpr FeatureFacts facts{
      .name = name.text,
      .definition =
          "Height of the next column minus that of this one, clipped to -3 .. 3; columns are numbered from 1. "
          "Three in a row describe four columns.",
      .formula = "clip(h(i+1) - h(i), -3, 3)",
      .source = "data2021, 3.5.1, after Sarjant 2008",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example = stairs,
      .example_value = Number <= 9 ? contour_of_stairs[Number - 1] : 0,
  };
  template <class P>
  static Word value(const P& p) {
    if (Number >= p.columns()) return splat(0);
    const Word difference = p.board.height[Number] - p.board.height[Number - 1];
    return minimum(splat(3), maximum(splat(uint32_t(-3)), difference));
  }
};

using ColumnFeatures = Joined<Numbered<ColumnHeight, max_columns>, Numbered<HeightDifference, max_columns - 1>,
                              Numbered<Contour, max_columns - 1>>;

}  // namespace blockfall::BLOCKFALL_ARCH
