// Compiled once per instruction set, with BLOCKFALL_ARCH, BLOCKFALL_LANES and the matching -m flags. Uses no standard
// library, because a library template instantiated here would be shared with the portable code.
#include "blockfall/kernels.hpp"

namespace blockfall {
namespace BLOCKFALL_ARCH {

// In kernels_apart.cpp.
void measure_games(const Rules& rules, const FeatureSet& features, const Game* games, int64_t n, float* out,
                   int64_t stride);
void learn_linear(const Rules& rules, const Agent& agent, LinearLearner& learner, int64_t until);

// In kernels_board.cpp.
extern template void play_batch<Player<Plies>>(const Rules&, const Agent&, Batch&);
extern template void climb_games<Player<Plies>>(const Rules&, const Agent&, Climb&);
extern template Choice choose_by<Player<Plies>>(const Rules&, const Agent&, const Game&, const PlacementSet*);
template <>
bool explain<BoardNetworkPolicy>(const Rules& rules, const Agent& agent, const Game& game, const Placement& first,
                                 float& value, Candidate& candidate);
void value_boards(const BoardNetworkData& network, const Board* boards, int64_t n, int32_t* values);

void run_batch(const Rules& rules, const Agent& agent, Batch& batch) {
  with_player(rules, agent, [&](auto player) { play_batch<typename decltype(player)::type>(rules, agent, batch); });
}

void climb(const Rules& rules, const Agent& agent, Climb& climb) {
  with_player(rules, agent, [&](auto player) { climb_games<typename decltype(player)::type>(rules, agent, climb); });
}

Choice choose(const Rules& rules, const Agent& agent, const Game& game, const PlacementSet* among) {
  return with_player(
      rules, agent, [&](auto player) { return choose_by<typename decltype(player)::type>(rules, agent, game, among); });
}

bool best_sequence(const Rules& rules, const Agent& agent, const Game& game, const Placement& first, float& value,
                   Candidate& candidate) {
  return with_value(rules, agent.value, [&](auto policy) {
    return explain<typename decltype(policy)::type>(rules, agent, game, first, value, candidate);
  });
}

void measure(const Rules& rules, const FeatureSet& features, const Candidate* candidates, int64_t n, float* out) {
  rules.columns == 10 ? measure_columns<10>(rules, features, candidates, n, out)
                      : measure_columns<0>(rules, features, candidates, n, out);
}

void measure_board(const Rules& rules, const FeatureSet& features, const Board& board, float* out) {
  rules.columns == 10 ? measure_board_columns<10>(rules, features, board, out)
                      : measure_board_columns<0>(rules, features, board, out);
}

void learn(const Rules& rules, const Agent& agent, Learner& learner, int64_t until) {
  rules.columns == 10 ? Learning<10>(rules, agent, learner).learn(until)
                      : Learning<0>(rules, agent, learner).learn(until);
}

}  // namespace BLOCKFALL_ARCH

#define BLOCKFALL_JOIN(a, b) a##b
#define BLOCKFALL_KERNELS(arch) BLOCKFALL_JOIN(arch, _kernels)
#define BLOCKFALL_TEXT(arch) #arch
#define BLOCKFALL_NAME(arch) BLOCKFALL_TEXT(arch)

extern const Kernels BLOCKFALL_KERNELS(BLOCKFALL_ARCH);
const Kernels BLOCKFALL_KERNELS(BLOCKFALL_ARCH) = {
    BLOCKFALL_NAME(BLOCKFALL_ARCH), BLOCKFALL_ARCH::lanes,         BLOCKFALL_ARCH::run_batch,
    BLOCKFALL_ARCH::climb,          BLOCKFALL_ARCH::choose,        BLOCKFALL_ARCH::best_sequence,
    BLOCKFALL_ARCH::measure,        BLOCKFALL_ARCH::measure_board, BLOCKFALL_ARCH::measure_games,
    BLOCKFALL_ARCH::learn,          BLOCKFALL_ARCH::learn_linear,  BLOCKFALL_ARCH::gradient_of,
    BLOCKFALL_ARCH::value_boards,
};

}  // namespace blockfall
