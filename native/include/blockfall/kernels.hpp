// The hot code as a table of functions for each instruction set, chosen at run time.
#pragma once

#include "explanation.hpp"
#include "learning/linear.hpp"
#include "learning/network.hpp"
#include "simulate.hpp"

namespace blockfall {

struct Kernels {
  const char* name;
  int lanes;
  void (*play_batch)(const Rules&, const Agent&, Batch&);
  void (*climb)(const Rules&, const Agent&, Climb&);
  // With `among`, the sequence must begin with one of these placements.
  Choice (*choose)(const Rules&, const Agent&, const Game&, const PlacementSet* among);
  // Finds the best sequence that begins with `first`; returns false if all lose.
  bool (*best_sequence)(const Rules&, const Agent&, const Game&, const Placement& first, float& value, Candidate&);
  // Every feature of the set for every candidate: out[candidate * features + feature].
  void (*measure)(const Rules&, const FeatureSet&, const Candidate*, int64_t candidates, float* out);
  // The same for a board as it stands, with no piece placed.
  void (*measure_board)(const Rules&, const FeatureSet&, const Board&, float* out);
  // The same for the boards of games; the rows of `out` are `stride` numbers apart.
  void (*measure_games)(const Rules&, const FeatureSet&, const Game*, int64_t games, float* out, int64_t stride);
  // Play whole games until the learner has done this many actions.
  void (*learn)(const Rules&, const Agent&, Learner&, int64_t until);
  void (*learn_linear)(const Rules&, const Agent&, LinearLearner&, int64_t until);
  // The mean squared error of a network over rows of inputs, and its gradient.
  float (*gradient_of)(const ValueData& network, const float* rows, const float* targets, int count, float* work,
                       float* gradient);
  // The outputs of a board network: values[board * outputs + output].
  void (*value_boards)(const BoardNetworkData&, const Board*, int64_t boards, int32_t* values);
};

extern const Kernels scalar_kernels, avx2_kernels, avx512_kernels, neon_kernels;

}  // namespace blockfall
