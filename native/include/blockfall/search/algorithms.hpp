// Every algorithm by name: to add one, write it over a Problem and name it here.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "annealing.hpp"
#include "beam.hpp"
#include "best.hpp"
#include "best_first.hpp"
#include "depth_first.hpp"
#include "monte_carlo.hpp"

namespace blockfall::search {

struct AlgorithmFacts {
  const char* name;
  const char* title;
  const char* source;
  const char* table;  // of states met before: "optional", "always" or "never"
};

template <Problem P>
struct Algorithm {
  AlgorithmFacts facts;
  void (*search)(Run<P>&);
};

template <Problem P>
inline constexpr Algorithm<P> algorithms[] = {
    {{"depth-first", "the first move again and again, back only from dead ends", "feup2016; ist2015, procura-pp",
      "optional"},
     depth_first<P>},
    {{"breadth-first", "the fewest moves", "feup2016", "optional"}, breadth_first<P>},
    {{"iterative-deepening", "the fewest moves in little memory", "feup2016", "never"}, iterative_deepening<P>},
    {{"brute-force", "every state once: the optimum", "feup2016", "optional"}, brute_force<P>},
    {{"greedy", "the move that earns most now", "feup2016", "optional"}, greedy<P>},
    {{"maxmin", "the move that makes most certain: what it earns and what the board then holds", "feup2016",
      "optional"},
     maxmin<P>},
    {{"a-star", "the largest f = g + h first; exact where h is admissible", "feup2016, goal 0", "optional"}, a_star<P>},
    {{"a-star-goal-h", "A* that ranks final boards with their h too: faster, not exact",
      "feup2016, goal h; ist2015, procura-A*", "optional"},
     a_star_goal_h<P>},
    {{"ist-best", "the same, but of a node's children only those not worse than their mean", "ist2015, procura-best",
      "optional"},
     ist_best<P>},
    {{"beam", "the most promising states of each layer", "Billings 2007, for SameGame", "always"}, beam<P>},
    {{"nmcs", "nested Monte-Carlo search", "Cazenave 2009", "never"}, nmcs<P>},
    {{"nrpa", "nested rollout policy adaptation", "Rosin 2011; Cazenave 2016, for SameGame", "never"}, nrpa<P>},
    {{"annealing", "simulated annealing of a whole sequence of moves", "Kirkpatrick, Gelatt and Vecchi 1983", "never"},
     annealing<P>},
    {{"best",
      "the strongest within the time limit: branch and bound, short beams, and annealing or nrpa on every thread",
      "Blockfall", "always"},
     best<P>},
};

// Runs the algorithm to its end or to a limit. Where a limit came before any solution, the first one at hand is given.
template <Problem P>
Solution<typename P::Action> solve(P& problem, std::string_view name, const Settings& settings,
                                   std::function<bool()> poll) {
  Control control(settings.limits, std::move(poll));
  if constexpr (requires { problem.count_in(control.memory); }) problem.count_in(control.memory);
  Run<P> run(problem, settings, control);
  const auto* algorithm = std::begin(algorithms<P>);
  while (algorithm != std::end(algorithms<P>) && name != algorithm->facts.name) ++algorithm;
  if (algorithm == std::end(algorithms<P>)) throw std::invalid_argument("no such algorithm");
  try {
    algorithm->search(run);
  } catch (const Stopped& stopped) {
    control.stop(stopped.by);
  }
  if (!run.best.found && control.stopped_by() != StoppedBy::finished) {
    Settings in_short;
    in_short.limits.nodes = 2000;
    if (problem.traits().slow) in_short.limits.time_s = 1;
    Control last(in_short.limits, {});
    if constexpr (requires { problem.count_in(last.memory); }) problem.count_in(last.memory);
    Run<P> way_out(problem, in_short, last);
    try {
      greedy(way_out);
    } catch (const Stopped&) {
    }
    if (way_out.best.found) {
      way_out.best.trace = std::move(run.best.trace);
      way_out.best.opened = std::move(run.best.opened);
      way_out.best.dropped = std::move(run.best.dropped);
      run.best = std::move(way_out.best);
      run.best.fallback = true;
    }
  }
  auto& solution = run.best;
  if (solution.found && solution.path.empty() && problem.traits().acyclic) solution.optimal = true;  // no move to make
  solution.expanded = run.expanded;
  solution.generated = run.generated;
  solution.seconds = control.seconds();
  solution.peak_bytes = control.memory.peak();
  solution.stopped_by = control.stopped_by();
  return solution;
}

}  // namespace blockfall::search
