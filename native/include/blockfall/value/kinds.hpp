// The kinds of values, and the one place that asks which kind an agent has. To add a kind, write its header in this
// folder, give it a ValueKind and a case here.
#pragma once

#include "feature_network.hpp"
#include "table.hpp"
#include "weighted_features.hpp"

namespace blockfall::BLOCKFALL_ARCH {

static_assert(ValuePolicy<WeightedFeatures<10>> && ValuePolicy<WeightedFeatures<0>>);
static_assert(ValuePolicy<FeatureNetwork<10>> && ValuePolicy<FeatureNetwork<0>>);
static_assert(ValuePolicy<Table>);

// A type as an argument.
template <class T>
struct Type {
  using type = T;
};

// Calls use(Type<Policy>{}) with the policy of the value's kind, which is none for a network over the board: that has a
// search of its own (plies.hpp). The usual width of a board gets loops that the
// compiler can unroll.
template <class Use>
inline auto with_value(const Rules& rules, const ValueData& data, Use use) {
  const bool usual = rules.columns == 10;
  switch (data.kind) {
    case ValueKind::feature_network: return usual ? use(Type<FeatureNetwork<10>>{}) : use(Type<FeatureNetwork<0>>{});
    case ValueKind::table: return use(Type<Table>{});
    default: return usual ? use(Type<WeightedFeatures<10>>{}) : use(Type<WeightedFeatures<0>>{});
  }
}

// How many numbers make a value of this kind and size.
inline int parameters_of(const ValueData& data) {
  switch (data.kind) {
    case ValueKind::feature_network: return FeatureNetwork<0>::parameters(data);
    case ValueKind::table: return Table::parameters(data);
    case ValueKind::board_network: return 0;  // a training of its own finds them
    default: return WeightedFeatures<0>::parameters(data);
  }
}

}  // namespace blockfall::BLOCKFALL_ARCH
