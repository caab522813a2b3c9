// An agent: its value and the options around it. Plain data, so a copy of the struct is a copy of the agent, also on a
// GPU.
#pragma once

#include "value/data.hpp"

namespace blockfall {

inline constexpr int max_sequences = 128;  // kept by a look-ahead

struct Agent {
  ValueData value;
  int32_t pieces_known;
  // The guard against towers (aveiro2020): on a board at least this high and this bumpy, only placements at the sides
  // are considered.
  bool guards;
  int32_t guard_height, guard_bumpiness;
  // Look-ahead: this many of the best sequences are valued again by what the next, unknown piece can make of them: the
  // mean over the generator's probabilities. A piece that has no placement counts `loss`. 0 for no look-ahead.
  int32_t best_sequences;
  float loss;
  int32_t plies;  // placements that a board network looks ahead, 1 to max_plies
};

}  // namespace blockfall
