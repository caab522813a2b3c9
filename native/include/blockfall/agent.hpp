// An agent: how it plays around how it values boards. Plain data, so that a copy of the struct is a copy of the agent,
// on a GPU too.
#pragma once

#include "value/data.hpp"

namespace blockfall {

inline constexpr int max_sequences = 128;  // that a look-ahead values

struct Agent {
  ValueData value;
  int32_t pieces_known;
  // The guard against towers (aveiro2020): on a board this high and this bumpy only placements at the sides are
  // considered.
  bool guards;
  int32_t guard_height, guard_bumpiness;
  // Look-ahead: so many of the best sequences are valued by the mean, over the generator's law, of what the next piece,
  // which is not known yet, can make of them. A piece that has no placement counts `loss`. 0 for no look-ahead.
  int32_t best_sequences;
  float loss;
  int32_t plies;  // of a network over the board: placements that it looks ahead, 1 to max_plies
};

}  // namespace blockfall
