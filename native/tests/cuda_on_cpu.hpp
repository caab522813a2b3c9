// The parts of CUDA that the programs in native/cuda use, for a CPU compiler (tests/compute/host_device.py). Threads
// run one after another. Threads of a warp or block that work together are fibers: each runs until it needs a value
// from the others or must wait for them.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <cstring>
#include <vector>

#define __global__
#define __launch_bounds__(threads, blocks)
#define __shared__ static  // blocks run one after another

struct ThreadPlace {
  unsigned int x;
};

inline ThreadPlace gridDim{1}, blockIdx{0}, blockDim{1}, threadIdx{0};

namespace cuda_on_cpu {

inline constexpr int most_fibers = 128;

// Kernels take only integers and pointers, which are all passed as 64 bits.
using Kernel = void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                        uint64_t, uint64_t, uint64_t);
inline Kernel kernel;
inline uint64_t argument[12];

inline ucontext_t scheduler, fiber[most_fibers];
inline bool ended[most_fibers];
inline uint64_t said[2][most_fibers];  // used in turns, so that a fiber that is one exchange ahead does not overwrite
                                       // the values of the others
inline int turn[most_fibers];

inline void call() {
  const uint64_t* a = argument;
  kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
}

inline void run_fiber() {
  call();
  ended[threadIdx.x] = true;
}

// Waits until every thread of the group has arrived here or ended.
inline void meet() { swapcontext(&fiber[threadIdx.x], &scheduler); }

inline void run_group(int size) {
  static std::vector<char> stack[most_fibers];
  for (int i = 0; i < size; ++i) {
    stack[i].resize(1 << 18);
    ended[i] = false, turn[i] = 0;
    getcontext(&fiber[i]);
    fiber[i].uc_stack.ss_sp = stack[i].data(), fiber[i].uc_stack.ss_size = stack[i].size();
    fiber[i].uc_link = &scheduler;
    makecontext(&fiber[i], run_fiber, 0);
  }
  for (bool alive = true; alive;) {
    alive = false;
    for (unsigned int i = 0; i < unsigned(size); ++i)
      if (!ended[i]) {
        threadIdx.x = i, alive = true;
        swapcontext(&scheduler, &fiber[i]);
      }
  }
}

}  // namespace cuda_on_cpu

// The threads that exchange values are those of one game; `from` counts within them.
template <class T>
T __shfl_sync(unsigned int, T mine, int from, int) {
  using namespace cuda_on_cpu;
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t* all = said[turn[threadIdx.x] ^= 1];
  std::memcpy(&all[threadIdx.x], &mine, sizeof mine);
  meet();
  T heard;
  std::memcpy(&heard, &all[from], sizeof heard);
  return heard;
}

inline void __syncthreads() { cuda_on_cpu::meet(); }

inline unsigned __brev(unsigned word) {
  unsigned turned = 0;
  for (int i = 0; i < 32; ++i) turned |= (word >> i & 1) << (31 - i);
  return turned;
}
inline int __dp4a(int a, int b, int sum) {
  for (int i = 0; i < 32; i += 8) sum += int8_t(a >> i) * int8_t(b >> i);
  return sum;
}

// Runs a kernel on this many threads, in groups that exchange values and wait for each other.
extern "C" void run_kernel(void* kernel, const uint64_t argument[12], int64_t threads, int group) {
  using namespace cuda_on_cpu;
  cuda_on_cpu::kernel = reinterpret_cast<Kernel>(kernel);
  std::memcpy(cuda_on_cpu::argument, argument, sizeof cuda_on_cpu::argument);
  blockDim.x = unsigned(group), threadIdx.x = 0, gridDim.x = unsigned(threads / group);
  for (int64_t block = 0; block * group < threads; ++block) {
    blockIdx.x = unsigned(block);
    group > 1 ? run_group(group) : call();
  }
}
