// An agent's way of valuing boards, as plain data. The other headers of this folder are the kinds and their code.
#pragma once

#include "../custom.hpp"

namespace blockfall {

enum class ValueKind : uint8_t;  // kinds.hpp

// The features that a value uses, in its order.
struct FeatureSet {
  int32_t count;                  // 0 for a value without features
  uint16_t number[max_features];  // in the catalogue; numbers beyond its end are indices into `custom`
  uint32_t needs;                 // the shared parts that any of them needs (afterstates.hpp)
  CustomFeature custom[max_custom];
  int32_t* failed;  // set to 1 + the index in `custom` of a feature that gave no finite number
};

// The hidden layers of a network.
struct Layers {
  int32_t count;
  int32_t width[max_layers];
};

struct BoardNetworkData;  // board_network_data.hpp

struct ValueData {
  ValueKind kind;
  FeatureSet features;                    // of weighted features and of a network
  Layers hidden;                          // of a network
  const float* parameters;                // all trained numbers, in the order given in the kind's header
  const BoardNetworkData* board_network;  // null for other kinds
};

}  // namespace blockfall
