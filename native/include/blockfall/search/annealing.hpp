// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) of whole sequences of moves, here called lines.
//
// A worse line is accepted with probability exp(-loss / temperature), and the temperature falls over time. Several
// lines cool side by side; those that were worth least at the same temperature are dropped until one is left.
// The early part depends much on luck, the late part gains from care.
#pragma once

#include <cmath>

#include "line_search.hpp"

namespace blockfall::search {

template <Problem P>
class Annealing : LineSearch<P> {
 public:
  Annealing(Run<P>& run, uint64_t seed) : LineSearch<P>(run, seed), kept_(CountedAllocator<Kept>(run.memory())) {
    waiting_ = run.settings.waiting;
  }

  // Cools as the remaining time or nodes are used up; without such limits, over `changes` changes.
  void search(int64_t changes) {
    changes_ = changes;
    made_ = 0;
    begun_ = run_.share_spent();
    kept_.clear();
    for (number_ = 0; number_ < run_.settings.sequences; ++number_) {
      if (!begin()) return;
      kept_.push_back({sequence_, made_before_, places_, value_, number_});
    }
    scale_ = scale();
    for (int stage = 0; stage < stages; ++stage) {
      const auto living = double(kept_.size());
      for (size_t i = 0; i < kept_.size(); ++i) anneal(kept_[i], stage, (stage + double(i) / living) / stages, living);
      give_up_the_worst(double(stage + 1) / stages);
    }
  }

 private:
  using Line = LineSearch<P>;
  using Line::begin, Line::change, Line::keep, Line::play_from, Line::random_, Line::run_;
  using Line::made_before_, Line::number_, Line::places_, Line::sequence_, Line::value_, Line::waiting_;
  using typename Line::Move, typename Line::Place;
  static constexpr int stages = 40;

  // A line waiting for its turn.
  struct Kept {
    Vector<Move> sequence;
    Vector<uint32_t> made_before;
    Vector<Place> places;
    double value;
    int number;
    double mean = 0;  // its mean value in the last stage
  };

  // The unit of temperature: the mean effect of a change on the line's value, unless the problem has its own.
  double scale() {
    const Position<P>& start = places_[0].position;
    if constexpr (requires { start.scale(); }) {
      return start.scale();
    } else {
      constexpr int count = 100;
      double sum = 0;
      for (int i = 0; i < count; ++i) sum += std::abs(play_from(change()) - value_);
      return sum / count;
    }
  }

  // The share of the time, nodes or changes spent so far.
  double spent() const {
    return run_.limited() ? (run_.share_spent() - begun_) / (1 - begun_) : double(made_) / double(changes_);
  }

  // Changes a line for its part of the stage that begins at this share.
  void anneal(Kept& kept, int stage, double from, double living) {
    exchange(kept);
    double sum = 0;
    int64_t count = 0;
    const double share = 1 / living / stages;
    for (double now; (now = spent()) < from + share;) {
      const double part = (stage + std::max(0.0, now - from) / share) / stages;
      const double hot = run_.settings.hot, temperature = scale_ * hot * std::pow(run_.settings.cold / hot, part);
      for (int i = 0; i < 64; ++i, ++count) {
        const size_t at = change();
        const double value = play_from(at);
        if (value >= value_ || random_.uniform() < std::exp((value - value_) / temperature)) keep(at, value);
        sum += value_;
      }
      made_ += 64;
    }
    kept.mean = count > 0 ? sum / double(count) : value_;
    exchange(kept);
  }

  void exchange(Kept& kept) {
    std::swap(sequence_, kept.sequence);
    std::swap(made_before_, kept.made_before);
    std::swap(places_, kept.places);
    std::swap(value_, kept.value);
    std::swap(number_, kept.number);
  }

  // From all lines down to one between these shares, by an equal factor each time.
  void give_up_the_worst(double spent) {
    constexpr double first = 0.3, last = 0.8;
    const double part = std::clamp((spent - first) / (last - first), 0.0, 1.0);
    const auto wanted = size_t(std::lround(std::pow(double(run_.settings.sequences), 1 - part)));
    if (wanted >= kept_.size()) return;
    std::stable_sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.mean > b.mean; });
    kept_.erase(kept_.begin() + std::ptrdiff_t(wanted), kept_.end());
  }

  Vector<Kept> kept_;
  double scale_ = 0;  // of temperatures, in points
  double begun_ = 0;
  int64_t changes_ = 0, made_ = 0;
};

template <Problem P>
void annealing(Run<P>& run) {
  Annealing<P>(run, run.settings.seed).search(100'000);
}

}  // namespace blockfall::search
