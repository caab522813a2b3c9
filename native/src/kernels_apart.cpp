// More kernels, compiled once per instruction set like kernels.cpp, but apart from it: the compiler has one inlining
// budget per file, and this code would take it from the loops that play games.
#include "blockfall/kernels.hpp"

namespace blockfall::BLOCKFALL_ARCH {

void measure_games(const Rules& rules, const FeatureSet& features, const Game* games, int64_t n, float* out,
                   int64_t stride) {
  rules.columns == 10 ? measure_games_columns<10>(rules, features, games, n, out, stride)
                      : measure_games_columns<0>(rules, features, games, n, out, stride);
}

void learn_linear(const Rules& rules, const Agent& agent, LinearLearner& learner, int64_t until) {
  rules.columns == 10 ? LinearLearning<10>(rules, agent, learner).learn(until)
                      : LinearLearning<0>(rules, agent, learner).learn(until);
}

}  // namespace blockfall::BLOCKFALL_ARCH
