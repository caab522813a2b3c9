// How long games last, without waiting for their end: multilevel splitting, as rare events are simulated in physics
// (forward flux sampling: Allen, Frenkel & ten Wolde 2006).
//
// A strong player loses once in a hundred million pieces, but it does so by steps: on the way to a loss the board grows
// row by row. One long game tells how often its tallest column rises over its usual height. From the boards of those
// moments many games go on, each with pieces of its own, until they have fallen back or stand a row higher; from the
// boards that came higher many go on again, and so on until the games are lost. The chances of all rows, multiplied,
// are the chance that a rise ends in a loss, though no game was played for long.
#pragma once

#include "dispatch.hpp"

namespace blockfall {

inline constexpr int64_t max_tries = 20'000;  // some megabytes of games

// Whether a game is as likely to go on in the same way at any time, and by other pieces.
bool can_be_estimated(const Rules& rules);

// Fills the batch's outcomes as `play` does, with an estimate in place of each game: the pieces and lines that a game
// has in the mean. `tries` games go on from each row.
void estimate(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, int64_t tries, int threads,
              const std::function<bool()>& poll);

}  // namespace blockfall
