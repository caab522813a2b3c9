#include "blockfall/dispatch.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "blockfall/dense.hpp"
#include "blockfall/search/squares.hpp"
#include "blockfall/threads.hpp"

#if defined(BLOCKFALL_X86)
#include <cpuid.h>
#endif

namespace blockfall {

#if defined(BLOCKFALL_X86)
namespace {

// Clang before version 17 does not know "lzcnt" in __builtin_cpu_supports.
bool supports_lzcnt() {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (ecx & 1u << 5);
}

}  // namespace
#endif

std::vector<const Kernels*> supported_kernels() {
  std::vector<const Kernels*> found{&scalar_kernels};
#if defined(BLOCKFALL_X86)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    supports_lzcnt() && __builtin_cpu_supports("popcnt");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq");
  if (avx2) found.push_back(&avx2_kernels);
  if (avx512) found.push_back(&avx512_kernels);
#elif defined(BLOCKFALL_ARM64)
  found.push_back(&neon_kernels);
#endif
  return found;
}

DenseKernel dense_kernel(int lanes) {
#if defined(BLOCKFALL_X86)
  __builtin_cpu_init();
  if (lanes == 16) return __builtin_cpu_supports("avx512vnni") ? avx512vnni::dense : avx512::dense;
  if (lanes == 8) return avx2::dense;
#elif defined(BLOCKFALL_ARM64)
  if (lanes == 4) return neon::dense;
#endif
  return lanes == 1 ? scalar::dense : nullptr;
}

const Kernels& kernels_named(const std::string& name) {
  for (const Kernels* kernels : supported_kernels())
    if (kernels->name == name) return *kernels;
  throw std::invalid_argument("this machine cannot run '" + name + "' code");
}

namespace {

const Kernels* default_kernels() {
  const char* wanted = std::getenv("BLOCKFALL_SIMD");
  for (const Kernels* kernels : supported_kernels())
    if (wanted && std::string(kernels->name) == wanted) return kernels;
  return supported_kernels().back();
}

std::atomic<const Kernels*>& chosen_kernels() {
  static std::atomic<const Kernels*> chosen{default_kernels()};
  return chosen;
}

}  // namespace

const Kernels& kernels_in_use() { return *chosen_kernels(); }

void use_kernels(const std::string& name) { chosen_kernels() = &kernels_named(name); }

void run_polled(int threads, const std::function<void()>& work, int32_t& stop, const std::function<bool()>& poll) {
  std::mutex mutex;
  std::condition_variable finished;
  int running = threads;
  Threads workers;
  const auto work_and_tell = [&] {
    work();
    const std::lock_guard lock(mutex);
    --running;
    finished.notify_one();
  };
  for (int i = 0; i < threads; ++i) workers.start(work_and_tell);
  std::unique_lock lock(mutex);
  while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
    lock.unlock();
    if (!poll()) __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    lock.lock();
  }
}

void play(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, int threads,
          const std::function<bool()>& poll) {
  run_polled(threads, [&] { kernels.play_batch(rules, agent, batch); }, batch.stop, poll);
}

void learn(const Kernels& kernels, const Rules& rules, const Agent& agent, Learner& learner, int64_t until,
           const std::function<bool()>& poll) {
  run_polled(1, [&] { kernels.learn(rules, agent, learner, until); }, learner.stop, poll);
}

void learn(const Kernels& kernels, const Rules& rules, const Agent& agent, LinearLearner& learner, int64_t until,
           const std::function<bool()>& poll) {
  run_polled(1, [&] { kernels.learn_linear(rules, agent, learner, until); }, learner.stop, poll);
}

namespace search {

template <>
const SquaresKernels<SmallSquares>& squares_kernels() {
#if defined(BLOCKFALL_X86)
  const int lanes = kernels_in_use().lanes;
  if (lanes > 1) return lanes == 16 ? avx512::small : avx2::small;
#endif
  return scalar::small;
}

template <>
const SquaresKernels<LargeSquares>& squares_kernels() {
#if defined(BLOCKFALL_X86)
  const int lanes = kernels_in_use().lanes;
  if (lanes > 1) return lanes == 16 ? avx512::large : avx2::large;
#endif
  return scalar::large;
}

}  // namespace search

}  // namespace blockfall
