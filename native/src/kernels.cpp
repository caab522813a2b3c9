// Compiled once per instruction set, with BLOCKFALL_ARCH, BLOCKFALL_LANES and the matching -m flags. Uses no standard
// library: a template of it instantiated here would be shared with the portable code.
#include "blockfall/kernels.hpp"

namespace blockfall {
namespace BLOCKFALL_ARCH {

template <class AnyPlayer>
Choice choose_by(const Rules& rules, const Agent& agent, const Game& game, const PlacementSet* among) {
  AnyPlayer player(rules, agent);
  const Placement placement = player.choose(game, among);
  return {placement, player.value(), player.placements()};
}

template <class AnyPlayer>
bool best_line_by(const Rules& rules, const Agent& agent, const Game& game, const Placement& first, float& value,
                  Candidate& candidate) {
  AnyPlayer player(rules, agent);
  return player.best_line(game, first, value, candidate);
}

// The usual width gets loops that the compiler can unroll.
void run_batch(const Rules& rules, const Agent& agent, Batch& batch) {
  const auto run = agent.table           ? play_batch<TablePlayer>
                   : rules.columns == 10 ? play_batch<Player<10>>
                                         : play_batch<Player<0>>;
  run(rules, agent, batch);
}

Choice choose(const Rules& rules, const Agent& agent, const Game& game, const PlacementSet* among) {
  const auto run = agent.table           ? choose_by<TablePlayer>
                   : rules.columns == 10 ? choose_by<Player<10>>
                                         : choose_by<Player<0>>;
  return run(rules, agent, game, among);
}

bool best_line(const Rules& rules, const Agent& agent, const Game& game, const Placement& first, float& value,
               Candidate& candidate) {
  const auto run = agent.table           ? best_line_by<TablePlayer>
                   : rules.columns == 10 ? best_line_by<Player<10>>
                                         : best_line_by<Player<0>>;
  return run(rules, agent, game, first, value, candidate);
}

void measure(const Rules& rules, const Agent& agent, const Candidate* candidates, int64_t n, float* out) {
  rules.columns == 10 ? measure_columns<10>(rules, agent, candidates, n, out)
                      : measure_columns<0>(rules, agent, candidates, n, out);
}

void measure_board(const Rules& rules, const Agent& agent, const Board& board, float* out) {
  rules.columns == 10 ? measure_board_columns<10>(rules, agent, board, out)
                      : measure_board_columns<0>(rules, agent, board, out);
}

void learn(const Rules& rules, const Agent& agent, Learner& learner, int64_t until) {
  rules.columns == 10 ? Learning<10>(rules, agent, learner).learn(until)
                      : Learning<0>(rules, agent, learner).learn(until);
}

}  // namespace BLOCKFALL_ARCH

#define BLOCKFALL_JOIN(a, b) a##b
#define BLOCKFALL_TABLE(arch) BLOCKFALL_JOIN(arch, _kernels)
#define BLOCKFALL_TEXT(arch) #arch
#define BLOCKFALL_NAME(arch) BLOCKFALL_TEXT(arch)

extern const Kernels BLOCKFALL_TABLE(BLOCKFALL_ARCH);
const Kernels BLOCKFALL_TABLE(BLOCKFALL_ARCH) = {
    BLOCKFALL_NAME(BLOCKFALL_ARCH), BLOCKFALL_ARCH::lanes,     BLOCKFALL_ARCH::run_batch,
    BLOCKFALL_ARCH::choose,         BLOCKFALL_ARCH::best_line, BLOCKFALL_ARCH::measure,
    BLOCKFALL_ARCH::measure_board,  BLOCKFALL_ARCH::learn,     BLOCKFALL_ARCH::gradient_of,
};

}  // namespace blockfall
