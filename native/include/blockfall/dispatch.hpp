// The kernels that this machine can run, and play on several threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels.hpp"

namespace blockfall {

inline constexpr int max_threads = 1024;  // of one batch

// Narrowest first; the last is the fastest.
std::vector<const Kernels*> supported_kernels();

// Throws std::invalid_argument for kernels that this machine cannot run.
const Kernels& kernels_named(const std::string& name);

// The kernels that are used unless others are named: the last ones given to use_kernels, or else those named in the
// environment variable BLOCKFALL_SIMD if this machine can run them, or else the fastest.
const Kernels& kernels_in_use();
void use_kernels(const std::string& name);

// Does the work on this many threads and polls meanwhile, as below. Sets `stop` once the work should end.
void run_polled(int threads, const std::function<void()>& work, int32_t& stop, const std::function<bool()>& poll);

// Plays the batch on this many threads. Calls `poll` about twenty times a second from the calling thread; once it
// returns false, the games stop within milliseconds.
void play(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, int threads,
          const std::function<bool()>& poll);

// Learns on another thread until this many actions are done, and polls in the same way.
void learn(const Kernels& kernels, const Rules& rules, const Agent& agent, Learner& learner, int64_t until,
           const std::function<bool()>& poll);
void learn(const Kernels& kernels, const Rules& rules, const Agent& agent, LinearLearner& learner, int64_t until,
           const std::function<bool()>& poll);

}  // namespace blockfall
