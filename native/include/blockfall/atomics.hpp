// Counters that several threads share: relaxed atomic operations, for CPU compilers and for NVRTC.
#pragma once

#include "sizes.hpp"

namespace blockfall::BLOCKFALL_ARCH {

#if defined(__CUDACC__)
inline int64_t add_atomically(int64_t& count, int64_t more) {
  return int64_t(atomicAdd(reinterpret_cast<unsigned long long*>(&count), static_cast<unsigned long long>(more)));
}
inline int32_t load_atomically(const int32_t& flag) { return *reinterpret_cast<const volatile int32_t*>(&flag); }
inline void store_atomically(int32_t& flag, int32_t value) { atomicExch(&flag, value); }
#else
inline int64_t add_atomically(int64_t& count, int64_t more) {
  return __atomic_fetch_add(&count, more, __ATOMIC_RELAXED);
}
inline int32_t load_atomically(const int32_t& flag) { return __atomic_load_n(&flag, __ATOMIC_RELAXED); }
inline void store_atomically(int32_t& flag, int32_t value) { __atomic_store_n(&flag, value, __ATOMIC_RELAXED); }
#endif

}  // namespace blockfall::BLOCKFALL_ARCH
