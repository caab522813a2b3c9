// Features of the filled cells: how many there are, where, and how they are connected.
#pragma once

#include "../afterstates.hpp"
#include "list.hpp"

namespace blockfall::BLOCKFALL_ARCH {

struct FilledCells {
  static constexpr FeatureFacts facts{
      .name = "filled-cells",
      .aliases = "solid-cells lit-19",
      .definition = "Filled cells.",
      .formula = "|{(x, y) filled}|",
      .source = "Birken (solid cells); data2021, table 2 (19)",
      .example =
          ".x........\n"
          "xx..x.x...\n",
      .example_value = 5,
  };
  template <class P>
  static Word value(const P& p) {
    return p.path[PATH_CELLS];
  }
};

struct FreeCells {
  static constexpr FeatureFacts facts{
      .name = "free-cells",
      .aliases = "lit-32",
      .definition = "Empty cells.",
      .formula = "W * H - filled cells",
      .source = "data2021, table 2 (32)",
      .example =
          ".#........\n"
          "##..#.#...\n",
      .example_value = 195,
  };
  template <class P>
  static Word value(const P& p) {
    return splat(uint32_t(p.cells())) - p.path[PATH_CELLS];
  }
};

struct FillRatio {
  static constexpr FeatureFacts facts{
      .name = "fill-ratio",
      .aliases = "PP",
      .definition = "Share of the cells that are filled.",
      .formula = "filled cells / (W * H)",
      .source = "soster2024, metric 10",
      .example =
          ".x........\n"
          "xx..x.x...\n",
      .example_value = 0.025,
  };
  template <class P>
  static Real value(const P& p) {
    return to_real(p.path[PATH_CELLS]) / splat_real(float(p.cells()));
  }
};

struct FillPercent {
  static constexpr FeatureFacts facts{
      .name = "fill-percent",
      .aliases = "data-15",
      .definition = "Percentage of the cells that are filled.",
      .formula = "100 * filled cells / (W * H)",
      .source = "data2021, 4.9",
      .example =
          ".x........\n"
          "xx..x.x...\n",
      .example_value = 2.5,
  };
  template <class P>
  static Real value(const P& p) {
    return to_real(multiply(p.path[PATH_CELLS], splat(100))) / splat_real(float(p.cells()));
  }
};

struct BoardEntropy {
  static constexpr FeatureFacts facts{
      .name = "board-entropy",
      .aliases = "ET",
      .definition =
          "Entropy in bits of a cell drawn at random, filled or empty; read from a table by the number of filled "
          "cells, so that every machine agrees.",
      .formula = "-(p log2 p + q log2 q), p = fill-ratio, q = 1 - p",
      .source = "soster2024, metric 11, equation 7",
      .example =
          "xxxxxxxxx.\n"
          "xxxxxxxxx.\n"
          "xxxxxxx...\n",
      .example_value = 0.5435644431995964,
  };
  template <class P>
  static Real value(const P& p) {
    return look_up(p.rules->entropy, p.path[PATH_CELLS]);
  }
};

struct VerticalMass {
  static constexpr FeatureFacts facts{
      .name = "vertical-mass",
      .aliases = "CMV weighted-solid-cells lit-20",
      .definition = "Sum of the heights of the filled cells; the floor row counts 1.",
      .formula = "sum over filled cells of (y + 1)",
      .source = "soster2024, metric 8; Birken (weighted solid cells); data2021, table 2 (20)",
      .cost = "rows",
      .needs = NEEDS_ROW_COUNTS,
      .example =
          ".x........\n"
          "xx..x.....\n"
          "xx.xx...x.\n",
      .example_value = 14,
  };
  template <class P>
  static Word value(const P& p) {
    return sum_of_rows(p.row_counts) + p.path[PATH_CELLS];
  }
};

struct HorizontalMass {
  static constexpr FeatureFacts facts{
      .name = "horizontal-mass",
      .aliases = "CMH",
      .definition = "Sum of the filled cells' distances to the middle, negative on the left.",
      .formula = "sum over filled cells of (x - (W - 1) / 2)",
      .source = "soster2024, metric 9",
      .example =
          ".x........\n"
          "xx..x...x.\n",
      .example_value = -8.5,
  };
  template <class P>
  static Real value(const P& p) {
    Word doubled = splat(0);
    for (int i = 0; i < p.columns(); ++i)
      doubled = doubled + multiply(popcount(p.board.column(i)), splat(uint32_t(2 * i + 1 - p.columns())));
    return to_real(doubled) * splat_real(0.5f);
  }
};

struct Symmetry {
  static constexpr FeatureFacts facts{
      .name = "symmetry",
      .aliases = "ST",
      .definition = "Share of the cell pairs mirrored about the middle that are alike.",
      .formula = "alike pairs / (H * floor(W / 2))",
      .source = "soster2024, metric 16",
      .example =
          ".x........\n"
          "##.x....##\n",
      .example_value = 0.98,
  };
  template <class P>
  static Real value(const P& p) {
    const int pairs = p.columns() / 2;
    Word unlike = splat(0);
    for (int i = 0; i < pairs; ++i) unlike = unlike + popcount(p.board.column(i) ^ p.board.column(p.columns() - 1 - i));
    const int total = pairs * p.rows();
    return to_real(splat(uint32_t(total)) - unlike) / splat_real(float(total));
  }
};

struct LargestArea {
  static constexpr FeatureFacts facts{
      .name = "largest-area",
      .aliases = "AMAC",
      .definition = "Size of the largest region of filled cells joined by their sides; 0 on an empty board.",
      .formula = "max over 4-connected regions of their size",
      .source = "soster2024, metric 14",
      .cost = "flood",
      .needs = NEEDS_AREAS,
      .example =
          ".x....#...\n"
          "xxx..##..#\n"
          "x.x.#....#\n",
      .example_value = 6,
  };
  template <class P>
  static Word value(const P& p) {
    return p.largest_area;
  }
};

struct SmallestArea {
  static constexpr FeatureFacts facts{
      .name = "smallest-area",
      .aliases = "AMIC",
      .definition = "Size of the smallest region of filled cells joined by their sides; 0 on an empty board.",
      .formula = "min over 4-connected regions of their size",
      .source = "soster2024, metric 15",
      .cost = "flood",
      .needs = NEEDS_AREAS,
      .example =
          ".#....#...\n"
          "###..##..#\n"
          "#.#.x....#\n",
      .example_value = 1,
  };
  template <class P>
  static Word value(const P& p) {
    return p.smallest_area;
  }
};

struct DistinctRows {
  static constexpr FeatureFacts facts{
      .name = "distinct-rows",
      .aliases = "pattern-diversity lit-31",
      .definition = "Number of different rows on the board; the empty row counts as one.",
      .formula = "|{rows}|",
      .source = "Boumaza 2009; data2021, table 2 (31)",
      .cost = "rows",
      .example =
          "##........\n"
          "##..#.....\n"
          "##..#.....\n"
          "####..####\n",
      .example_value = 4,
  };
  // A row counts unless the same row occurs above it.
  template <class P>
  static Word value(const P& p) {
    Word repeated = splat(0);
    for (int distance = 1; distance < p.rows(); ++distance) {
      Word unlike = splat(~rows_mask(p.rows() - distance));
      for (int i = 0; i < p.columns(); ++i) unlike = unlike | (p.board.column(i) ^ (p.board.column(i) >> distance));
      repeated = repeated | ~unlike;
    }
    return splat(uint32_t(p.rows())) - popcount(repeated);
  }
};

struct PossiblePositions {
  static constexpr FeatureFacts facts{
      .name = "possible-positions",
      .aliases = "NPP",
      .definition =
          "Positions inside the board that the seven pieces can take without overlapping a filled cell, in "
          "every orientation that the rules allow.",
      .formula = "|{(piece, orientation, column, row): cells free}|",
      .source = "soster2024, metric 17",
      .cost = "flood",
      .example =
          "....#.....\n"
          "###.#.####\n",
      .example_value = 2810,
  };
  template <class P>
  static Word value(const P& p) {
    Word sum = splat(0);
    for (const Piece& piece : p.rules->piece)
      for (int s = 0; s < piece.shapes; ++s) sum = sum + Tetrominoes::positions(p, piece.shape[s]);
    return sum;
  }

