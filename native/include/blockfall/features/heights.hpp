// Features of the columns' heights. A height is the row of the highest filled cell plus one.
#pragma once

#include "../position.hpp"
#include "facts.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template <int C>
inline Word heights_sum(const Stack<C>& stack) {
  Word sum = stack.height[0];
  for (int i = 1; i < stack.columns(); ++i) sum = sum + stack.height[i];
  return sum;
}

template <int C>
inline Word bumpiness(const Stack<C>& stack) {
  Word sum = splat(0);
  for (int i = 1; i < stack.columns(); ++i) {
    const Word a = stack.height[i - 1], b = stack.height[i];
    sum = sum + (maximum(a, b) - minimum(a, b));
  }
  return sum;
}

struct HeightsSumBeforeRemoval {
  static constexpr FeatureFacts facts{
      .name = "heights-sum-before-removal",
      .definition = "Sum of the column heights while full rows still stand.",
      .formula = "sum of h(i)",
      .source = "Lee 2013; aveiro2020",
      .needs = NEEDS_BEFORE | NEEDS_HEIGHTS_BEFORE,
  };
  template <class P>
  static Word value(const P& p) {
    return heights_sum(p.before);
  }
};

struct BumpinessBeforeRemoval {
  static constexpr FeatureFacts facts{
      .name = "bumpiness-before-removal",
      .definition = "Sum of the height differences of adjacent columns while full rows still stand.",
      .formula = "sum of |h(i) - h(i+1)|",
      .source = "Lee 2013; aveiro2020",
      .needs = NEEDS_BEFORE | NEEDS_HEIGHTS_BEFORE,
  };
  template <class P>
  static Word value(const P& p) {
    return bumpiness(p.before);
  }
};

struct Diversity {
  static constexpr FeatureFacts facts{
      .name = "diversity",
      .aliases = "pattern-diversity",
      .definition = "How many of -2, -1, 0, 1, 2 occur among the height differences of adjacent columns.",
      .formula = "|{h(i) - h(i+1)} intersected with {-2 .. 2}|",
      .source = "Scherrer et al. 2015 (DT)",
      .needs = NEEDS_HEIGHTS,
  };
  template <class P>
  static Word value(const P& p) {
    Word seen = splat(0);  // bit d of the word: the difference d - 2 occurs; larger ones shift out of the five
    for (int i = 1; i < p.columns(); ++i)
      seen = seen | shift_left(splat(1), p.board.height[i - 1] - p.board.height[i] + splat(2));
    return popcount(seen & splat(31));
  }
};

}  // namespace blockfall::BLOCKFALL_ARCH
