// Features of the columns' heights. A height is the row of the highest filled cell plus one.
#pragma once

#include "../afterstates.hpp"
#include "list.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template <int C>
inline Word heights_sum(const Stack<C>& stack) {
  Word sum = stack.height[0];
  for (int i = 1; i < stack.columns(); ++i) sum = sum + stack.height[i];
  return sum;
}

template <int C>
inline Word max_height(const Stack<C>& stack) {
  Word most = stack.height[0];
  for (int i = 1; i < stack.columns(); ++i) most = maximum(most, stack.height[i]);
  return most;
}

template <int C>
inline Word min_height(const Stack<C>& stack) {
  Word least = stack.height[0];
  for (int i = 1; i < stack.columns(); ++i) least = minimum(least, stack.height[i]);
  return least;
}

inline Word distance(Word a, Word b) { return maximum(a, b) - minimum(a, b); }

template <int C>
inline Word bumpiness(const Stack<C>& stack) {
  Word sum = splat(0);
  for (int i = 1; i < stack.columns(); ++i) sum = sum + distance(stack.height[i - 1], stack.height[i]);
  return sum;
}

template <class P>
inline Real mean_over_columns(const P& p, Word sum) {
  return to_real(sum) / splat_real(float(p.columns()));
}

struct HeightsSum {
  static constexpr FeatureFacts facts{
      .name = "heights-sum",
      .aliases = "SA aggregate-height data-2 lit-18 lit-35 ist-3",
      .definition = "Sum of the column heights.",
      .formula = "sum of h(i)",
      .source = "soster2024, metric 6; data2021, table 2 (18, 35); ist2015, h3",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".x........\n"
          "xx..x.....\n"
          "xx.xx...x.\n",
      .example_value = 9,
  };
  template <class P>
  static Word value(const P& p) {
    return heights_sum(p.board);
  }
};

struct HeightsSumBeforeRemoval {
  static constexpr FeatureFacts facts{
      .name = "heights-sum-before-removal",
      .definition = "Sum of the column heights before full rows are removed.",
      .formula = "sum of h(i)",
      .source = "Lee 2013; aveiro2020",
      .looks_at = "move",
      .cost = "heights",
      .needs = NEEDS_BEFORE | NEEDS_HEIGHTS_BEFORE,
      .example =
          "x.........\n"
          "xxxxxx@@@@\n",
      .example_value = 11,
  };
  template <class P>
  static Word value(const P& p) {
    return heights_sum(p.before);
  }
};

struct MeanHeight {
  static constexpr FeatureFacts facts{
      .name = "mean-height",
      .aliases = "data-1 lit-3",
      .definition = "Mean of the column heights.",
      .formula = "sum of h(i) / W",
      .source = "data2021, 4.1 and table 2 (3)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".x........\n"
          "xx..x.....\n"
          "xx.xx...x.\n",
      .example_value = 0.9,
  };
  template <class P>
  static Real value(const P& p) {
    return mean_over_columns(p, heights_sum(p.board));
  }
};

struct MaxHeight {
  static constexpr FeatureFacts facts{
      .name = "max-height",
      .aliases = "pile-height data-3 lit-1 ist-1",
      .definition = "Height of the highest column.",
      .formula = "max of h(i)",
      .source = "Bertsekas & Tsitsiklis 1996; Birken; data2021, table 2 (1); ist2015, h1",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".x........\n"
          "#x..#.....\n"
          "#x.##...#.\n",
      .example_value = 3,
  };
  template <class P>
  static Word value(const P& p) {
    return max_height(p.board);
  }
};

struct MinHeight {
  static constexpr FeatureFacts facts{
      .name = "min-height",
      .aliases = "data-4 lit-2",
      .definition = "Height of the lowest column.",
      .formula = "min of h(i)",
      .source = "data2021, 4.1 and table 2 (2)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".#........\n"
          "##..#...#.\n"
          "#.xx.xxx.x\n",
      .example_value = 1,
  };
  template <class P>
  static Word value(const P& p) {
    return min_height(p.board);
  }
};

struct HeightRange {
  static constexpr FeatureFacts facts{
      .name = "height-range",
      .aliases = "IA column-height-spread data-5 lit-11",
      .definition = "Height of the highest column minus that of the lowest.",
      .formula = "max of h(i) - min of h(i)",
      .source = "soster2024, metric 7; Birken; data2021, table 2 (11)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".x........\n"
          "#x..#.....\n"
          "#x.##...#.\n",
      .example_value = 3,
  };
  template <class P>
  static Word value(const P& p) {
    return max_height(p.board) - min_height(p.board);
  }
};

struct MaxAboveMean {
  static constexpr FeatureFacts facts{
      .name = "max-above-mean",
      .aliases = "lit-4",
      .definition = "Height of the highest column minus the mean height.",
      .formula = "max of h(i) - sum of h(i) / W",
      .source = "Romdhane & Lamontagne 2008; data2021, table 2 (4)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".x........\n"
          "#x..#.....\n"
          "#x.##...#.\n",
      .example_value = 2.1,
  };
  template <class P>
  static Real value(const P& p) {
    return mean_over_columns(p, multiply(max_height(p.board), splat(uint32_t(p.columns()))) - heights_sum(p.board));
  }
};

