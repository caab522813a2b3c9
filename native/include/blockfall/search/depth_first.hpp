// Searches that follow one branch at a time: depth-first, greedy, MaxMin and iterative deepening.
#pragma once

#include <algorithm>

#include "branch.hpp"
#include "seen.hpp"

namespace blockfall::search {

// The child to try first: by the order of actions, by reward (greedy), or by reward plus the points that the child's
// board is sure to give (MaxMin; feup2016).
enum class Preference : uint8_t { order, reward, reward_and_sure };

template <Problem P>
void depth_first_by(Run<P>& run, Preference preference) {
  using State = typename P::State;
  using Action = typename P::Action;
  struct Node {
    State state;
    double g, liking;
    uint32_t number, parent;
    int32_t depth;
    Action action;
  };
  P& problem = run.problem;
  const Traits traits = run.traits();
  Vector<Node> stack{CountedAllocator<Node>(run.memory())};
  Seen seen(run.memory());
  std::vector<Action> actions, path;
  uint32_t made = 0, pushed = 0;
  const auto likes_less = [](const Node& a, const Node& b) { return a.liking < b.liking; };

  stack.push_back({problem.start(), 0, 0, made++, no_node, 0, Action{}});
  while (!stack.empty()) {
    const Node node = std::move(stack.back());
    stack.pop_back();
    path.resize(size_t(node.depth));
    if (node.depth > 0) path.back() = node.action;
    if (problem.is_goal(node.state)) {
      run.dropping(node.number);
      return run.offer(node.state, node.g, path);
    }
    if (traits.skip_seen && !seen.improves(problem.hash(node.state), 0)) {
      run.dropping(node.number);
      continue;
    }
    run.expanding({node.number, node.parent, node.depth, node.action, node.g, 0}, node.state);
    problem.actions(node.state, actions);
    run.generated += int64_t(actions.size());
    const size_t children = stack.size();
    for (const Action& action : actions) {
      Step<State> step = problem.result(node.state, action);
      double liking = preference == Preference::order ? 0 : step.reward;
      if (preference == Preference::reward_and_sure) liking += sure(problem, step.state);
      const double g = node.g + step.reward;
      stack.push_back({std::move(step.state), g, liking, made++, node.number, node.depth + 1, action});
    }
    // The stack returns the last child first.
    const auto begin = stack.begin() + std::ptrdiff_t(children);
    if (traits.ties != Ties::last) std::reverse(begin, stack.end());
    if (preference != Preference::order) std::stable_sort(begin, stack.end(), likes_less);
    for (size_t i = children; i < stack.size(); ++i)
      run.opening({stack[i].number, node.number, stack[i].depth, stack[i].action, stack[i].g, 0, double(pushed++)});
  }
}

template <Problem P>
void depth_first(Run<P>& run) {
  depth_first_by(run, Preference::order);
}

template <Problem P>
void greedy(Run<P>& run) {
  depth_first_by(run, Preference::reward);
}

template <Problem P>
void maxmin(Run<P>& run) {
  depth_first_by(run, Preference::reward_and_sure);
}

// Depth-first to depth 0, 1, 2, ... until a goal is found: breadth-first's solution without its memory.
template <Problem P>
class IterativeDeepening {
 public:
  explicit IterativeDeepening(Run<P>& run) : run_(run), branch_(run) {}

  void search() {
    const State start = run_.problem.start();
    for (int32_t depth = 0;; ++depth) {
      cut_ = false;
      branch_.begin(run_.problem, start);
      if (dive(start, 0, depth, no_node) || !cut_) return;
    }
  }

 private:
  using State = typename P::State;
  using Action = typename P::Action;

  // Whether a goal was found within `left` more steps.
  bool dive(const State& state, double g, int32_t left, uint32_t parent) {
    P& problem = run_.problem;
    if (problem.is_goal(state)) {
      run_.offer(state, g, branch_.actions());
      return true;
    }
    if (left == 0) {
      cut_ = true;
      return false;
    }
    const uint32_t number = made_++;
    run_.expanding({number, parent, branch_.depth(), branch_.last(), g, 0}, state);
    std::vector<Action> actions;
    problem.actions(state, actions);
    run_.generated += int64_t(actions.size());
    const Held held(run_.memory(), sizeof(Step<State>) + actions.capacity() * sizeof(Action));
    bool found = false;
    for (size_t i = 0; i < actions.size() && !found; ++i) {
      const Step<State> step = problem.result(state, actions[i]);
      if (branch_.holds(problem, step.state)) continue;
      branch_.go(problem, actions[i], step.state);
      found = dive(step.state, g + step.reward, left - 1, number);
      branch_.back();
    }
    return found;
  }

  Run<P>& run_;
  Branch<P> branch_;
  bool cut_ = false;
  uint32_t made_ = 0;
};

template <Problem P>
void iterative_deepening(Run<P>& run) {
  IterativeDeepening<P>(run).search();
  run.prove(RestsOn::unit_cost);
}

}  // namespace blockfall::search
