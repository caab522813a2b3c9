// Playing games to their end.
#pragma once

#include "player.hpp"

namespace blockfall {

// Games to play, shared by all threads: each takes the next number until none is left.
struct Batch {
  Purpose purpose;
  uint64_t seed;
  int64_t first_game, games;  // of every candidate: all play the same
  int64_t max_pieces;         // 0 for no limit
  int64_t candidates = 1;
  const float* parameters;  // of candidate c from c * parameters_of(its value); null for the agent's own
  Outcome* outcomes;        // of candidate c from c * games

  // Shared counters, read and written atomically.
  int64_t next;  // games handed out, over all candidates
  int64_t games_done, pieces_done;
  int32_t stop;  // set to end early
};

namespace BLOCKFALL_ARCH {

// Of players of this kind.
template <class AnyPlayer>
inline void play_batch(const Rules& rules, const Agent& agent, Batch& batch) {
  Agent candidate = agent;
  AnyPlayer player(rules, candidate);
  const int64_t parameters = parameters_of(agent.value);
  constexpr int64_t report_every = 256;  // pieces
  for (;;) {
    const int64_t number = __atomic_fetch_add(&batch.next, 1, __ATOMIC_RELAXED);
    if (number >= batch.candidates * batch.games) return;
    if (batch.parameters) candidate.value.parameters = batch.parameters + number / batch.games * parameters;
    const auto index = uint64_t(batch.first_game + number % batch.games);
    Game game = start_game(rules, batch.purpose, batch.seed, index, agent.pieces_known);
    Outcome& outcome = game.outcome;
    while (outcome.termination == Termination::running) {
      if (outcome.pieces == batch.max_pieces && batch.max_pieces) {
        outcome.termination = Termination::piece_limit;
      } else if (__atomic_load_n(&batch.stop, __ATOMIC_RELAXED)) {
        outcome.termination = Termination::interrupted;
      } else {
        const Placement placement = player.choose(game);
        outcome.placements += player.placements();
        play_unchecked(rules, game, placement);
        if (outcome.pieces % report_every == 0) __atomic_fetch_add(&batch.pieces_done, report_every, __ATOMIC_RELAXED);
      }
    }
    __atomic_fetch_add(&batch.pieces_done, outcome.pieces % report_every, __ATOMIC_RELAXED);
    batch.outcomes[number] = outcome;
    if (outcome.termination == Termination::interrupted) return;
    __atomic_fetch_add(&batch.games_done, 1, __ATOMIC_RELAXED);
  }
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
