// A value that is a weighted sum of features. Its parameters are one weight per feature. The sum is binary32, in the
// order of the features, so that every backend agrees to the bit.
#pragma once

#include "../last_piece.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template <int Columns>
class WeightedFeatures {
 public:
  static constexpr int boards_at_once = lanes;
  static constexpr bool values_boards = true;

  WeightedFeatures(const Rules& rules, const ValueData& data) : rules_(rules), data_(data) {}

  static int parameters(const ValueData& data) { return data.features.count; }

  LastPiece<Columns, WeightedFeatures> place(const Piece& piece, const WaitingBoards<lanes>& boards, int64_t lines,
                                             bool at_sides) const {
    return {rules_, *this, piece, boards, lines, at_sides};
  }

  // The value of boards with a newly locked piece, for LastPiece.
  BLOCKFALL_INLINE Real of(const LockedPiece& piece, uint32_t in_use, Afterstates<Columns>& p) const {
    const FeatureSet& features = data_.features;
    const float* weights = data_.parameters;
    settle(rules_, piece, features.needs, p);
    Real sum = splat_real(weights[0]) * feature_value(p, features, 0, piece.bottom, in_use);
    for (int i = 1; i < features.count; ++i)
      sum = sum + splat_real(weights[i]) * feature_value(p, features, i, piece.bottom, in_use);
    return sum;
  }

 private:
  const Rules& rules_;
  const ValueData& data_;
};

}  // namespace blockfall::BLOCKFALL_ARCH
