// Our strongest search within a time limit: first a proof, if one is near; then short beams, and annealing or policy
// adaptation on every thread. Without a limit it ends with a wide beam.
#pragma once

#include <memory>

#include "../threads.hpp"
#include "annealing.hpp"
#include "beam.hpp"
#include "best_first.hpp"
#include "monte_carlo.hpp"

namespace blockfall::search {

// Depth-first branch and bound: the child that could earn the most goes first, and branches that cannot beat the best
// solution so far are cut. Exact if the heuristic is admissible.
template <Problem P>
class BranchAndBound {
 public:
  BranchAndBound(Run<P>& run, int64_t max_expanded) : run_(run), seen_(run.memory()), last_(max_expanded) {}

  // Whether it ran to its end. It takes at most half of the time, leaving the rest for searches without a proof, and
  // follows no line longer than the machine's stack.
  bool search() {
    dive(run_.problem.start(), 0, no_node);
    return !gave_up_;
  }

 private:
  using State = typename P::State;
  using Action = typename P::Action;
  static constexpr size_t max_depth = 10'000;
  struct Child {
    State state;
    double g, f;
    Action action;
  };

  void dive(const State& state, double g, uint32_t parent) {
    P& problem = run_.problem;
    if (problem.is_goal(state)) return run_.offer(state, g, path_);
    const double time_s = run_.control.limits.time_s;
    gave_up_ |=
        run_.expanded >= last_ || path_.size() >= max_depth || (time_s > 0 && run_.control.seconds() > time_s / 2);
    if (gave_up_) return;
    const auto node = uint32_t(run_.expanded);
    run_.expanding({node, parent, int32_t(path_.size()), path_.empty() ? Action{} : path_.back(), g,
                    run_.settings.trace ? problem.heuristic(state) : 0},
                   state);
    std::vector<Action> actions;
    problem.actions(state, actions);
    run_.generated += int64_t(actions.size());
    Vector<Child> children{CountedAllocator<Child>(run_.memory())};
    for (const Action& action : actions) {
      Step<State> step = problem.result(state, action);
      const double earned = g + step.reward;
      if (!seen_.improves(problem.hash(step.state), earned)) continue;
      const double f = earned + (problem.is_goal(step.state) ? 0 : problem.heuristic(step.state));
      if (run_.better(f)) children.push_back({std::move(step.state), earned, f, action});
    }
    std::stable_sort(children.begin(), children.end(), [](const Child& a, const Child& b) { return a.f > b.f; });
    for (const Child& child : children) {
      if (!run_.better(child.f)) return;  // nor do those after it
      path_.push_back(child.action);
      dive(child.state, child.g, node);
      path_.pop_back();
    }
  }

  Run<P>& run_;
  Seen seen_;
  int64_t last_;
  bool gave_up_ = false;
  std::vector<Action> path_;
};

// One long search in the time left, and more if it ends early: annealing, or policy adaptation if a change would break
// the moves after it. Without a move there is nothing to improve.
template <Problem P>
void improve_until_stopped(Run<P>& run, uint64_t seed) {
  if (Walk<P>(run.problem).moves() == 0) return;
  if constexpr (moves_keep_their_meaning<P>) {
    Annealing<P> search(run, seed);
    for (;;) search.search(10'000'000);
  } else {
    constexpr int level = 4;
    PolicyAdaptation<P> search(run, seed);
    if (run.control.limits.time_s > 0) search.fit_iterations(level);
    for (;;) search.search(level);
  }
}

// Threads that do the same beside the search until it ends, and their solutions.
template <Problem P>
class Helpers {
 public:
  Helpers(Run<P>& run, int count) : run_(run) {
    for (int i = 0; i < count; ++i)
      runs_.push_back(std::make_unique<Run<P>>(run.problem, run.settings, run.control, false));
    for (int i = 0; i < count; ++i)
      threads_.start([this, i] {
        try {
          improve_until_stopped(*runs_[size_t(i)], run_.settings.seed + 1 + uint64_t(i));
        } catch (const Stopped&) {
        }
      });
  }
  Helpers(const Helpers&) = delete;
  ~Helpers() {
    run_.control.dismiss_helpers();
    threads_.join();
    for (const auto& helper : runs_) {
      run_.expanded += helper->expanded;
      run_.generated += helper->generated;
      const auto& best = helper->best;
      if (best.found && run_.better(best.total))
        run_.best.found = true, run_.best.total = best.total, run_.best.points = best.points,
        run_.best.path = best.path, run_.best.improvements.push_back(best.improvements.back());
    }
  }

 private:
  Run<P>& run_;
  std::vector<std::unique_ptr<Run<P>>> runs_;
  Threads threads_;
};

// Whether `search` ran to its end. One that runs out of memory is given up: what follows needs less.
template <class Search>
bool ends_in_memory(const Search& search) {
  try {
    return search();
  } catch (const Stopped& stopped) {
    if (stopped.by != StoppedBy::memory) throw;
    return false;
  }
}

// Whether the search is over: the optimum is proved, or there is no solution. It tries what the problem's traits allow,
// and leaves part of the limits for searches without a proof.
template <Problem P>
bool proved(Run<P>& run, const Traits& traits) {
  if (traits.acyclic && traits.admissible) {
    if (!ends_in_memory([&] { return BranchAndBound<P>(run, traits.proof_nodes).search(); })) return false;
    run.prove(RestsOn::admissible);
    return run.best.optimal;
  }
  BestFirst kind{.most_share = 0.75};
  RestsOn on = RestsOn::admissible;
  if (traits.unit_cost && !traits.admissible)
    kind.key = BestFirst::Key::depth, on = RestsOn::unit_cost;
  else if (!traits.admissible && traits.costs_only && !traits.acyclic)
    kind.of_h = 0, on = RestsOn::costs_only;
  else if (!traits.admissible)
    return false;
  if (run.limited() && !run.settings.trace && on == RestsOn::admissible)  // a solution to begin with
    ends_in_memory([&] { return BestFirstSearch<P>(run, {.of_g = 0, .most_share = 0.05}).search(); });
  if (!ends_in_memory([&] { return BestFirstSearch<P>(run, kind).search(); })) return false;
  run.prove(on);
  return true;
}

template <Problem P>
void best(Run<P>& run) {
  const Traits traits = run.traits();
  if (proved(run, traits)) return;
  const Limits& limits = run.control.limits;
  const bool alone = limits.nodes > 0 || run.settings.trace;  // node counts and traces need one thread
  const Helpers<P> helpers(run, alone ? 0 : run.settings.threads - 1);
  constexpr double beams_share = 0.05;  // of the limits
  const bool limited = run.limited();
  for (size_t width = 1 << 8; width <= 1 << 18 && !(limited && run.share_spent() > beams_share); width *= 2) {
    const auto beam = [&] { return Beam<P>(run).search(width); };
    if ((limited ? ends_in_memory(beam) : beam()) && traits.acyclic) {
      return run.prove(RestsOn::nothing);
    }
  }
  if (limited) improve_until_stopped(run, run.settings.seed);
}

}  // namespace blockfall::search
