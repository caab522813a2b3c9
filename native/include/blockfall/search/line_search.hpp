// A line, which is a whole sequence of moves, changed one move at a time: the base of annealing, hill climbing and tabu
// search.
//
//     line      a b c d e f      one move is removed, inserted or moved; what comes before it stays
//     changed   a b d e f        what comes after is replayed move by move; impossible moves are left out
//     finished  a b d f g        random moves complete the line
//
// An impossible move may also wait in the line: an earlier change may make it possible again.
#pragma once

#include <algorithm>

#include "walk.hpp"

namespace blockfall::search {

template <Problem P>
class LineSearch {
 protected:
  LineSearch(Run<P>& run, uint64_t seed)
      : run_(run),
        random_(seed),
        sequence_(CountedAllocator<Move>(run.memory())),
        tried_(sequence_),
        rest_(sequence_),
        made_before_(CountedAllocator<uint32_t>(run.memory())),
        tried_made_before_(made_before_),
        places_(CountedAllocator<Place>(run.memory())),
        tried_places_(places_) {}

  using Action = typename P::Action;
  using Move = typename Position<P>::Move;

  // Makes a random line. False if there is no move to make.
  bool begin() {
    sequence_.clear(), rest_.clear();
    made_before_.assign(1, 0);
    tried_places_.assign(1, {Position<P>(run_.problem), no_node, Action{}});
    places_ = tried_places_;
    if (places_[0].position.is_over()) {
      if (places_[0].position.is_goal()) run_.offer(places_[0].position.state(), 0, std::vector<Action>());
      return false;
    }
    keep(0, play_from(0));
    return true;
  }

  // The place before a move.
  struct Place {
    Position<P> position;
    uint32_t parent;  // in the trace
    Action action;    // the action that led here, if there is a trace
  };

  // Changes the line at random. Returns the first changed move; `rest_` is what to play from there.
  size_t change() {
    const auto length = uint32_t(sequence_.size());
    const uint32_t kind = random_.below(3), at = random_.below(length), to = random_.below(length);
    if (kind == 0) {
      rest_.assign(sequence_.begin() + at + 1, sequence_.end());
      return at;
    }
    if (kind == 1 || at == to) {
      rest_.assign(1, draw(places_[made_before_[at]].position));
      rest_.insert(rest_.end(), sequence_.begin() + at, sequence_.end());
      return at;
    }
    const uint32_t from = std::min(at, to);
    rest_.assign(sequence_.begin() + from, sequence_.end());
    if (at < to)
      std::rotate(rest_.begin(), rest_.begin() + 1, rest_.begin() + (to - from) + 1);
    else
      std::rotate(rest_.begin(), rest_.begin() + (at - from), rest_.begin() + (at - from) + 1);
    return from;
  }

  // Lines of different numbers may draw different moves, where the problem has several ways to a good line.
  Move draw(const Position<P>& position) {
    if constexpr (requires { position.draw(random_, number_); })
      return position.draw(random_, number_);
    else
      return position.draw(random_);
  }

  // Plays `rest_` from the place before move `from` to the end. Returns the total.
  double play_from(size_t from) {
    tried_.resize(from);
    tried_made_before_.resize(from);
    made_ = made_before_[from];
    if (tried_places_.size() <= made_) tried_places_.resize(made_ + 1, places_[0]);
    tried_places_[made_] = places_[made_];
    for (const Move& move : rest_) step(move);
    while (!last().position.is_over()) step(draw(last().position));
    while (tried_made_before_.back() == made_) {  // no move waits at the end, where none can be drawn
      tried_.pop_back();
      tried_made_before_.pop_back();
    }
    tried_made_before_.push_back(made_);
    const Position<P>& end = last().position;
    if (end.is_goal() && run_.better(end.earned())) offer(from);
    return worth(end);
  }

  // A problem's positions may have a smoother value than their points.
  double worth(const Position<P>& end) {
    if constexpr (requires { end.value(); })
      return end.value();
    else
      return outcome(run_.problem, end);
  }

  Place& last() { return tried_places_[made_]; }

  // Makes the move, or lets it wait.
  void step(const Move& move) {
    const uint32_t depth = made_;
    if (tried_places_.size() == depth + 1) tried_places_.push_back(tried_places_[depth]);
    const Place& before = tried_places_[depth];
    Place& after = tried_places_[depth + 1];
    const bool made = before.position.play(move, after.position);
    if (!made && !(waiting_ > 0 && random_.uniform() < waiting_)) return;
    tried_.push_back(move);
    tried_made_before_.push_back(depth);
    if (!made) return;
    ++made_;
    const bool trace = run_.settings.trace;
    after.parent = uint32_t(run_.expanded);
    if (trace) after.action = before.position.action(move);
    run_.expanding({after.parent, before.parent, int32_t(depth), before.action, trace ? before.position.earned() : 0,
                    trace ? run_.problem.heuristic(before.position.state()) : 0},
                   before.position);
    ++run_.generated;
  }

  // Accepts the tried line.
  void keep(size_t from, double value) {
    value_ = value;
    const uint32_t first = made_before_[from];
    replace_from(from, tried_, sequence_);
    replace_from(from, tried_made_before_, made_before_);
    if (places_.size() < tried_places_.size()) places_.resize(tried_places_.size(), places_[0]);
    std::copy(tried_places_.begin() + first, tried_places_.begin() + made_ + 1, places_.begin() + first);
  }

  template <class T>
  static void replace_from(size_t from, const Vector<T>& by, Vector<T>& list) {
    list.resize(from);
    list.insert(list.end(), by.begin() + std::ptrdiff_t(from), by.end());
  }

  void offer(size_t from) {
    std::vector<Action> path;
    for (size_t i = 0; i < tried_.size(); ++i) {
      const bool old = i < from;
      const uint32_t here = (old ? made_before_ : tried_made_before_)[i];
      const uint32_t next = i + 1 < tried_.size() ? (i + 1 < from ? made_before_ : tried_made_before_)[i + 1] : made_;
      if (next == here) continue;  // this move waits
      path.push_back((old ? places_ : tried_places_)[here].position.action(old ? sequence_[i] : tried_[i]));
    }
    const Position<P>& end = last().position;
    run_.offer(end.state(), end.earned(), path);
  }

  Run<P>& run_;
  Random random_;
  // In what is tried, the part before the change does not count.
  Vector<Move> sequence_, tried_, rest_;
  Vector<uint32_t> made_before_, tried_made_before_;  // moves made before each, and at the end
  Vector<Place> places_, tried_places_;               // before each move made, and at the end
  uint32_t made_ = 0;                                 // moves made in what is tried
  double waiting_ = 0;                                // the chance that an impossible move waits in the line
  double value_ = 0;                                  // the line's value
  int number_ = 0;                                    // the line's number among those side by side
};

}  // namespace blockfall::search
