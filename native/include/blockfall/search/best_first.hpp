// Searches that keep every open node and take the most promising one: breadth-first, brute force, A* and its kin.
#pragma once

#include <algorithm>

#include "run.hpp"
#include "seen.hpp"

namespace blockfall::search {

// What sets one best-first search apart from another.
struct BestFirst {
  enum class Key : uint8_t { f, depth, stage } key = Key::f;
  bool goal_keeps_h = false;      // feup2016's "goal h", and ist2015: final boards keep their heuristic
  bool prune_below_mean = false;  // ist2015's procura-best: of the children, those not worse than their mean
  bool exhaust = false;           // goes on after a goal until nothing is open; always with a table
};

template <Problem P>
class BestFirstSearch {
 public:
  BestFirstSearch(Run<P>& run, const BestFirst& kind)
      : run_(run),
        kind_(kind),
        traits_(traits_of(run, kind)),
        nodes_(run.memory()),
        open_(Open(run.memory())),
        seen_(run.memory()) {}

  void search() {
    try {
      search_open();
    } catch (const Stopped&) {  // goals that were made but not yet taken are better than nothing
      for (const Entry& entry : open_)
        if (const Node& node = nodes_[entry.node]; run_.better(node.g) && run_.problem.is_goal(node.state))
          run_.offer(node.state, node.g, path(entry.node));
      throw;
    }
  }

 private:
  using State = typename P::State;
  using Action = typename P::Action;

  struct Node {
    State state;
    double g, h;
    uint64_t hash;
    uint32_t parent;
    int32_t depth;
    Action action;
  };
  struct Entry {
    double key, g;
    uint32_t node;
  };
  using Open = CountedAllocator<Entry>;

  static Traits traits_of(Run<P>& run, const BestFirst& kind) {
    Traits traits = run.traits();
    traits.remembers |= kind.exhaust;
    return traits;
  }

  void search_open() {
    P& problem = run_.problem;
    State start = problem.start();
    const uint64_t hash = problem.hash(start);
    if (traits_.remembers) seen_.improves(hash, 0);
    const double h = value(start);
    push(Node{std::move(start), 0, h, hash, no_node, 0, Action{}});
    std::vector<Action> actions;
    while (!open_.empty()) {
      const uint32_t index = pop();
      const Node& node = nodes_[index];
      if (traits_.remembers && !seen_.is_current(node.hash, standing(node.g))) {
        run_.dropping(index);
        continue;
      }
      if (problem.is_goal(node.state)) {
        run_.dropping(index);
        run_.offer(node.state, node.g, path(index));
        if (!kind_.exhaust) return;
        continue;
      }
      run_.expanding({index, node.parent, node.depth, node.action, node.g, node.h});
      problem.actions(node.state, actions);
      run_.generated += int64_t(actions.size());
      expand(index, actions);
    }
  }

  // What makes a second way to a state better than the first; where depth counts, nothing does.
  double standing(double g) const { return kind_.key == BestFirst::Key::depth ? 0 : g; }

  double value(const State& state) {
    if (kind_.key != BestFirst::Key::f) return 0;
    return !kind_.goal_keeps_h && run_.problem.is_goal(state) ? 0 : run_.problem.heuristic(state);
  }

  void expand(uint32_t index, const std::vector<Action>& actions) {
    P& problem = run_.problem;
    children_.clear();
    double sum = 0;
    for (const Action& action : actions) {
      const Node& node = nodes_[index];
      Step<State> step = problem.result(node.state, action);
      const double g = node.g + step.reward;
      const uint64_t hash = traits_.remembers ? problem.hash(step.state) : 0;
      if (traits_.remembers && !seen_.improves(hash, standing(g))) continue;
      const double h = value(step.state);
      sum += h;
      children_.push_back(Node{std::move(step.state), g, h, hash, index, node.depth + 1, action});
    }
    const double mean = children_.empty() ? 0 : sum / double(children_.size());
    for (Node& child : children_)
      if (!kind_.prune_below_mean || child.h >= mean) push(std::move(child));
  }

  void push(Node&& node) {
    double key = 0;
    switch (kind_.key) {
      case BestFirst::Key::f: key = node.g + node.h; break;
      case BestFirst::Key::depth: key = -node.depth; break;
      case BestFirst::Key::stage: key = -stage(run_.problem, node.state, node.g); break;
    }
    Expansion<Action> opened{0, node.parent, node.depth, node.action, node.g, node.h};
    const double g = node.g;
    const uint32_t index = opened.node = nodes_.add(std::move(node));
    run_.opening(opened);
    open_.push_back({key, g, index});
    std::push_heap(open_.begin(), open_.end(), Later{ties()});
  }

  uint32_t pop() {
    std::pop_heap(open_.begin(), open_.end(), Later{ties()});
    const uint32_t index = open_.back().node;
    open_.pop_back();
    return index;
  }

  Ties ties() const { return kind_.key == BestFirst::Key::f ? traits_.ties : Ties::first; }

  struct Later {
    Ties ties;
    bool operator()(const Entry& a, const Entry& b) const {
      if (a.key != b.key) return a.key < b.key;
      if (ties == Ties::last) return a.node < b.node;
      if (ties == Ties::larger_g && a.g != b.g) return a.g < b.g;
      return a.node > b.node;
    }
  };

  std::vector<Action> path(uint32_t index) {
    std::vector<Action> actions;
    for (; nodes_[index].parent != no_node; index = nodes_[index].parent) actions.push_back(nodes_[index].action);
    std::reverse(actions.begin(), actions.end());
    return actions;
  }

  Run<P>& run_;
  const BestFirst kind_;
  const Traits traits_;
  Pool<Node> nodes_;
  Vector<Entry> open_;
  Seen seen_;
  std::vector<Node> children_;
};

template <Problem P>
void breadth_first(Run<P>& run) {
  BestFirstSearch<P>(run, {.key = BestFirst::Key::depth}).search();
  run.best.optimal = run.best.found && run.traits().unit_cost;
}

template <Problem P>
void brute_force(Run<P>& run) {
  BestFirstSearch<P>(run, {.key = BestFirst::Key::stage, .exhaust = true}).search();
  run.best.optimal = run.best.found;
}

template <Problem P>
void a_star(Run<P>& run) {
  BestFirstSearch<P>(run, {}).search();
  run.best.optimal = run.best.found && run.traits().admissible;
}

template <Problem P>
void a_star_goal_h(Run<P>& run) {
  BestFirstSearch<P>(run, {.goal_keeps_h = true}).search();
}

template <Problem P>
void ist_best(Run<P>& run) {  // the report computes f = g + h of every node that it generates, goals included
  BestFirstSearch<P>(run, {.goal_keeps_h = true, .prune_below_mean = true}).search();
}

}  // namespace blockfall::search
