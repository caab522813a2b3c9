// One run of an algorithm on a problem: its counters, its best solution and its limits.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "limits.hpp"
#include "problem.hpp"

namespace blockfall::search {

struct Settings {
  Limits limits;
  uint64_t seed = 0;
  int32_t threads = 1;
  int32_t width = 1000;      // beam: states kept of each layer
  int32_t diversity = 0;     // beam: children kept of each parent; 0: all
  int32_t level = 0;         // nmcs and nrpa: nesting depth; 0: the algorithm's default
  int32_t iterations = 50;   // nrpa: iterations of each level
  double weight = 2;         // weighted A*: the heuristic's factor
  int32_t sequences = 1;     // annealing: sequences that cool side by side
  double hot = 0, cold = 0;  // annealing: the first and last temperature, in its own unit
  double waiting = 0;        // annealing: the chance that an impossible move stays in its sequence
  std::optional<Ties> ties;
  std::optional<bool> skip_seen;
  bool trace = false;
};

inline constexpr uint32_t no_node = ~0u;
inline constexpr size_t max_trace = 1'000'000;

template <class Action>
struct Expansion {
  uint32_t node, parent;  // unique numbers; the root's parent is no_node
  int32_t depth;
  Action action;  // the action that led here; meaningless at the root
  double g, h;
  double key = 0;         // for an open node: larger goes first
  bool backward = false;  // reached from a goal: the action leads from here to the parent
};

// The problem's own claim that a proof relies on.
enum class RestsOn : uint8_t { nothing, admissible, unit_cost, costs_only };

// A solution better than all before it, and its cost.
struct Improvement {
  int64_t expanded;
  double seconds, points;
};

// An open node dropped without being expanded: a goal, or a state seen before.
struct Dropped {
  uint32_t node, before;  // `before`: nodes expanded by then
};

template <class Action>
struct Solution {
  bool found = false;
  bool optimal = false;
  bool fallback = false;  // a limit came before any solution: this is a greedy one
  double points = 0, total = 0;
  std::vector<Action> path;
  int64_t expanded = 0, generated = 0, peak_bytes = 0;
  double seconds = 0;
  StoppedBy stopped_by = StoppedBy::finished;
  std::vector<Expansion<Action>> trace;
  std::vector<Expansion<Action>> opened;  // kept with the trace, by searches with an open list
  std::vector<Dropped> dropped;
  Ties ties = Ties::first;  // how open nodes are ordered
  std::vector<Improvement> improvements;
};

template <Problem P>
class Run {
 public:
  using State = typename P::State;
  using Action = typename P::Action;

  Run(P& problem, const Settings& settings, Control& control, bool polls = true)
      : problem(problem),
        settings(settings),
        control(control),
        polls_(polls),
        check_mask_(problem.traits().slow ? 0 : 63) {}

  P& problem;
  const Settings& settings;
  Control& control;
  int64_t expanded = 0, generated = 0;
  Solution<Action> best;
  RestsOn rests_on = RestsOn::nothing;

  Memory& memory() { return control.memory; }
  Traits traits() {
    Traits t = problem.traits();
    if (settings.ties) t.ties = *settings.ties;
    if (settings.skip_seen) t.skip_seen = *settings.skip_seen;
    return t;
  }

  // Whether a time or node limit will end the search.
  bool limited() const { return control.limits.time_s > 0 || control.limits.nodes > 0; }
  double share_spent() const {
    double share = 0;
    if (control.limits.time_s > 0) share = control.seconds() / control.limits.time_s;
    if (control.limits.nodes > 0) share = std::max(share, double(expanded) / double(control.limits.nodes));
    return std::min(share, 1 - 1e-9);
  }

  // Called before a state's children are made; `at` is the state, or a walk or position that has it.
  void expanding(const Expansion<Action>& node, const auto& at) {
    if (control.limits.nodes > 0 && expanded >= control.limits.nodes) {
      control.stop(StoppedBy::nodes);
      throw Stopped{StoppedBy::nodes};
    }
    if ((expanded++ & check_mask_) == 0) control.check(polls_);
    if (settings.trace && best.trace.size() < max_trace) {
      memory().take(sizeof node);
      best.trace.push_back(node);
      if constexpr (requires { problem.note(at); })
        problem.note(at);
      else if constexpr (requires { problem.note(at.state()); })
        problem.note(at.state());
    }
  }
  // Called when a node joins the open list.
  void opening(const Expansion<Action>& node) {
    if (!settings.trace || best.opened.size() >= max_trace) return;
    memory().take(sizeof node);
    best.opened.push_back(node);
  }
  // Called when a node leaves the open list without being expanded.
  void dropping(uint32_t node) {
    if (!settings.trace || best.dropped.size() >= max_trace) return;
    memory().take(sizeof(Dropped));
    best.dropped.push_back({node, uint32_t(expanded)});
  }
  // Called before a playout's next move is chosen.
  template <class Walk>
  void stepping(Walk& walk) {
    generated += int64_t(walk.moves());
    const auto node = uint32_t(expanded);
    const double h = settings.trace ? problem.heuristic(walk.state()) : 0;
    const auto& path = walk.path();
    expanding({node, walk.node, int32_t(path.size()), path.empty() ? Action{} : path.back(), walk.earned(), h}, walk);
    walk.node = node;
  }

  // Called between playouts: one whose start has no moves never steps, so it would never meet a limit.
  void look_at_limits() { control.check(polls_); }

  bool better(double total) const { return !best.found || total > best.total; }

  // Offers a path to a goal.
  template <class Path>
  void offer(const State& goal, double total, const Path& path) {
    if (!better(total)) return;
    best.found = true;
    best.total = total;
    best.points = problem.points(goal, total);
    best.path.assign(path.begin(), path.end());
    best.improvements.push_back({expanded, control.seconds(), best.points});
  }

  // Claims optimality if the problem makes the claim that the proof relies on.
  void prove(RestsOn on) {
    const Traits says = problem.traits();
    best.optimal = best.found && (on == RestsOn::nothing || (on == RestsOn::admissible && says.admissible) ||
                                  (on == RestsOn::unit_cost && says.unit_cost) ||
                                  (on == RestsOn::costs_only && (says.costs_only || says.unit_cost)));
    rests_on = on;
  }

  // Withdraws the claim if the solution's own steps contradict what the problem says of itself.
  void withdraw_if_contradicted() {
    if (!best.optimal || rests_on == RestsOn::nothing) return;
    const double slack = 1e-9 * std::max(1.0, std::abs(best.total));
    State state = problem.start();
    double g = 0, first = 0;
    for (size_t i = 0; i < best.path.size() && best.optimal; ++i) {
      if (rests_on == RestsOn::admissible) best.optimal = g + problem.heuristic(state) >= best.total - slack;
      Step<State> step = problem.result(state, best.path[i]);
      if (i == 0) first = step.reward;
      if (rests_on == RestsOn::unit_cost) best.optimal = step.reward == first && step.reward <= 0;
      if (rests_on == RestsOn::costs_only) best.optimal = step.reward <= 0;
      g += step.reward;
      state = std::move(step.state);
    }
  }

 private:
  const bool polls_;
  const int64_t check_mask_;
};

}  // namespace blockfall::search
