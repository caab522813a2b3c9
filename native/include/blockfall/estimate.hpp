// Estimates of the length of games that are too long to play, by multilevel splitting (Allen, Frenkel & ten Wolde 2006,
// "forward flux sampling").
//
// A strong player may lose once in a hundred million pieces, but it loses step by step: the stack grows row by row. One
// long game tells how often its tallest column rises above its usual height. From the boards of those moments, many
// games continue with pieces of their own until they have fallen back or are a row higher. From the higher boards, many
// games continue again, and so on until they are lost. The product of the chances of all rows is the chance that a rise
// ends in a loss, and no game has to be played for long.
#pragma once

#include "dispatch.hpp"

namespace blockfall {

inline constexpr int64_t max_tries = 20'000;  // some megabytes of games

// Whether games have no memory: the same board has the same future at any time, and pieces are random.
bool can_be_estimated(const Rules& rules);

// Fills the batch's outcomes as `play` does, but with an estimate for each game: the mean pieces and lines of a game.
// `tries` games continue from each row.
void estimate(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, int64_t tries, int threads,
              const std::function<bool()>& poll);

}  // namespace blockfall
