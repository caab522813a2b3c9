// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) of a whole sequence of moves.
//
// A worse line is followed with a chance of exp(-loss / temperature), and the temperature falls as time goes by.
#pragma once

#include <array>
#include <cmath>

#include "line_search.hpp"

namespace blockfall::search {

template <Problem P>
class Annealing : LineSearch<P> {
 public:
  Annealing(Run<P>& run, uint64_t seed) : LineSearch<P>(run, seed) {}

  // Cools down as the time or the nodes that are left are used up; without such limits, over so many changes.
  void search(int64_t changes) {
    const double begun = run_.share_spent();
    if (!begin()) return;
    const double scale = median_change();
    double temperature = 0;
    for (int64_t i = 0; i < changes || run_.limited(); ++i) {
      if ((i & 63) == 0) {
        const double spent = run_.limited() ? (run_.share_spent() - begun) / (1 - begun) : double(i) / double(changes);
        temperature = scale * run_.settings.hot * std::pow(run_.settings.cold / run_.settings.hot, spent);
      }
      const size_t from = change();
      const double value = play_from(from);
      if (value >= value_ || random_.uniform() < std::exp((value - value_) / temperature)) keep(from, value);
    }
  }

 private:
  using Line = LineSearch<P>;
  using Line::begin, Line::change, Line::keep, Line::play_from, Line::random_, Line::run_, Line::value_;

  // Half of the changes to the first line change its total by less.
  double median_change() {
    std::array<double, 101> sizes;
    for (double& size : sizes) size = std::abs(play_from(change()) - value_);
    std::nth_element(sizes.begin(), sizes.begin() + sizes.size() / 2, sizes.end());
    return sizes[sizes.size() / 2];
  }
};

template <Problem P>
void annealing(Run<P>& run) {
  Annealing<P>(run, run.settings.seed).search(100'000);
}

}  // namespace blockfall::search
