// Which kernels this machine can run, and games played over threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels.hpp"

namespace blockfall {

inline constexpr int max_threads = 1024;  // of one batch

// Narrowest first; the last is the fastest.
std::vector<const Kernels*> supported_kernels();

// Throws std::invalid_argument for one that this machine cannot run.
const Kernels& kernels_named(const std::string& name);

// The instruction set that plays where none is named: the widest one that the machine has, the one in the environment's
// BLOCKFALL_SIMD where the machine has that, or the one that use_kernels has set.
const Kernels& kernels_in_use();
void use_kernels(const std::string& name);

// Does the work on so many threads, and polls meanwhile, as below; `stop` is set where the work is to end.
void run_polled(int threads, const std::function<void()>& work, int32_t& stop, const std::function<bool()>& poll);

// Plays the batch on so many threads. `poll` is called about twenty times a second from the calling thread; when it
// returns false the games stop within milliseconds.
void play(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, int threads,
          const std::function<bool()>& poll);

// Learns until so many actions are done, likewise on a thread of its own.
void learn(const Kernels& kernels, const Rules& rules, const Agent& agent, Learner& learner, int64_t until,
           const std::function<bool()>& poll);
void learn(const Kernels& kernels, const Rules& rules, const Agent& agent, LinearLearner& learner, int64_t until,
           const std::function<bool()>& poll);

}  // namespace blockfall
