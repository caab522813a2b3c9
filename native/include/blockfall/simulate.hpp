// Play of whole games.
#pragma once

#include "atomics.hpp"
#include "player.hpp"

namespace blockfall {

// Games to play, shared by all threads: each thread takes the next game until none are left.
struct Batch {
  Purpose purpose;
  uint64_t seed;
  int64_t first_game, games;  // the same for every candidate
  int64_t max_pieces;         // 0 for no limit
  int64_t candidates = 1;
  const float* parameters;  // of candidate c from c * parameters_of(its value); null for the agent's own
  Outcome* outcomes;        // of candidate c from c * games

  // Shared counters, read and written atomically.
  int64_t next;  // games handed out, over all candidates
  int64_t games_done, pieces_done;
  int32_t stop;  // set to end early
};

// Games to continue until each is as high as `goal`, as low as `floor`, or lost.
struct Climb {
  Game* games;
  int64_t count;
  int floor, goal;             // of the tallest column
  int64_t max_pieces;          // of each game
  const int32_t* stop;         // set elsewhere to end early
  int64_t pieces, placements;  // counted up
};

namespace BLOCKFALL_ARCH {

// The height of a board's tallest column.
inline int tallest(const Rules& rules, const Board& board) {
  uint32_t rows = 0;
  for (int i = 0; i < rules.columns; ++i) rows |= board.column[i];
  return height(rows);
}

// Whether a game of the batch goes on; ends it at a limit or when the batch stops.
inline bool goes_on(const Batch& batch, Outcome& outcome) {
  if (outcome.termination != Termination::running) return false;
  if (batch.max_pieces && outcome.pieces == batch.max_pieces)
    outcome.termination = Termination::piece_limit;
  else if (load_atomically(batch.stop))
    outcome.termination = Termination::interrupted;
  return outcome.termination == Termination::running;
}

// Continues the games with a player of this type.
template <class AnyPlayer>
void climb_games(const Rules& rules, const Agent& agent, Climb& climb) {
  AnyPlayer player(rules, agent, climb.stop);
  for (Game* game = climb.games; game != climb.games + climb.count; ++game) {
    for (int64_t pieces = 0; pieces < climb.max_pieces; ++pieces) {
      const int top = tallest(rules, game->board);
      if (game->outcome.termination != Termination::running || top <= climb.floor || top >= climb.goal) break;
      if (load_atomically(*climb.stop)) return;
      play_unchecked(rules, *game, player.choose(*game));
      ++climb.pieces;
      climb.placements += player.placements();
    }
  }
}

// Plays games of the batch with a player of this type until none are left.
template <class AnyPlayer>
void play_batch(const Rules& rules, const Agent& agent, Batch& batch) {
  Agent candidate = agent;
  AnyPlayer player(rules, candidate, &batch.stop);
  const int64_t parameters = parameters_of(agent.value);
  constexpr int64_t report_every = 256;  // pieces
  for (;;) {
    const int64_t number = add_atomically(batch.next, 1);
    if (number >= batch.candidates * batch.games) return;
    if (batch.parameters) candidate.value.parameters = batch.parameters + number / batch.games * parameters;
    const auto index = uint64_t(batch.first_game + number % batch.games);
    Game game = start_game(rules, batch.purpose, batch.seed, index, agent.pieces_known);
    Outcome& outcome = game.outcome;
    while (goes_on(batch, outcome)) {
      const Placement placement = player.choose(game);
      outcome.placements += player.placements();
      play_unchecked(rules, game, placement);
      if (outcome.pieces % report_every == 0) add_atomically(batch.pieces_done, report_every);
    }
    add_atomically(batch.pieces_done, outcome.pieces % report_every);
    batch.outcomes[number] = outcome;
    if (outcome.termination == Termination::interrupted) return;
    add_atomically(batch.games_done, 1);
  }
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
