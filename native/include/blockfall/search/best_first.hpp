// Searches that keep every open node and expand the most promising one: breadth-first, brute force, A* and its kin.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <type_traits>

#include "heap.hpp"
#include "kept_states.hpp"
#include "run.hpp"
#include "seen.hpp"

namespace blockfall::search {

// The differences between best-first searches.
struct BestFirst {
  enum class Key : uint8_t { f, depth, stage } key = Key::f;
  double of_g = 1, of_h = 1;      // f = of_g g + of_h h
  bool goal_keeps_h = false;      // feup2016's "goal h", and ist2015: goals keep their heuristic
  bool prune_below_mean = false;  // ist2015's procura-best: keeps children not worse than their mean
  bool exhaust = false;           // searches on after a goal until nothing is open; by default skips seen states
  double most_share = 1;          // the share of the limits it may spend before giving up
};

// An open node takes 28 bytes: its key, its parent and the action that leads to it. Its state is made again from its
// parent's when its turn comes, so only the states of expanded nodes are kept. Only one goal is kept: the others would
// come after it.
template <Problem P>
class BestFirstSearch {
 public:
  BestFirstSearch(Run<P>& run, const BestFirst& kind)
      : run_(run),
        kind_(kind),
        traits_(traits_of(run, kind)),
        goals_aside_(remakes_states<P> && !run.settings.trace && !(kind.prune_below_mean && traits_.skip_seen)),
        looks_ahead_(goals_aside_ || (kind.key == BestFirst::Key::f && kind.of_h != 0 && !kind.goal_keeps_h)),
        later_{kind.key == BestFirst::Key::f ? traits_.ties : Ties::first},
        states_(run.problem, run.memory()),
        handles_(run.memory()),
        expanded_(run.memory()),
        open_(run.memory(), later_, kind.key == BestFirst::Key::depth),
        seen_(run.memory()) {}

  // Whether it ran to its end.
  bool search() {
    run_.best.ties = later_.ties;
    try {
      if (!search_open()) {
        offer_made();
        return false;
      }
    } catch (const Stopped&) {
      offer_made();
      throw;
    }
    if (kind_.exhaust && richest_) offer(richest_->state, richest_->node);
    return true;
  }

 private:
  using State = typename P::State;
  using Action = typename P::Action;

  // The other data of an open node whose state is not made again. It is kept apart, as items in the heap move often.
  struct Nothing {};
  struct Handle {
    State state;
    Action action;
    uint64_t hash;
    double h;
    bool goal;
  };
  using OpenAction = std::conditional_t<remakes_states<P>, Action, Nothing>;

  // A double that needs no more alignment than the numbers beside it.
  struct Half {
    std::array<uint32_t, 2> words;
    Half(double value) : words(std::bit_cast<std::array<uint32_t, 2>>(value)) {}
    operator double() const { return std::bit_cast<double>(words); }
  };
  struct Open {
    Half key, g;
    uint32_t number, parent;  // the parent's place among the expanded
    [[no_unique_address]] OpenAction action;
  };
  struct Expanded {  // its state has the same number
    uint32_t number, parent;
    int32_t depth;
    Action action;
  };
  struct Child {
    State state;
    double g, h;
    uint64_t hash;
    bool goal;
    Action action;
  };
  struct Goal {
    State state;
    Open node;
  };
  struct Later {
    Ties ties;
    bool operator()(const Open& a, const Open& b) const {
      if (a.key != b.key) return a.key < b.key;
      if (ties == Ties::last) return a.number < b.number;
      if (ties == Ties::larger_g && a.g != b.g) return a.g < b.g;
      return a.number > b.number;
    }
  };

  static Traits traits_of(Run<P>& run, const BestFirst& kind) {
    Traits traits = run.traits();
    if (!run.settings.skip_seen) traits.skip_seen |= kind.exhaust;
    return traits;
  }

  // Offers goals that were made but not yet expanded: better than nothing.
  void offer_made() {
    if (richest_) offer(richest_->state, richest_->node);
    if constexpr (!remakes_states<P>)
      for (uint32_t i = 0; i < open_.size(); ++i)
        if (const Open& node = open_[i]; run_.better(node.g) && is_goal(node, handles_[node.number].state))
          offer(handles_[node.number].state, node);
  }

