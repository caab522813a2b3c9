// The games that any algorithm can search.
#pragma once

#include <string>

#include "hopeless_play.hpp"
#include "ist_tetris.hpp"
#include "run.hpp"

namespace blockfall::search {

using Poll = std::function<bool()>;

Solution<HopelessMove> solve_hopeless(const HopelessBoard& board, const Scoring& scoring, const HopelessTuning& tuning,
                                      const std::string& algorithm, const Settings& settings, const Poll& poll);

Solution<IstTetris::Action> solve_ist_tetris(IstTetris& problem, const std::string& algorithm, const Settings& settings,
                                             const Poll& poll);

}  // namespace blockfall::search
