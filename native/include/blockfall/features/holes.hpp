// Features of holes: empty cells with a filled cell somewhere above in their column.
#pragma once

#include "heights.hpp"

namespace blockfall::BLOCKFALL_ARCH {

struct Holes {
  static constexpr FeatureFacts facts{
      .name = "holes",
      .definition = "Empty cells with a filled cell somewhere above in their column.",
      .formula = "sum of h(i) - filled cells",
      .source = "Dellacherie (Fahey 2003); Bertsekas & Tsitsiklis 1996",
      .needs = NEEDS_HEIGHTS,
  };
  template <class P>
  static Word value(const P& p) {
    return heights_sum(p.board) - p.cells;  // all cells below the tops, less the filled ones
  }
};

struct HolesBeforeRemoval {
  static constexpr FeatureFacts facts{
      .name = "holes-before-removal",
      .definition = "Holes while full rows still stand.",
      .formula = "sum of h(i) - filled cells",
      .source = "Lee 2013; aveiro2020",
      .needs = NEEDS_BEFORE | NEEDS_HEIGHTS_BEFORE,
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
      .definition = "Filled cells in the unbroken runs right above holes, each run once.",
      .formula = "filled cells above the lowest empty cell of their column",
      .source = "Thiery & Scherrer 2009 (BCTS)",
  };
  template <class P>
  static Word value(const P& p) {
    // c & (c + 1) drops the run that stands on the floor; every other run has a hole right below it.
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i) sum = sum + popcount(p.board.column(i) & (p.board.column(i) + splat(1)));
    return sum;
  }
};

struct RowsWithHoles {
  static constexpr FeatureFacts facts{
      .name = "rows-with-holes",
      .definition = "Rows that contain at least one hole.",
      .formula = "|{row: some cell of it is a hole}|",
      .source = "Thiery & Scherrer 2009 (BCTS)",
      .needs = NEEDS_HEIGHTS | NEEDS_HOLES,
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
      .definition = "Empty cells with a filled cell directly above.",
      .formula = "sum over columns of |c(y) empty and c(y+1) filled|",
      .source = "Birken; soster2024, 3.1.2",
  };
  template <class P>
  static Word value(const P& p) {
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i) sum = sum + popcount(and_not(p.board.column(i) >> 1, p.board.column(i)));
    return sum;
  }
};

}  // namespace blockfall::BLOCKFALL_ARCH
