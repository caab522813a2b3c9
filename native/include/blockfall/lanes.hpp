// The word type of this instruction set: as many candidate boards as it has lanes are valued at once.
#pragma once

#if defined(BLOCKFALL_LANES_HEADER)
#include BLOCKFALL_LANES_HEADER
#elif BLOCKFALL_LANES == 16
#include "lanes/avx512.hpp"
#elif BLOCKFALL_LANES == 8
#include "lanes/avx2.hpp"
#elif BLOCKFALL_LANES == 4
#include "lanes/neon.hpp"
#else
#include "lanes/scalar.hpp"
#endif
