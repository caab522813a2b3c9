// Searches as exact as A*, in memory that grows only with the depth: IDA* (Korf 1985) and recursive best-first search
// (Korf 1993). A branch may be longer than the machine's stack, so each keeps its own.
#pragma once

#include <algorithm>
#include <limits>

#include "branch.hpp"

namespace blockfall::search {

inline constexpr double none_left = -std::numeric_limits<double>::infinity();

// Depth-first where f is at least a bound, which falls to the largest f that was cut off.
template <Problem P>
class IdaStar {
 public:
  explicit IdaStar(Run<P>& run) : run_(run), branch_(run), stack_(CountedAllocator<Frame>(run.memory())) {}

  void search() {
    const State start = run_.problem.start();
    if (run_.problem.is_goal(start)) return run_.offer(start, 0, branch_.actions());
    for (bound_ = run_.problem.heuristic(start);; bound_ = cut_) {
      cut_ = none_left;
      if (dive(start) || cut_ == none_left) return;
    }
  }

 private:
  using State = typename P::State;
  using Action = typename P::Action;
  struct Frame {
    State state;
    double g;
    uint32_t number;
    Vector<Action> actions;
    size_t next;
  };

  // Whether a goal was found.
  bool dive(const State& start) {
    P& problem = run_.problem;
    branch_.begin(problem, start);
    push(start, 0, no_node);
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next == top.actions.size()) {
        stack_.pop_back();
        branch_.back();
        continue;
      }
      const Action action = top.actions[top.next++];
      Step<State> step = problem.result(top.state, action);
      const double g = top.g + step.reward;
      const bool goal = problem.is_goal(step.state);
      if (const double f = g + (goal ? 0 : problem.heuristic(step.state)); f < bound_) {
        cut_ = std::max(cut_, f);
        continue;
      }
      if (branch_.holds(problem, step.state)) continue;
      const uint32_t parent = top.number;
      branch_.go(problem, action, step.state);
      if (goal) {
        run_.offer(step.state, g, branch_.actions());
        return true;
      }
      push(step.state, g, parent);
    }
    return false;
  }

  void push(const State& state, double g, uint32_t parent) {
    const uint32_t number = made_++;
    run_.expanding({number, parent, int32_t(stack_.size()), branch_.last(), g,
                    run_.settings.trace ? run_.problem.heuristic(state) : 0},
                   state);
    run_.problem.actions(state, actions_);
    run_.generated += int64_t(actions_.size());
    stack_.push_back(
        {state, g, number, {actions_.begin(), actions_.end(), CountedAllocator<Action>(run_.memory())}, 0});
  }

  Run<P>& run_;
  Branch<P> branch_;
  Vector<Frame> stack_;
  std::vector<Action> actions_;
  double bound_ = 0, cut_ = 0;
  uint32_t made_ = 0;
};

template <Problem P>
void ida_star(Run<P>& run) {
  IdaStar<P>(run).search();
  run.prove(RestsOn::admissible);
}

// Follows the most promising branch while no other is better. On the way back it notes what the branch is worth
// now, and forgets the rest.
template <Problem P>
class RecursiveBestFirst {
 public:
  explicit RecursiveBestFirst(Run<P>& run) : run_(run), branch_(run), stack_(CountedAllocator<Frame>(run.memory())) {}

  void search() {
    P& problem = run_.problem;
    const State start = problem.start();
    if (problem.is_goal(start)) return run_.offer(start, 0, branch_.actions());
    branch_.begin(problem, start);
    push(start, 0, problem.heuristic(start), none_left, no_node);
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      size_t best = 0;
      double second = none_left;
      for (size_t i = 1; i < top.children.size(); ++i) {
        const double f = top.children[i].f;
        if (f > top.children[best].f)
          second = top.children[best].f, best = i;
        else
          second = std::max(second, f);
      }
      const double f = top.children.empty() ? none_left : top.children[best].f;
      if (f < top.limit || f == none_left) {
        stack_.pop_back();
        branch_.back();
        if (!stack_.empty()) stack_.back().children[stack_.back().chosen].f = f;
        continue;
      }
      top.chosen = best;
      const Child& child = top.children[best];
      branch_.go(problem, child.action, child.state);
      if (child.goal) return run_.offer(child.state, child.g, branch_.actions());
      push(child.state, child.g, f, std::max(top.limit, second), top.number);
    }
  }

 private:
  using State = typename P::State;
  using Action = typename P::Action;
  struct Child {
    State state;
    double g, f;
    bool goal;
    Action action;
  };
  struct Frame {
    Vector<Child> children;
    double limit;  // the best promise of any other branch
    uint32_t number;
    size_t chosen;
  };

  void push(State state, double g, double f, double limit, uint32_t parent) {
    P& problem = run_.problem;
    const uint32_t number = made_++;
    run_.expanding(
        {number, parent, int32_t(stack_.size()), branch_.last(), g, run_.settings.trace ? problem.heuristic(state) : 0},
        state);
    problem.actions(state, actions_);
    run_.generated += int64_t(actions_.size());
    Frame frame{Vector<Child>(CountedAllocator<Child>(run_.memory())), limit, number, 0};
    for (const Action& action : actions_) {
      Step<State> step = problem.result(state, action);
      if (branch_.holds(problem, step.state)) continue;
      const bool goal = problem.is_goal(step.state);
      const double earned = g + step.reward;
      const double own = earned + (goal ? 0 : problem.heuristic(step.state));
      frame.children.push_back({std::move(step.state), earned, std::min(own, f), goal, action});
    }
    stack_.push_back(std::move(frame));
  }

  Run<P>& run_;
  Branch<P> branch_;
  Vector<Frame> stack_;
  std::vector<Action> actions_;
  uint32_t made_ = 0;
};

template <Problem P>
void recursive_best_first(Run<P>& run) {
  RecursiveBestFirst<P>(run).search();
  run.prove(RestsOn::admissible);
}

}  // namespace blockfall::search
