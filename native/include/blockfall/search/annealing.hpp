// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) of whole sequences of moves.
//
//     sequence  a b c d e f      one move is taken out, put in, or put elsewhere; what was before it stays as it is
//     changed   a b d e f        what comes after is played again, move by move; those that cannot be made are left out
//     finished  a b d f g        and random moves bring it to its end
//
// A worse sequence is followed with a chance of exp(-loss / temperature), and the temperature falls as time goes by.
// Several sequences cool down side by side. Those that were worth least at the same temperature are given up, until one
// has all of the time: the first part of the way decides much by luck, the last part gains by care.
#pragma once

#include <algorithm>
#include <cmath>

#include "walk.hpp"

namespace blockfall::search {

template <Problem P>
class Annealing {
 public:
  Annealing(Run<P>& run, uint64_t seed)
      : run_(run),
        random_(seed),
        sequences_(CountedAllocator<Sequence>(run.memory())),
        tried_(CountedAllocator<Move>(run.memory())),
        rest_(tried_),
        tried_places_(CountedAllocator<Place>(run.memory())) {}

  // Cools down as the time or the nodes that are left are used up; without such limits, over so many changes.
  void search(int64_t changes) {
    const Place start{Position<P>(run_.problem), no_node, Action{}};
    if (start.position.is_over()) {
      if (start.position.is_goal()) run_.offer(start.position.state(), 0, std::vector<Action>());
      return;
    }
    changes_ = changes;
    made_ = 0;
    begun_ = run_.share_spent();
    tried_places_.assign(1, start);
    sequences_.clear();
    for (int i = 0; i < run_.settings.sequences; ++i) {
      sequences_.emplace_back(run_.memory(), start);
      sequence_ = &sequences_.back();
      rest_.clear();
      keep(0, play_from(0));
    }
    sequence_ = &sequences_[0];
    scale_ = scale();
    for (int stage = 0; stage < stages; ++stage) {
      const auto living = double(sequences_.size());
      for (size_t i = 0; i < sequences_.size(); ++i) {
        sequence_ = &sequences_[i];
        anneal(stage, (stage + double(i) / living) / stages, 1 / living / stages);
      }
      give_up_the_worst(double(stage + 1) / stages);
    }
  }

 private:
  using Action = typename P::Action;
  using Move = typename Position<P>::Move;
  static constexpr int stages = 40;

  // Before a move.
  struct Place {
    Position<P> position;
    uint32_t parent;  // in the trace
    Action action;    // that led here, if there is a trace
  };

  struct Sequence {
    Sequence(Memory& memory, const Place& start)
        : moves(CountedAllocator<Move>(memory)), places(1, start, CountedAllocator<Place>(memory)) {}
    Vector<Move> moves;
    Vector<Place> places;  // before each move, and the end
    double value = 0;
    double sum = 0;  // of its values after each change of this stage
    int64_t changes = 0;
    double mean() const { return changes > 0 ? sum / double(changes) : value; }
  };

  // What temperatures are measured in: the mean change to the first sequence, where the problem knows no better.
  double scale() {
    const Position<P>& start = sequence_->places[0].position;
    if constexpr (requires { start.scale(); }) {
      return start.scale();
    } else {
      constexpr int count = 100;
      double sum = 0;
      for (int i = 0; i < count; ++i) sum += std::abs(play_from(change()) - sequence_->value);
      return sum / count;
    }
  }

  // How much of the time, the nodes or the changes is spent.
  double spent() const {
    return run_.limited() ? (run_.share_spent() - begun_) / (1 - begun_) : double(made_) / double(changes_);
  }

  // Changes the sequence for its part of a stage, of which so much was spent before.
  void anneal(int stage, double from, double share) {
    sequence_->sum = 0;
    sequence_->changes = 0;
    for (double now; (now = spent()) < from + share;) {
      const double part = (stage + std::max(0.0, now - from) / share) / stages;
      const double hot = run_.settings.hot, temperature = scale_ * hot * std::pow(run_.settings.cold / hot, part);
      for (int i = 0; i < 64; ++i) {
        const size_t at = change();
        const double value = play_from(at);
        if (value >= sequence_->value || random_.uniform() < std::exp((value - sequence_->value) / temperature))
          keep(at, value);
        sequence_->sum += sequence_->value;
        ++sequence_->changes;
        ++made_;
      }
    }
  }

