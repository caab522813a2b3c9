// One run of an algorithm on a problem: what it counts, what it has found, and when it must stop.
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
  int32_t width = 1000;      // beam: boards kept of each layer
  int32_t diversity = 0;     // beam: children kept of one parent; 0: all
  int32_t level = 0;         // nmcs and nrpa: how deep searches are nested; 0: the algorithm's own
  int32_t iterations = 50;   // nrpa: of each level
  double weight = 2;         // weighted A*: of the heuristic
  int32_t sequences = 1;     // annealing: those that cool down side by side
  double hot = 0, cold = 0;  // annealing: the first and the last temperature, in what it measures them in
  double waiting = 0;        // annealing: the chance that a move which cannot be made waits in its sequence
  std::optional<Ties> ties;
  std::optional<bool> remembers;
  bool trace = false;
};

inline constexpr uint32_t no_node = ~0u;
inline constexpr size_t max_trace = 1'000'000;

template <class Action>
struct Expansion {
  uint32_t node, parent;  // numbers that tell nodes apart; the root's parent is no_node
  int32_t depth;
  Action action;  // that led here; the root's means nothing
  double g, h;
  double key = 0;         // of an open node: the larger goes first
  bool backward = false;  // from a goal: the action leads from here to the parent
};

// What a proof rests on besides the search: what the problem says of itself.
enum class RestsOn : uint8_t { nothing, admissible, unit_cost, costs_only };

// A solution better than those before it, and what it took.
struct Improvement {
  int64_t expanded;
  double seconds, points;
};

// An open node that was left out: final, or a state that was met before.
struct Dropped {
  uint32_t node, before;  // so many nodes had been expanded
};

template <class Action>
struct Solution {
  bool found = false;
  bool optimal = false;
  bool fallback = false;  // a limit came before any solution of the algorithm's own: this is the greedy way out
  double points = 0, total = 0;
  std::vector<Action> path;
  int64_t expanded = 0, generated = 0, peak_bytes = 0;
  double seconds = 0;
  StoppedBy stopped_by = StoppedBy::finished;
  std::vector<Expansion<Action>> trace;
  std::vector<Expansion<Action>> opened;  // with the trace, of searches that keep a list of open nodes
  std::vector<Dropped> dropped;
  Ties ties = Ties::first;  // of the open nodes
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
    if (settings.remembers) t.remembers = *settings.remembers;
    return t;
  }

  // Whether a limit that every search can be measured by will end it.
  bool limited() const { return control.limits.time_s > 0 || control.limits.nodes > 0; }
  double share_spent() const {
    double share = 0;
    if (control.limits.time_s > 0) share = control.seconds() / control.limits.time_s;
    if (control.limits.nodes > 0) share = std::max(share, double(expanded) / double(control.limits.nodes));
    return std::min(share, 1 - 1e-9);
  }

  // Before the children of a state are made; `at` is the state, or a walk or position that has it.
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
  // When a node goes onto the list of open ones.
  void opening(const Expansion<Action>& node) {
    if (!settings.trace || best.opened.size() >= max_trace) return;
    memory().take(sizeof node);
    best.opened.push_back(node);
  }
  // When one leaves it without being expanded.
  void dropping(uint32_t node) {
    if (!settings.trace || best.dropped.size() >= max_trace) return;
    memory().take(sizeof(Dropped));
    best.dropped.push_back({node, uint32_t(expanded)});
  }
  // Before a playout's next move is chosen.
  template <class Walk>
  void stepping(Walk& walk) {
    generated += int64_t(walk.moves());
    const auto node = uint32_t(expanded);
    const double h = settings.trace ? problem.heuristic(walk.state()) : 0;
    const auto& path = walk.path();
    expanding({node, walk.node, int32_t(path.size()), path.empty() ? Action{} : path.back(), walk.earned(), h}, walk);
    walk.node = node;
  }

  // Between playouts: one whose start has no moves never steps, and would never meet a limit.
  void look_at_limits() { control.check(polls_); }

  bool better(double total) const { return !best.found || total > best.total; }

  // A path to a goal.
  template <class Path>
  void offer(const State& goal, double total, const Path& path) {
    if (!better(total)) return;
    best.found = true;
    best.total = total;
    best.points = problem.points(goal, total);
    best.path.assign(path.begin(), path.end());
    best.improvements.push_back({expanded, control.seconds(), best.points});
  }

  // Claims that nothing better exists, if the problem says what the claim rests on.
  void prove(RestsOn on) {
    const Traits says = problem.traits();
    best.optimal = best.found && (on == RestsOn::nothing || (on == RestsOn::admissible && says.admissible) ||
                                  (on == RestsOn::unit_cost && says.unit_cost) ||
                                  (on == RestsOn::costs_only && (says.costs_only || says.unit_cost)));
    rests_on = on;
  }

  // Withdraws a claim that the solution's own steps contradict: what the problem says of itself is then not true.
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
