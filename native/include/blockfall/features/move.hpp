// Features of the move rather than of the board it leaves, summed over the pieces placed.
#pragma once

#include "../afterstates.hpp"
#include "list.hpp"

namespace blockfall::BLOCKFALL_ARCH {

struct LandingHeight {
  static constexpr FeatureFacts facts{
      .name = "landing-height",
      .aliases = "lit-17",
      .definition = "Height of the placed piece's middle before rows are removed; the floor row is 0.",
      .formula = "bottom row + (piece height - 1) / 2",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009; data2021, table 2 (17)",
      .looks_at = "move",
      .example =
          "...@......\n"
          "..@@@.....\n"
          "##.##.....\n",
      .example_value = 1.5,
  };
  template <class P>
  static Real value(const P& p) {
    return to_real(p.path[PATH_LANDING_HEIGHT]) * splat_real(0.5f);
  }
};

struct TotalLockHeight {
  static constexpr FeatureFacts facts{
      .name = "total-lock-height",
      .aliases = "ATF lock-height",
      .definition = "Distance that the placed piece would fall on an empty board, summed over the pieces placed.",
      .formula = "bottom row",
      .source = "Birken; soster2024, metric 1",
      .looks_at = "both pieces",
      .example =
          "...@......\n"
          "..@@@.....\n"
          "##.##.....\n",
      .example_value = 1,
  };
  template <class P>
  static Word value(const P& p) {
    return p.path[PATH_LOCK_HEIGHT];
  }
};

struct PieceTop {
  static constexpr FeatureFacts facts{
      .name = "piece-top",
      .aliases = "data-12",
      .definition = "Highest row of the placed piece, before rows are removed; the floor row is 0.",
      .formula = "bottom row + piece height - 1",
      .source = "data2021, 4.7",
      .looks_at = "move",
      .example =
          "...@......\n"
          "..@@@.....\n"
          "##.##.....\n",
      .example_value = 2,
  };
  template <class P>
  static Word value(const P& p) {
    return p.path[PATH_LANDING_HEIGHT] - p.path[PATH_LOCK_HEIGHT];
  }
};

struct LinesCleared {
  static constexpr FeatureFacts facts{
      .name = "lines-cleared",
      .aliases = "complete-lines data-11 lit-10",
      .definition = "Lines completed by the pieces placed.",
      .formula = "lines",
      .source = "Birken; Lee 2013; El-Tetris; data2021, 4.6 and table 2 (10)",
      .looks_at = "both pieces",
      .example =
          "##........\n"
          "######@@@@\n",
      .example_value = 1,
  };
  template <class P>
  static Word value(const P& p) {
    return p.path[PATH_LINES];
  }
};

struct TotalLines {
  static constexpr FeatureFacts facts{
      .name = "total-lines",
      .aliases = "lit-34",
      .definition = "Lines removed in the game so far, including those of the pieces placed.",
      .formula = "lines of the game + lines",
      .source = "Naing, Truong & Zeng 2016; data2021, table 2 (34)",
      .looks_at = "both pieces",
      .example =
          "##........\n"
          "######@@@@\n",
      .example_value = 1,
  };
  template <class P>
  static Word value(const P& p) {
    return p.path[PATH_GAME_LINES] + p.path[PATH_LINES];
  }
};

struct ErodedCells {
  static constexpr FeatureFacts facts{
      .name = "eroded-cells",
      .aliases = "lit-28",
      .definition = "Lines removed times the number of the placed piece's cells removed with them.",
      .formula = "lines * cells",
      .source = "Dellacherie (Fahey 2003); Thiery & Scherrer 2009; data2021, table 2 (28)",
      .looks_at = "move",
      .example =
          "##.#....@@\n"
          "########@@\n",
      .example_value = 2,
  };
  template <class P>
  static Word value(const P& p) {
    return p.path[PATH_ERODED];
  }
};

struct Points {
  static constexpr FeatureFacts facts{
      .name = "points",
      .aliases = "ist-5",
      .definition = "Points that the rules award for the pieces placed and their lines.",
      .formula = "points",
      .source = "ist2015, h5",
      .looks_at = "both pieces",
      .needs = NEEDS_POINTS,
      .example =
          "########@@\n"
          "########@@\n",
      .example_value = 2,
  };
  template <class P>
  static Word value(const P& p) {
    return p.path[PATH_POINTS];
  }
};

using MoveFeatures =
    FeatureList<LandingHeight, TotalLockHeight, PieceTop, LinesCleared, TotalLines, ErodedCells, Points>;

}  // namespace blockfall::BLOCKFALL_ARCH
