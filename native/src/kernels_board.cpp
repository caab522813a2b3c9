// Play by board networks, compiled once per instruction set like kernels.cpp, which declares the templates instantiated
// here and need not compile the network.
#include "blockfall/kernels.hpp"
#include "blockfall/plies.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template void play_batch<Player<Plies>>(const Rules&, const Agent&, Batch&);
template void climb_games<Player<Plies>>(const Rules&, const Agent&, Climb&);
template Choice choose_by<Player<Plies>>(const Rules&, const Agent&, const Game&, const PlacementSet*);

// A network values the board after a placement, so the sequence is the placement itself.
template <>
bool explain<BoardNetworkPolicy>(const Rules& rules, const Agent& agent, const Game& game, const Placement& first,
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