  // From all sequences to one between these parts of the way, by an equal factor each time.
  void give_up_the_worst(double spent) {
    constexpr double first = 0.3, last = 0.8;
    const double part = std::clamp((spent - first) / (last - first), 0.0, 1.0);
    const auto wanted = size_t(std::lround(std::pow(double(run_.settings.sequences), 1 - part)));
    if (wanted >= sequences_.size()) return;
    std::stable_sort(sequences_.begin(), sequences_.end(),
                     [](const Sequence& a, const Sequence& b) { return a.mean() > b.mean(); });
    sequences_.erase(sequences_.begin() + std::ptrdiff_t(wanted), sequences_.end());
  }

  // Changes the sequence at random. From which move on it is another; `rest_` is what should then be played.
  size_t change() {
    const auto& moves = sequence_->moves;
    const auto length = uint32_t(moves.size());
    const uint32_t kind = random_.below(3), at = random_.below(length), to = random_.below(length);
    if (kind == 0) {
      rest_.assign(moves.begin() + at + 1, moves.end());
      return at;
    }
    if (kind == 1 || at == to) {
      rest_.assign(1, sequence_->places[at].position.draw(random_));
      rest_.insert(rest_.end(), moves.begin() + at, moves.end());
      return at;
    }
    const uint32_t from = std::min(at, to);
    rest_.assign(moves.begin() + from, moves.end());
    if (at < to)
      std::rotate(rest_.begin(), rest_.begin() + 1, rest_.begin() + (to - from) + 1);
    else
      std::rotate(rest_.begin(), rest_.begin() + (at - from), rest_.begin() + (at - from) + 1);
    return from;
  }

  // Plays `rest_` from the place before move `from` to the end. The total.
  double play_from(size_t from) {
    tried_.resize(from);
    if (tried_places_.size() <= from) tried_places_.resize(from + 1, tried_places_[0]);
    tried_places_[from] = sequence_->places[from];
    for (const Move& move : rest_) step(move);
    while (!last().position.is_over()) step(last().position.draw(random_));
    const Position<P>& end = last().position;
    if (end.is_goal() && run_.better(end.earned())) offer(from);
    return worth(end);
  }

  // A problem's positions may have a smoother value than what they earned.
  double worth(const Position<P>& end) {
    if constexpr (requires { end.value(); })
      return end.value();
    else
      return outcome(run_.problem, end);
  }

  Place& last() { return tried_places_[tried_.size()]; }

  void step(const Move& move) {
    const size_t depth = tried_.size();
    if (tried_places_.size() == depth + 1) tried_places_.push_back(tried_places_[depth]);
    const Place& before = tried_places_[depth];
    Place& after = tried_places_[depth + 1];
    if (!before.position.play(move, after.position)) return;
    const bool trace = run_.settings.trace;
    after.parent = uint32_t(run_.expanded);
    if (trace) after.action = before.position.action(move);
    run_.expanding({after.parent, before.parent, int32_t(depth), before.action, trace ? before.position.earned() : 0,
                    trace ? run_.problem.heuristic(before.position.state()) : 0});
    ++run_.generated;
    tried_.push_back(move);
  }

  // Makes what was tried the sequence.
  void keep(size_t from, double value) {
    sequence_->value = value;
    sequence_->moves.resize(from);
    sequence_->moves.insert(sequence_->moves.end(), tried_.begin() + std::ptrdiff_t(from), tried_.end());
    auto& places = sequence_->places;
    if (places.size() <= tried_.size()) places.resize(tried_.size() + 1, places[0]);
    std::copy(tried_places_.begin() + std::ptrdiff_t(from), tried_places_.begin() + std::ptrdiff_t(tried_.size() + 1),
              places.begin() + std::ptrdiff_t(from));
  }

  void offer(size_t from) {
    std::vector<Action> path;
    for (size_t i = 0; i < tried_.size(); ++i) {
      const Move& move = i < from ? sequence_->moves[i] : tried_[i];
      path.push_back((i < from ? sequence_->places : tried_places_)[i].position.action(move));
    }
    const Position<P>& end = last().position;
    run_.offer(end.state(), end.earned(), path);
  }

  Run<P>& run_;
  Random random_;
  Vector<Sequence> sequences_;
  Sequence* sequence_ = nullptr;  // that is changed now
  Vector<Move> tried_, rest_;     // of `tried_` and its places, what is before the change does not count
  Vector<Place> tried_places_;    // before each move, and the end
  double scale_ = 0;              // of temperatures, in points
  double begun_ = 0;
  int64_t changes_ = 0, made_ = 0;
};

template <Problem P>
void annealing(Run<P>& run) {
  Annealing<P>(run, run.settings.seed).search(100'000);
}

}  // namespace blockfall::search
