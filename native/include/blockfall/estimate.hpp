// Estimates of how long games last that are too long to play. Physicists simulate rare events in this way: forward flux
// sampling, a kind of multilevel splitting (Allen, Frenkel & ten Wolde 2006).
//
// A strong player loses once in a hundred million pieces, but it loses step by step: the board grows row by row. One
// long game tells how often its tallest column rises above its usual height. From the boards of those moments many
// games continue, each with pieces of its own, until they have fallen back or are a row higher. From the boards that
// came higher many games continue again, until they are lost. The product of the chances of all rows is the chance that
// a rise ends in a loss, and no game was played for long.
#pragma once

#include "dispatch.hpp"

namespace blockfall {

inline constexpr int64_t max_tries = 20'000;  // some megabytes of games

// Whether games have no memory: at any time the same board has the same future, and pieces come by chance.
bool can_be_estimated(const Rules& rules);

// Fills the batch's outcomes as `play` does, with an estimate instead of each game: the mean pieces and lines of a
// game. `tries` games continue from each row.
void estimate(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, int64_t tries, int threads,
              const std::function<bool()>& poll);

}  // namespace blockfall
