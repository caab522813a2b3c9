// Play by networks over the board, compiled once per instruction set as kernels.cpp is.
#include "blockfall/kernels.hpp"
#include "blockfall/plies.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// Calls use(agent) with an agent whose network is ended by `stop`.
template <class Use>
static void with_stop(const Agent& agent, const int32_t* stop, Use use) {
  BoardNetworkData network = *agent.value.board_network;
  network.stop = stop;
  Agent stoppable = agent;
  stoppable.value.board_network = &network;
  use(stoppable);
}

void run_batch_by_board(const Rules& rules, const Agent& agent, Batch& batch) {
  with_stop(agent, &batch.stop, [&](const Agent& player) { play_batch<Player<Plies>>(rules, player, batch); });
}

void climb_by_board(const Rules& rules, const Agent& agent, Climb& climb) {
  with_stop(agent, climb.stop, [&](const Agent& player) { climb_games<Player<Plies>>(rules, player, climb); });
}

Choice choose_by_board(const Rules& rules, const Agent& agent, const Game& game, const PlacementSet* among) {
  Player<Plies> player(rules, agent);
  const Placement placement = among ? player.choose_among(game, *among) : player.choose(game);
  return {placement, player.value(), player.placements()};
}

// A network values the board that is left, whatever follows: the sequence is the placement itself.
bool best_sequence_by_board(const Rules& rules, const Agent& agent, const Game& game, const Placement& first,
                            float& value, Candidate& candidate) {
  Plies plies(rules, agent);
  PlacementSet among{};
  among.add(first);
  int64_t placements = 0;
  if (!plies.find_among(game, sequence_length(agent, game), false, among, placements)) return false;
  value = plies.value();
  candidate = {game.board, start_path(rules, game), first};
  return true;
}

void value_boards(const BoardNetworkData& data, const Board* boards, int64_t n, int32_t* values) {
  BoardNetwork network(data);
  BoardNetwork::Layers first(data);
  if (n) network.keep(boards[0], first);
  for (int64_t i = 0; i < n; i += BoardNetwork::boards_at_once) {
    const int64_t left = n - i;
    network.values(first, boards + i, int(left < BoardNetwork::boards_at_once ? left : BoardNetwork::boards_at_once),
                   values + i * data.outputs);
  }
}

}  // namespace blockfall::BLOCKFALL_ARCH
