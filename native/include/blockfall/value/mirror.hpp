// Helpers for networks that average over a board and its mirror image.
#pragma once

#include "../sizes.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// The mirror image of a piece, in the order I O T S Z J L.
inline int mirrored(int piece) { return piece < 3 ? piece : 3 + ((piece - 3) ^ 1); }

// The mean of two values, rounded down.
inline int32_t mean_of(int32_t a, int32_t b) { return int32_t((int64_t(a) + b) >> 1); }

}  // namespace blockfall::BLOCKFALL_ARCH
