// Features of the move rather than of the board it leaves.
#pragma once

#include "../position.hpp"
#include "facts.hpp"

namespace blockfall::BLOCKFALL_ARCH {

struct LandingHeight {
  static constexpr FeatureFacts facts{
      .name = "landing-height",
      .definition = "Height of the middle of the placed piece, before rows are removed; the floor row is 0.",
      .formula = "bottom row + (piece height - 1) / 2, summed over the pieces placed",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009",
  };
  template <class P>
  static Real value(const P& p) {
    return to_real(p.landing_height) * splat_real(0.5f);
  }
};

struct TotalLockHeight {
  static constexpr FeatureFacts facts{
      .name = "total-lock-height",
      .definition = "How far the placed piece would fall on an empty board; summed over the pieces placed.",
      .formula = "bottom row, summed over the pieces placed",
      .source = "Birken; soster2024, 3.1.2",
  };
  template <class P>
  static Word value(const P& p) {
    return p.lock_height;
  }
};

struct LinesCleared {
  static constexpr FeatureFacts facts{
      .name = "lines-cleared",
      .aliases = "complete-lines",
      .definition = "Lines completed by the pieces placed.",
      .formula = "lines, summed over the pieces placed",
      .source = "Birken; Lee 2013; El-Tetris",
  };
  template <class P>
  static Word value(const P& p) {
    return p.lines;
  }
};

struct ErodedCells {
  static constexpr FeatureFacts facts{
      .name = "eroded-cells",
      .definition = "Lines removed times the cells of the placed piece removed with them.",
      .formula = "lines * cells, summed over the pieces placed",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009",
  };
  template <class P>
  static Word value(const P& p) {
    return p.eroded;
  }
};

}  // namespace blockfall::BLOCKFALL_ARCH