  // Whether it ran to its end before it had spent its share of the limits.
  bool search_open() {
    P& problem = run_.problem;
    State start = problem.start();
    const uint64_t hash = problem.hash(start);
    if (traits_.skip_seen) seen_.improves(hash, 0);
    const bool goal = looks_ahead_ && problem.is_goal(start);
    const double h = value(start, goal);
    push(Child{std::move(start), 0, h, hash, goal, Action{}}, no_node, 0);
    for (;;) {
      if (next_ && (open_.empty() || later_(open_.top(), next_->node))) {
        offer(next_->state, next_->node);
        return true;
      }
      if (open_.empty()) return true;
      if (kind_.most_share < 1 && run_.limited() && run_.share_spent() > kind_.most_share) return false;
      Open node = open_.pop();
      State state = state_of(node);
      if (traits_.skip_seen && !seen_.is_current(hash_of(node, state), standing(node.g))) {
        run_.dropping(node.number);
        continue;
      }
      if (!goals_aside_ && is_goal(node, state)) {
        run_.dropping(node.number);
        offer(state, node);
        if (!kind_.exhaust) return true;
        continue;
      }
      const bool root = node.parent == no_node;
      const int32_t depth = root ? 0 : expanded_[node.parent].depth + 1;
      const Action& action = action_of(node);
      run_.expanding({node.number, root ? no_node : expanded_[node.parent].number, depth, action, node.g,
                      run_.settings.trace ? h_of(node, state) : 0},
                     state);
      const uint32_t index = expanded_.add({node.number, node.parent, depth, action});
      if constexpr (AsksAhead<P>) ask_ahead(state, node.key);
      expand(state, node.g);
      if constexpr (remakes_states<P>) states_.add(std::move(state));
      for (Child& child : children_) push(std::move(child), index, depth + 1);
    }
  }

  // The value that a second path to a state must exceed; where depth counts, none can.
  double standing(double g) const { return kind_.key == BestFirst::Key::depth ? 0 : g; }

  // The h of a state; `goal` says whether it is one, if that is known already.
  double value(const State& state, bool goal) {
    if (kind_.key != BestFirst::Key::f || kind_.of_h == 0 || (goal && !kind_.goal_keeps_h)) return 0;
    return run_.problem.heuristic(state);
  }

  // The state of a node whose turn has come.
  bool is_goal(const Open& node, const State& state) {
    if constexpr (!remakes_states<P>)
      if (looks_ahead_) return handles_[node.number].goal;
    return run_.problem.is_goal(state);
  }

  State state_of(Open& node) {
    if constexpr (remakes_states<P>)
      return node.parent == no_node ? State(run_.problem.start())
                                    : run_.problem.result(states_[node.parent], node.action).state;
    else
      return std::move(handles_[node.number].state);
  }
  const Action& action_of(const Open& node) {
    if constexpr (remakes_states<P>)
      return node.action;
    else
      return handles_[node.number].action;
  }
  uint64_t hash_of(const Open& node, const State& state) {
    if constexpr (remakes_states<P>)
      return run_.problem.hash(state);
    else
      return handles_[node.number].hash;
  }
  double h_of(const Open& node, const State& state) {
    if constexpr (remakes_states<P>)
      return value(state, looks_ahead_ && run_.problem.is_goal(state));
    else
      return handles_[node.number].h;
  }

  // Asks for the steps of this state and of equally ranked open nodes: their turn comes unless a goal comes first.
  void ask_ahead(State& state, double key)
    requires AsksAhead<P>
  {
    constexpr uint32_t most = 1024;
    constexpr int64_t pause = 64;  // nodes to wait after too few ranked equally
    if (run_.expanded < next_ask_ || !run_.problem.may_ask(state)) return;
    near_.assign(1, &state);
    open_.show(most, [&](const Open& node) {
      if (node.key != key) return false;
      State& other = handles_[node.number].state;
      if (run_.problem.may_ask(other)) near_.push_back(&other);
      return true;
    });
    if (!run_.problem.ask(near_)) next_ask_ = run_.expanded + pause;
  }

  // Opens the children that are worth it.
  void expand(const State& state, double earned) {
    P& problem = run_.problem;
    children_.clear();
    double sum = 0;
    const auto see = [&](const Action& action, Step<State>&& step) {
      const double g = earned + step.reward;
      const uint64_t hash = traits_.skip_seen ? problem.hash(step.state) : 0;
      if (traits_.skip_seen && !seen_.improves(hash, standing(g))) return;
      const bool goal = looks_ahead_ && problem.is_goal(step.state);
      const double h = value(step.state, goal);
      sum += h;
      children_.push_back(Child{std::move(step.state), g, h, hash, goal, action});
    };
    if constexpr (GivesEdges<P>) {
      problem.edges(state, edges_);
      run_.generated += int64_t(edges_.size());
      for (auto& edge : edges_) see(edge.action, std::move(edge.step));
    } else {
      problem.actions(state, actions_);
      run_.generated += int64_t(actions_.size());
      for (const Action& action : actions_) see(action, problem.result(state, action));
    }
    if (!kind_.prune_below_mean || children_.empty()) return;
    const double mean = sum / double(children_.size());
    std::erase_if(children_, [&](const Child& child) { return child.h < mean; });
  }

