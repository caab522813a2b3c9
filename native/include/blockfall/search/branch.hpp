// The branch that a depth-first search is on.
#pragma once

#include <algorithm>
#include <type_traits>

#include "run.hpp"

namespace blockfall::search {

// The path from the start to a node. If a problem has cycles it knows the states on it, so that no search walks in
// circles: by their hash, or as they are if a hash would have to be kept for good.
template <Problem P>
class Branch {
 public:
  using State = typename P::State;
  using Action = typename P::Action;
  explicit Branch(Run<P>& run)
      : acyclic_(run.traits().acyclic),
        actions_(CountedAllocator<Action>(run.memory())),
        marks_(CountedAllocator<Mark>(run.memory())) {}

  const Vector<Action>& actions() const { return actions_; }
  int32_t depth() const { return int32_t(actions_.size()); }
  Action last() const { return actions_.empty() ? Action{} : actions_.back(); }

  bool holds(P& problem, const State& state) const {
    if (acyclic_) return false;
    if constexpr (remakes_states<P>)
      return std::find(marks_.begin(), marks_.end(), problem.hash(state)) != marks_.end();
    else
      return std::any_of(marks_.begin(), marks_.end(), [&](const State& mark) { return problem.same(mark, state); });
  }
  void begin(P& problem, const State& start) {
    actions_.clear(), marks_.clear();
    if (!acyclic_) mark(problem, start);
  }
  void go(P& problem, const Action& action, const State& state) {
    actions_.push_back(action);
    if (!acyclic_) mark(problem, state);
  }
  void back() {
    if (!actions_.empty()) actions_.pop_back();
    if (!acyclic_) marks_.pop_back();
  }

 private:
  using Mark = std::conditional_t<remakes_states<P>, uint64_t, State>;

  void mark(P& problem, const State& state) {
    if constexpr (remakes_states<P>)
      marks_.push_back(problem.hash(state));
    else
      marks_.push_back(state);
  }

  const bool acyclic_;
  Vector<Action> actions_;
  Vector<Mark> marks_;
};

}  // namespace blockfall::search
