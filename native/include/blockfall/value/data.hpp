// How an agent values boards, as plain data. The kinds and their code are the other headers of this folder.
#pragma once

#include "../custom.hpp"

namespace blockfall {

enum class ValueKind : uint8_t { weighted_features, feature_network, table, board_network };

// The features that a value looks at, in the order in which it uses them.
struct FeatureSet {
  int32_t count;                  // 0 for a value that looks at none
  uint16_t number[max_features];  // in the catalogue; the numbers after its end are places in `custom`
  uint32_t needs;                 // shared parts that they need, all together (afterstates.hpp)
  CustomFeature custom[max_custom];
  int32_t* failed;  // is set to 1 + the place in `custom` of a feature that gave no finite number
};

// The hidden layers of a network.
struct Layers {
  int32_t count;
  int32_t width[max_layers];
};

struct BoardNetworkData;  // board_network_data.hpp

struct ValueData {
  ValueKind kind;
  FeatureSet features;      // of weighted features and of a network
  Layers hidden;            // of a network
  const float* parameters;  // all numbers that a training finds, in the order that the kind's header gives
  const BoardNetworkData* board_network;  // null for other kinds
};

}  // namespace blockfall
