// Every algorithm by name. To add one, write it for any Problem and name it here.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "annealing.hpp"
#include "beam.hpp"
#include "best.hpp"
#include "best_first.hpp"
#include "bidirectional.hpp"
#include "climbing.hpp"
#include "depth_first.hpp"
#include "memory_bounded.hpp"
#include "monte_carlo.hpp"
#include "uct.hpp"

namespace blockfall::search {

struct AlgorithmFacts {
  const char* name;
  const char* title;
  const char* textbook;  // its name in textbooks
  const char* promise;   // what holds for its solution
  const char* source;
  const char* skip_seen;  // whether it skips states seen before: "optional", "always" or "never"
  bool undoes = false;    // needs moves that can be undone
};

template <Problem P>
struct Algorithm {
  AlgorithmFacts facts;
  void (*search)(Run<P>&);
};

template <Problem P>
inline constexpr Algorithm<P> algorithms[] = {
    {{"depth-first", "the first move again and again, back only from dead ends", "depth-first search",
      "some solution, in little memory", "feup2016; ist2015, procura-pp", "optional"},
     depth_first<P>},
    {{"breadth-first", "the fewest moves", "breadth-first search",
      "the fewest moves; the optimum if every step costs the same", "feup2016", "optional"},
     breadth_first<P>},
    {{"uniform-cost", "the largest g first: the least paid so far", "uniform-cost search (Dijkstra)",
      "the optimum if no step earns", "Dijkstra 1959", "optional"},
     uniform_cost<P>},
    {{"iterative-deepening", "the fewest moves in little memory", "iterative deepening depth-first search",
      "the fewest moves, in memory that grows only with the depth", "feup2016; Korf 1985", "never"},
     iterative_deepening<P>},
    {{"bidirectional", "uniform cost from both ends until they meet", "bidirectional search",
      "the optimum if no step earns, with far fewer nodes", "Pohl 1971", "always", true},
     bidirectional<P>},
    {{"brute-force", "every state once", "exhaustive search", "the optimum, after visiting every state", "feup2016",
      "optional"},
     brute_force<P>},
    {{"greedy", "the move that earns the most now", "greedy search by reward", "some solution, soon", "feup2016",
      "optional"},
     greedy<P>},
    {{"maxmin", "the move with the most certain points: its own and those sure on the next board",
      "greedy search by a lower bound", "some solution, soon", "feup2016", "optional"},
     maxmin<P>},
    {{"greedy-best-first", "the largest h first", "greedy best-first search", "some solution, often soon",
      "Doran and Michie 1966", "optional"},
     greedy_best_first<P>},
    {{"a-star", "the largest f = g + h first; exact if h is admissible", "A* search", "the optimum if h is admissible",
      "feup2016, goal 0; Hart, Nilsson and Raphael 1968", "optional"},
     a_star<P>},
    {{"weighted-a-star", "A* with f = g + w h", "weighted A* search",
      "at most w times the least cost, if h is admissible and no step earns", "Pohl 1970", "optional"},
     weighted_a_star<P>},
    {{"a-star-goal-h", "A* that adds h to final boards: faster, not exact", "A* search, goal h", "some solution",
      "feup2016, goal h; ist2015, procura-A*", "optional"},
     a_star_goal_h<P>},
    {{"ist-best", "a-star-goal-h without the children worse than their mean", "A* search, pruned",
      "some solution, or none if the mean misleads", "ist2015, procura-best", "optional"},
     ist_best<P>},
    {{"ida-star", "depth-first within a bound on f that falls until it admits a goal", "IDA* search",
      "the optimum if h is admissible, in memory that grows only with the depth", "Korf 1985", "never"},
     ida_star<P>},
    {{"rbfs", "down the most promising branch, and back when another promises more", "recursive best-first search",
      "the optimum if h is admissible, in memory that grows only with the depth", "Korf 1993", "never"},
     recursive_best_first<P>},
    {{"beam", "the most promising states of each layer", "beam search",
      "some solution; the optimum if no state was dropped and none can recur", "Billings 2007, for SameGame", "always"},
     beam<P>},
    {{"hill-climbing", "changes to a whole sequence of moves that make it no worse; a new one at a peak",
      "hill climbing with random restarts", "better solutions the longer it runs", "Russell and Norvig, ch. 4",
      "never"},
     hill_climbing<P>},
    {{"tabu", "the best of several changes to a whole sequence of moves, but not back to a recent one", "tabu search",
      "better solutions the longer it runs", "Glover 1986", "never"},
     tabu<P>},
    {{"annealing", "simulated annealing of a whole sequence of moves", "simulated annealing",
      "better solutions the longer it runs", "Kirkpatrick, Gelatt and Vecchi 1983", "never"},
     annealing<P>},
    {{"uct", "a tree of moves that grows where playouts earn the most", "Monte-Carlo tree search (UCT)",
      "better solutions the longer it runs", "Kocsis and Szepesvari 2006", "never"},
     uct<P>},
    {{"nmcs", "nested Monte-Carlo search", "nested Monte-Carlo search", "better solutions the longer it runs",
      "Cazenave 2009", "never"},
     nmcs<P>},
    {{"nrpa", "nested rollout policy adaptation", "nested rollout policy adaptation",
      "better solutions the longer it runs", "Rosin 2011; Cazenave 2016, for SameGame", "never"},
     nrpa<P>},
    {{"best",
      "the strongest within the time limit: a proof if one is near, short beams, and annealing or nrpa on every thread",
      "a portfolio of searches", "the optimum if a proof is near, else the best it can find", "Blockfall", "always"},
     best<P>},
};

// Runs the algorithm to its end or to a limit. If a limit comes before any solution, a greedy one is given instead.
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
    run.withdraw_if_contradicted();
  } catch (const Stopped& stopped) {
    run.best.optimal = false;
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
      way_out.best.ties = run.best.ties;
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
