// Search from both ends (Pohl 1971): uniform cost from the start and from the goals, until the sides meet and no other
// meeting can be cheaper.
#pragma once

#include <stdexcept>
#include <unordered_map>

#include "heap.hpp"
#include "run.hpp"

namespace blockfall::search {

template <Problem P>
  requires Undoes<P>
class Bidirectional {
 public:
  explicit Bidirectional(Run<P>& run) : run_(run), forward_(run.memory()), backward_(run.memory()) {}

  void search() {
    P& problem = run_.problem;
    State start = problem.start();
    std::vector<State> goals;
    problem.goals(goals);
    for (State& goal : goals) meet(backward_, forward_, std::move(goal), 0, no_node, Action{}, 0);
    meet(forward_, backward_, std::move(start), 0, no_node, Action{}, 0);
    for (;;) {
      drop_stale(forward_), drop_stale(backward_);
      if (forward_.open.empty() || backward_.open.empty()) break;
      if (met_ && forward_.open.top().g + backward_.open.top().g <= most_) break;
      if (forward_.open.size() <= backward_.open.size())
        expand_forward();
      else
        expand_backward();
    }
    if (met_) offer();
  }

 private:
  using State = typename P::State;
  using Action = typename P::Action;
  struct Node {
    State state;
    double g;
    uint32_t parent, number;
    int32_t depth;
    Action action;
  };
  struct Open {
    double g;
    uint32_t node;
  };
  struct Later {
    bool operator()(const Open& a, const Open& b) const { return a.g != b.g ? a.g < b.g : a.node > b.node; }
  };
  using Known = std::unordered_map<uint64_t, uint32_t, std::hash<uint64_t>, std::equal_to<uint64_t>,
                                   CountedAllocator<std::pair<const uint64_t, uint32_t>>>;
  struct Side {
    explicit Side(Memory& memory)
        : nodes(memory), open(memory, Later()), known(typename Known::allocator_type(memory)) {}
    Pool<Node> nodes;
    Heap<Open, Later> open;
    Known known;  // by state, the best node
  };

  // Records a path to a state on one side, and whether the other side has reached it.
  void meet(Side& side, Side& other, State&& state, double g, uint32_t parent, const Action& action, int32_t depth) {
    const uint64_t hash = run_.problem.hash(state);
    const auto found = side.known.find(hash);
    if (found != side.known.end() && side.nodes[found->second].g >= g) return;
    const uint32_t node = side.nodes.add({std::move(state), g, parent, made_++, depth, action});
    side.known.insert_or_assign(hash, node);
    side.open.push({g, node});
    const auto there = other.known.find(hash);
    if (there == other.known.end()) return;
    const double total = g + other.nodes[there->second].g;
    if (met_ && total <= most_) return;
    met_ = true, most_ = total;
    const bool is_forward = &side == &forward_;
    ahead_ = is_forward ? node : there->second, behind_ = is_forward ? there->second : node;
  }

  void drop_stale(Side& side) {
    while (!side.open.empty()) {
      const uint32_t node = side.open.top().node;
      if (side.known.find(run_.problem.hash(side.nodes[node].state))->second == node) return;
      side.open.pop();
    }
  }

  Node taken(Side& side, uint32_t& index, bool backward) {
    index = side.open.pop().node;
    const Node& node = side.nodes[index];
    run_.expanding({node.number, node.parent == no_node ? no_node : side.nodes[node.parent].number, node.depth,
                    node.action, node.g, 0, 0, backward},
                   node.state);
    return node;
  }

  void expand_forward() {
    uint32_t index;
    const Node node = taken(forward_, index, false);
    run_.problem.actions(node.state, actions_);
    run_.generated += int64_t(actions_.size());
    for (const Action& action : actions_) {
      Step<State> step = run_.problem.result(node.state, action);
      meet(forward_, backward_, std::move(step.state), node.g + step.reward, index, action, node.depth + 1);
    }
  }

  void expand_backward() {
    uint32_t index;
    const Node node = taken(backward_, index, true);
    run_.problem.undo(node.state, undone_);
    run_.generated += int64_t(undone_.size());
    for (Undone<P>& step : undone_)
      meet(backward_, forward_, std::move(step.before), node.g + step.reward, index, step.action, node.depth + 1);
  }

  void offer() {
    std::vector<Action> path;
    for (uint32_t i = ahead_; forward_.nodes[i].parent != no_node; i = forward_.nodes[i].parent)
      path.push_back(forward_.nodes[i].action);
    std::reverse(path.begin(), path.end());
    uint32_t i = behind_;
    for (; backward_.nodes[i].parent != no_node; i = backward_.nodes[i].parent)
      path.push_back(backward_.nodes[i].action);
    run_.offer(backward_.nodes[i].state, most_, path);
  }

  Run<P>& run_;
  Side forward_, backward_;
  std::vector<Action> actions_;
  std::vector<Undone<P>> undone_;
  bool met_ = false;
  double most_ = 0;  // total of the best path through a meeting
  uint32_t ahead_ = no_node, behind_ = no_node, made_ = 0;
};

template <Problem P>
void bidirectional(Run<P>& run) {
  if constexpr (Undoes<P>) {
    Bidirectional<P>(run).search();
    run.prove(RestsOn::costs_only);
  } else {
    throw std::invalid_argument("bidirectional search needs moves that can be undone");
  }
}

}  // namespace blockfall::search