 private:
  // The cells of a shape from its left column, four bits each.
  static uint32_t cells_of(const Shape& shape) {
    return shape.column[0] | shape.column[1] << 4 | shape.column[2] << 8 | shape.column[3] << 12;
  }

  // Counting a shape that is known at compile time needs no table look-ups and stays in registers.
  template <uint32_t... Known>
  struct KnownShapes {
    template <class P>
    static Word positions(const P& p, const Shape& shape) {
      const uint32_t cells = cells_of(shape);
      Word sum = splat(0);
      const bool known = ((cells == Known && (sum = count(p, Known), true)) || ...);
      return known ? sum : count(p, cells);
    }
  };
  using Tetrominoes =
      KnownShapes<0x1111, 0x0033, 0x0232, 0x0231, 0x0132, 0x0322, 0x0223,  // spawn orientations
                  0x000f, 0x0131, 0x0027, 0x0072, 0x0036, 0x0063, 0x0113, 0x0071, 0x0047, 0x0311, 0x0074, 0x0017>;

  template <class P>
  BLOCKFALL_INLINE static Word count(const P& p, uint32_t cells) {
    const uint32_t across = cells | cells >> 4 | cells >> 8 | cells >> 12;
    const int width = cells >> 12 ? 4 : cells >> 8 ? 3 : cells >> 4 ? 2 : 1;
    const int height = across & 8 ? 4 : across & 4 ? 3 : across & 2 ? 2 : 1;
    const Word inside = splat(rows_mask(p.rows() - height + 1));
    Word sum = splat(0);
    for (int x = 0; x + width <= p.columns(); ++x) {
      Word taken = splat(0);
      for (int i = 0; i < width; ++i)
        for (int row = 0; row < cells_per_piece; ++row)
          if (cells >> (4 * i + row) & 1) taken = taken | (p.board.column(x + i) >> row);
      sum = sum + popcount(and_not(inside, taken));
    }
    return sum;
  }
};

using CellFeatures = FeatureList<FilledCells, FreeCells, FillRatio, FillPercent, BoardEntropy, VerticalMass,
                                 HorizontalMass, Symmetry, LargestArea, SmallestArea, DistinctRows, PossiblePositions>;

}  // namespace blockfall::BLOCKFALL_ARCH
