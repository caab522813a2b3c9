#include "blockfall/search/algorithms.hpp"
#include "blockfall/search/games.hpp"

namespace blockfall::search {

namespace {

template <class Game>
Solution<HopelessMove> solve_as(const HopelessBoard& board, const Scoring& scoring, const HopelessTuning& tuning,
                                const std::string& algorithm, const Settings& settings, const Poll& poll) {
  Game game(board, scoring, tuning);
  return solve(game, algorithm, settings, poll);
}

}  // namespace

Solution<HopelessMove> solve_hopeless(const HopelessBoard& board, const Scoring& scoring, const HopelessTuning& tuning,
                                      const std::string& algorithm, const Settings& settings, const Poll& poll) {
  int colours = 0;
  for (uint8_t cell : board.cells) colours = std::max<int>(colours, cell);
  // Choose the smallest type that holds the board, since states are copied all the time.
  if (board.rows > 16 || colours > 5)
    return solve_as<Hopeless<uint32_t, 32, 9>>(board, scoring, tuning, algorithm, settings, poll);
  if (board.columns > 16) return solve_as<Hopeless<uint16_t, 32, 5>>(board, scoring, tuning, algorithm, settings, poll);
  return solve_as<Hopeless<uint16_t, 16, 5>>(board, scoring, tuning, algorithm, settings, poll);
}

Solution<IstTetris::Action> solve_ist_tetris(IstTetris& problem, const std::string& algorithm, const Settings& settings,
                                             const Poll& poll) {
  return solve(problem, algorithm, settings, poll);
}

}  // namespace blockfall::search
