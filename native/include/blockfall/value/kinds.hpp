// The kinds of values, and the only code that asks which kind an agent has. To add a kind, write its header in this
// folder, and add a ValueKind and a case below.
#pragma once

#include "feature_network.hpp"
#include "table.hpp"
#include "weighted_features.hpp"

namespace blockfall {

enum class ValueKind : uint8_t { weighted_features, feature_network, table, board_network };

}  // namespace blockfall

namespace blockfall::BLOCKFALL_ARCH {

class Plies;

// A board network has its own search, which looks ahead (plies.hpp).
struct BoardNetworkPolicy {
  using Search = Plies;
  static int parameters(const ValueData&) { return 0; }  // its numbers are not in ValueData::parameters
};

static_assert(ValuePolicy<WeightedFeatures<10>> && ValuePolicy<WeightedFeatures<0>>);
static_assert(ValuePolicy<FeatureNetwork<10>> && ValuePolicy<FeatureNetwork<0>>);
static_assert(ValuePolicy<Table>);
static_assert(SearchPolicy<BoardNetworkPolicy>);

// A type as an argument.
template <class T>
struct Type {
  using type = T;
};

// Calls use(Type<Policy>{}) with the policy for this kind of value, on boards of this many columns; 0 for any number.
template <int Columns, class Use>
inline auto with_kind(ValueKind kind, Use use) {
  switch (kind) {
    case ValueKind::feature_network: return use(Type<FeatureNetwork<Columns>>{});
    case ValueKind::table: return use(Type<Table>{});
    case ValueKind::board_network: return use(Type<BoardNetworkPolicy>{});
    default: return use(Type<WeightedFeatures<Columns>>{});
  }
}

// The same with the policy for the rules. The compiler can unroll its loops for boards of the usual width.
template <class Use>
inline auto with_value(const Rules& rules, const ValueData& data, Use use) {
  return rules.columns == 10 ? with_kind<10>(data.kind, use) : with_kind<0>(data.kind, use);
}

// The length of ValueData::parameters for a value of this kind and size.
inline int parameters_of(const ValueData& data) {
  return with_kind<0>(data.kind, [&](auto policy) { return decltype(policy)::type::parameters(data); });
}

}  // namespace blockfall::BLOCKFALL_ARCH
