// The mean of integers over the unknown next piece, with exact probabilities and one way to round.
#pragma once

#include "randomizer.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline constexpr int64_t no_value = -0x7fffffffffffffff - 1;  // of a piece that has no placement

// The probabilities of the next piece, in units of 2^-24. They are binary32, so this product is exact.
inline void find_shares(const Generator& generator, const Rules& rules, int64_t share[piece_kinds]) {
  float law[piece_kinds];
  next_law(generator, rules, law);
  for (int m = 0; m < piece_kinds; ++m) share[m] = int64_t(law[m] * float(1 << 24));
}

// The mean of each piece's best value, weighted by its share; a piece without a placement counts 0. Rounded to the
// nearest.
inline int64_t weigh(const int64_t share[piece_kinds], const int64_t best[piece_kinds]) {
  int64_t sum = 0, total = 0;
  for (int m = 0; m < piece_kinds; ++m) {
    total += share[m];
    if (best[m] != no_value) sum += share[m] * best[m];
  }
  const int64_t doubled = 2 * sum + total, divisor = 2 * total;
  return doubled / divisor - (doubled % divisor < 0);
}

}  // namespace blockfall::BLOCKFALL_ARCH