struct MeanAboveMin {
  static constexpr FeatureFacts facts{
      .name = "mean-above-min",
      .aliases = "lit-5",
      .definition = "Mean height minus the height of the lowest column.",
      .formula = "sum of h(i) / W - min of h(i)",
      .source = "Romdhane & Lamontagne 2008; data2021, table 2 (5)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".x........\n"
          "xx..x.....\n"
          "xx.xx...x.\n",
      .example_value = 0.9,
  };
  template <class P>
  static Real value(const P& p) {
    return mean_over_columns(p, heights_sum(p.board) - multiply(min_height(p.board), splat(uint32_t(p.columns()))));
  }
};

struct HeightSquares {
  static constexpr FeatureFacts facts{
      .name = "height-squares",
      .aliases = "lit-33",
      .definition = "Square of the highest column's height minus the square of the lowest's.",
      .formula = "max of h(i)^2 - min of h(i)^2",
      .source = "Naing, Truong & Zeng 2016; data2021, table 2 (33)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".x........\n"
          "#x..#.....\n"
          "#x.##...#.\n",
      .example_value = 9,
  };
  template <class P>
  static Word value(const P& p) {
    const Word most = max_height(p.board), least = min_height(p.board);
    return multiply(most - least, most + least);
  }
};

struct Bumpiness {
  static constexpr FeatureFacts facts{
      .name = "bumpiness",
      .aliases = "column-height-variance data-9 lit-26 ist-2",
      .definition = "Sum of the absolute height differences between adjacent columns.",
      .formula = "sum of |h(i) - h(i+1)|",
      .source = "Birken (height variance); data2021, 4.4 and table 2 (26); ist2015, h2",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".#........\n"
          "##..#.....\n"
          "##.##...#.\n",
      .example_value = 10,
  };
  template <class P>
  static Word value(const P& p) {
    return bumpiness(p.board);
  }
};

struct BumpinessBeforeRemoval {
  static constexpr FeatureFacts facts{
      .name = "bumpiness-before-removal",
      .definition = "Sum of the absolute height differences between adjacent columns before full rows are removed.",
      .formula = "sum of |h(i) - h(i+1)|",
      .source = "Lee 2013; aveiro2020",
      .looks_at = "move",
      .cost = "heights",
      .needs = NEEDS_BEFORE | NEEDS_HEIGHTS_BEFORE,
      .example =
          "#.........\n"
          "######@@@@\n",
      .example_value = 1,
  };
  template <class P>
  static Word value(const P& p) {
    return bumpiness(p.before);
  }
};

struct Diversity {
  static constexpr FeatureFacts facts{
      .name = "diversity",
      .definition =
          "How many of the values -2, -1, 0, 1, 2 occur among the height differences between adjacent columns.",
      .formula = "|{h(i) - h(i+1)} intersected with {-2 .. 2}|",
      .source = "Scherrer et al. 2015 (DT)",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".#........\n"
          "##..#.....\n"
          "##.##...#.\n",
      .example_value = 4,
  };
  template <class P>
  static Word value(const P& p) {
    Word seen = splat(0);  // bit d: the difference d - 2 occurs; larger ones fall outside the five bits
    for (int i = 1; i < p.columns(); ++i)
      seen = seen | shift_left(splat(1), p.board.height[i - 1] - p.board.height[i] + splat(2));
    return popcount(seen & splat(31));
  }
};

struct WeightedRelativeHeight {
  static constexpr FeatureFacts facts{
      .name = "weighted-relative-height",
      .aliases = "data-10",
      .definition =
          "Mean height above the lowest column, weighted towards the middle. The thesis does not print its "
          "weights; ours count 1, 2, 3, .. from each wall.",
      .formula = "sum of min(i + 1, W - i) * (h(i) - min h) / W",
      .source = "data2021, 4.5",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          ".x........\n"
          "xx..x.....\n"
          "xx.xx...x.\n",
      .example_value = 2.4,
  };
  template <class P>
  static Real value(const P& p) {
    const Word least = min_height(p.board);
    Word sum = splat(0);
    for (int i = 0; i < p.columns(); ++i) {
      const int weight = i + 1 < p.columns() - i ? i + 1 : p.columns() - i;
      sum = sum + multiply(p.board.height[i] - least, splat(uint32_t(weight)));
    }
    return mean_over_columns(p, sum);
  }
};

struct ProjectionPotential {
  static constexpr FeatureFacts facts{
      .name = "projection-potential",
      .aliases = "PDP",
      .definition =
          "For each column lower than all its neighbours, its depth below the lower neighbour, summed; a wall "
          "does not count as a neighbour.",
      .formula = "sum of max(0, min(h(i-1), h(i+1)) - h(i))",
      .source = "soster2024, metric 13",
      .cost = "heights",
      .needs = NEEDS_HEIGHTS,
      .example =
          "o#........\n"
          "##o##.....\n"
          "##o##..##o\n",
      .example_value = 4,
  };
  template <class P>
  static Word value(const P& p) {
    const int last = p.columns() - 1;
    Word sum = splat(0);
    for (int i = 0; i <= last; ++i) {
      const Word left = p.board.height[i > 0 ? i - 1 : 1], right = p.board.height[i < last ? i + 1 : last - 1];
      sum = sum + maximum(splat(0), minimum(left, right) - p.board.height[i]);
    }
    return sum;
  }
};

using HeightFeatures = FeatureList<HeightsSum, HeightsSumBeforeRemoval, MeanHeight, MaxHeight, MinHeight, HeightRange,
                                   MaxAboveMean, MeanAboveMin, HeightSquares, Bumpiness, BumpinessBeforeRemoval,
                                   Diversity, WeightedRelativeHeight, ProjectionPotential>;

}  // namespace blockfall::BLOCKFALL_ARCH