  void push(Child&& child, uint32_t parent, int32_t depth) {
    double key = 0;
    switch (kind_.key) {
      case BestFirst::Key::f: key = kind_.of_g * child.g + kind_.of_h * child.h; break;
      case BestFirst::Key::depth: key = -depth; break;
      case BestFirst::Key::stage: key = -stage(run_.problem, child.state, child.g); break;
    }
    const uint32_t number = made_++;
    const uint32_t parent_number = parent == no_node ? no_node : expanded_[parent].number;
    run_.opening({number, parent_number, depth, child.action, child.g, child.h, key});
    if constexpr (remakes_states<P>) {
      const Open node{key, child.g, number, parent, child.action};
      if (goals_aside_ && child.goal)
        keep_goal(std::move(child.state), node);
      else
        open_.push(Open(node));
    } else {
      handles_.add({std::move(child.state), std::move(child.action), child.hash, child.h, child.goal});
      open_.push(Open{key, child.g, number, parent, {}});
    }
  }

  // Keeps the goal that would be expanded first, and the one that earns most, in case the search is stopped before
  // that; of equals, the one that would be expanded first.
  void keep_goal(State&& state, const Open& node) {
    if (!richest_ || node.g > richest_->node.g || (node.g == richest_->node.g && later_(richest_->node, node)))
      richest_.emplace(Goal{state, node});
    if (!kind_.exhaust && (!next_ || later_(next_->node, node))) next_.emplace(Goal{std::move(state), node});
  }

  void offer(const State& goal, const Open& node) {
    std::vector<Action> actions;
    if (node.parent != no_node) actions.push_back(action_of(node));
    for (uint32_t i = node.parent; i != no_node && expanded_[i].parent != no_node; i = expanded_[i].parent)
      actions.push_back(expanded_[i].action);
    std::reverse(actions.begin(), actions.end());
    run_.offer(goal, node.g, actions);
  }

  Run<P>& run_;
  const BestFirst kind_;
  const Traits traits_;
  const bool goals_aside_;  // goals are kept apart from the open nodes
  const bool looks_ahead_;  // a child is tested for being a goal when made, not when expanded
  const Later later_;
  KeptStates<P> states_;  // of expanded nodes, if states are made again
  Pool<Handle> handles_;  // by number, if they are not
  Pool<Expanded> expanded_;
  OpenList<Open, Later> open_;
  std::conditional_t<remakes_states<P>, Seen, SeenNumbers> seen_;
  std::optional<Goal> next_, richest_;
  std::vector<Child> children_;
  std::vector<Action> actions_;
  std::vector<Edge<P>> edges_;
  std::vector<State*> near_;
  int64_t next_ask_ = 0;
  uint32_t made_ = 0;
};

template <Problem P>
void breadth_first(Run<P>& run) {
  BestFirstSearch<P>(run, {.key = BestFirst::Key::depth}).search();
  run.prove(RestsOn::unit_cost);
}

template <Problem P>
void uniform_cost(Run<P>& run) {
  BestFirstSearch<P>(run, {.of_h = 0}).search();
  run.prove(RestsOn::costs_only);
}

template <Problem P>
void brute_force(Run<P>& run) {
  BestFirstSearch<P>(run, {.key = BestFirst::Key::stage, .exhaust = true}).search();
  run.prove(RestsOn::nothing);
}

template <Problem P>
void greedy_best_first(Run<P>& run) {
  BestFirstSearch<P>(run, {.of_g = 0}).search();
}

template <Problem P>
void a_star(Run<P>& run) {
  BestFirstSearch<P>(run, {}).search();
  run.prove(RestsOn::admissible);
}

template <Problem P>
void weighted_a_star(Run<P>& run) {
  BestFirstSearch<P>(run, {.of_h = run.settings.weight}).search();
}

template <Problem P>
void a_star_goal_h(Run<P>& run) {
  BestFirstSearch<P>(run, {.goal_keeps_h = true}).search();
}

template <Problem P>
void ist_best(Run<P>& run) {  // the report computes f = g + h for every generated node, goals included
  BestFirstSearch<P>(run, {.goal_keeps_h = true, .prune_below_mean = true}).search();
}

}  // namespace blockfall::search
