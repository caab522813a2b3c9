// Hill climbing with restarts, and tabu search (Glover 1986), over whole sequences of moves.
#pragma once

#include <bit>
#include <type_traits>

#include "line_search.hpp"

namespace blockfall::search {

// Accepts every change that is not worse. After a run of tries without improvement it restarts from a random line.
template <Problem P>
class HillClimbing : LineSearch<P> {
 public:
  explicit HillClimbing(Run<P>& run) : LineSearch<P>(run, run.settings.seed) {}

  // Makes this many changes, or as many as a limit allows.
  void search(int64_t changes) {
    constexpr int64_t patience = 2000;
    if (!begin()) return;
    int64_t fruitless = 0;
    for (int64_t i = 0; i < changes || run_.limited(); ++i) {
      const size_t from = change();
      const double value = play_from(from);
      fruitless = value > value_ ? 0 : fruitless + 1;
      if (value >= value_) keep(from, value);
      if (fruitless < patience) continue;
      begin();
      fruitless = 0;
    }
  }

 private:
  using Line = LineSearch<P>;
  using Line::begin, Line::change, Line::keep, Line::play_from, Line::run_, Line::value_;
};

// Follows the best of several changes, even to a worse line, but never back to one of the last lines.
template <Problem P>
class Tabu : LineSearch<P> {
 public:
  explicit Tabu(Run<P>& run) : LineSearch<P>(run, run.settings.seed), tabu_(CountedAllocator<uint64_t>(run.memory())) {}

  void search(int64_t changes) {
    constexpr int neighbours = 20;
    if (!begin()) return;
    forbid();
    Vector<Move> rest = rest_;
    for (int64_t i = 0; i < changes || run_.limited(); i += neighbours) {
      bool any = false;
      size_t from = 0;
      double best = 0;
      Random random = random_;  // moves at the line's end are drawn: a replay must draw the same
      for (int j = 0; j < neighbours; ++j) {
        const size_t at = change();
        const Random before = random_;
        const Vector<Move> planned = rest_;
        const double most = run_.best.found ? run_.best.total : 0;
        const double value = play_from(at);
        const bool record = run_.best.found && run_.best.total > most;  // a new best line is accepted even if tabu
        if ((any && value <= best) || (is_tabu(at) && !record)) continue;
        any = true, from = at, best = value, random = before, rest = planned;
      }
      if (!any) continue;
      const Random after = random_;
      random_ = random, rest_ = rest;
      keep(from, play_from(from));
      random_ = after;
      forbid();
    }
  }

 private:
  using Line = LineSearch<P>;
  using Line::begin, Line::change, Line::keep, Line::play_from, Line::random_, Line::rest_, Line::run_;
  using Line::sequence_, Line::tried_;
  using typename Line::Move;
  static constexpr size_t tenure = 50;  // lines

  static uint64_t mix(uint64_t hash, Move move) {
    static_assert(std::has_unique_object_representations_v<Move> && sizeof(Move) <= sizeof(uint64_t));
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &move, sizeof move);
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
  }

  // The tried line, which differs from move `from` on.
  bool is_tabu(size_t from) const {
    uint64_t hash = 1;
    for (size_t i = 0; i < tried_.size(); ++i) hash = mix(hash, i < from ? sequence_[i] : tried_[i]);
    return std::find(tabu_.begin(), tabu_.end(), hash) != tabu_.end();
  }

  void forbid() {
    uint64_t hash = 1;
    for (const Move& move : sequence_) hash = mix(hash, move);
    if (tabu_.size() < tenure)
      tabu_.push_back(hash);
    else
      tabu_[oldest_++ % tenure] = hash;
  }

  Vector<uint64_t> tabu_;
  size_t oldest_ = 0;
};

template <Problem P>
void hill_climbing(Run<P>& run) {
  HillClimbing<P>(run).search(100'000);
}

template <Problem P>
void tabu(Run<P>& run) {
  Tabu<P>(run).search(100'000);
}

}  // namespace blockfall::search
