// Values over features that are fixed when the code is compiled, as it is for a GPU at run time: no function is called
// through a pointer, and parts that no feature needs are left out. The values equal those of WeightedFeatures and
// FeatureNetwork to the bit. `Numbers` are indices into the catalogue.
#pragma once

#include "../features.hpp"
#include "../one_board.hpp"
#include "feature_network.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// A weighted sum.
template <int Columns, int... Numbers>
class FixedFeatures {
 public:
  static constexpr int boards_at_once = 1;
  static constexpr bool values_boards = true;
  static constexpr int count = int(sizeof...(Numbers));
  static constexpr uint32_t needs = (FeatureAt<Numbers, Catalogue>::Type::facts.needs | ...);

  FixedFeatures(const Rules& rules, const ValueData& data) : rules_(rules) {
    for (int i = 0; i < count; ++i) weight_[i] = data.parameters[i];
  }

  static int parameters(const ValueData&) { return count; }

  OneBoard<Columns, FixedFeatures> place(const Piece& piece, const WaitingBoards<1>& boards, int64_t lines,
                                         bool at_sides) const {
    return {rules_, *this, piece, boards, lines, at_sides};
  }

  // The value of a board with a newly locked piece, for OneBoard.
  Real of(const LockedPiece& piece, Afterstates<Columns>& p) const {
    settle(rules_, piece, needs, p);
    int i = 0;
    Real sum = 0;
    const auto add = [&](Real measure) {
      const Real share = weight_[i] * measure;
      sum = i++ ? sum + share : share;
    };
    (add(real_value<typename FeatureAt<Numbers, Catalogue>::Type>(p)), ...);
    return sum;
  }

 private:
  const Rules& rules_;
  float weight_[count];
};

// A weighted sum of some of these features, chosen and ordered by the agent, so that one program plays many agents. A
// program for each agent is faster alone, but several programs slow each other down (docs/performance.md).
template <int Columns, int... Numbers>
class SomeFeatures {
 public:
  static constexpr int boards_at_once = 1;
  static constexpr bool values_boards = true;
  // These shared parts are found for all agents. The areas cost the most, and only agents that need them pay for them.
  static constexpr uint32_t cheap_needs = FixedFeatures<Columns, Numbers...>::needs & ~uint32_t(NEEDS_AREAS);

  SomeFeatures(const Rules& rules, const ValueData& data)
      : rules_(rules), features_(data.features), weight_(data.parameters) {
    for (int i = 0; i < features_.count; ++i) {
      int place = 0;
      ((chosen_ |= uint32_t(features_.number[i] == Numbers) << place++), ...);
    }
  }

  static int parameters(const ValueData& data) { return data.features.count; }

  OneBoard<Columns, SomeFeatures> place(const Piece& piece, const WaitingBoards<1>& boards, int64_t lines,
                                        bool at_sides) const {
    return {rules_, *this, piece, boards, lines, at_sides};
  }

  Real of(const LockedPiece& piece, Afterstates<Columns>& p) const {
    settle(rules_, piece, cheap_needs | features_.needs, p);
    Real measure[Catalogue::count];
    int place = 0;
    const auto take = [&](int number, auto value) {
      if (chosen_ >> place++ & 1) measure[number] = value();
    };
    (take(Numbers, [&] { return real_value<typename FeatureAt<Numbers, Catalogue>::Type>(p); }), ...);
    Real sum = weight_[0] * measure[features_.number[0]];
    for (int i = 1; i < features_.count; ++i) {
      const Real share = weight_[i] * measure[features_.number[i]];
      sum = sum + share;
    }
    return sum;
  }

 private:
  static_assert(sizeof...(Numbers) <= 32);
  const Rules& rules_;
  const FeatureSet& features_;
  const float* weight_;
  uint32_t chosen_ = 0;  // bit k stands for the k-th of Numbers
};

// A network.
template <int Columns, int... Numbers>
class FixedNetwork {
 public:
  static constexpr int boards_at_once = 1;
  static constexpr bool values_boards = true;
  static constexpr int count = int(sizeof...(Numbers));

  FixedNetwork(const Rules& rules, const ValueData& data) : rules_(rules), data_(data) {}

  static int parameters(const ValueData& data) { return FeatureNetwork<Columns>::parameters(data); }

  OneBoard<Columns, FixedNetwork> place(const Piece& piece, const WaitingBoards<1>& boards, int64_t lines,
                                        bool at_sides) const {
    return {rules_, *this, piece, boards, lines, at_sides};
  }

  Real of(const LockedPiece& piece, Afterstates<Columns>& p) const {
    settle(rules_, piece, FixedFeatures<Columns, Numbers...>::needs, p);
    const Real inputs[] = {real_value<typename FeatureAt<Numbers, Catalogue>::Type>(p)...};
    return network_value(data_.hidden, data_.parameters, inputs, count);
  }

 private:
  const Rules& rules_;
  const ValueData& data_;
};

}  // namespace blockfall::BLOCKFALL_ARCH
