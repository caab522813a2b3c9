// GPU threads that share a game. Each thread has the whole game and tries some of the placements; then the threads
// exchange their results. Everywhere else, a thread has its game to itself.
#pragma once

#include "sizes.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// The most pieces of a sequence. Fixed when the code is compiled for one agent.
#if defined(BLOCKFALL_PIECES)
inline constexpr int most_pieces = BLOCKFALL_PIECES;
#else
inline constexpr int most_pieces = max_known;
#endif

// The bits of a number, arranged so that they compare as the numbers do; 0 and -0 give the same bits.
inline uint32_t comparable(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value + 0.0f);
  return bits >> 31 ? ~bits : bits | 1u << 31;
}

inline float number_of(uint32_t comparable) {
  return __builtin_bit_cast(float, comparable >> 31 ? comparable ^ 1u << 31 : ~comparable);
}

#if defined(BLOCKFALL_THREADS)
inline constexpr int threads_per_game = BLOCKFALL_THREADS;  // a power of two, at most a warp's 32
inline int thread_of_game() { return int(threadIdx.x % threads_per_game); }

// The mask of this game's threads within the warp.
inline uint32_t threads_of_game() {
  return ~0u >> (32 - threads_per_game) << (threadIdx.x % 32 - unsigned(thread_of_game()));
}

// The value that the given thread of the game holds.
template <class Word>
inline Word said_by(int thread, Word mine) {
  return __shfl_sync(threads_of_game(), mine, thread, threads_per_game);
}

inline uint32_t greatest_of_game(uint32_t mine) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(threads_of_game(), mine);
#else
  for (int other = threads_per_game / 2; other; other /= 2) {
    const uint32_t found = said_by(thread_of_game() ^ other, mine);
    mine = found > mine ? found : mine;
  }
  return mine;
#endif
}

inline uint32_t sum_of_game(uint32_t mine) {
  for (int other = threads_per_game / 2; other; other /= 2) mine += said_by(thread_of_game() ^ other, mine);
  return mine;
}
#else
inline constexpr int threads_per_game = 1;
inline int thread_of_game() { return 0; }
template <class Word>
inline Word said_by(int, Word mine) {
  return mine;
}
inline uint32_t greatest_of_game(uint32_t mine) { return mine; }
inline uint32_t sum_of_game(uint32_t mine) { return mine; }
#endif

// If an agent knows one piece, the threads share the placements on a board. If it knows more, they share the boards
// that wait for the last piece.
inline constexpr int threads_per_board = most_pieces == 1 ? threads_per_game : 1;
inline constexpr int threads_per_choice = most_pieces == 1 ? 1 : threads_per_game;
inline int thread_of_board() { return threads_per_board > 1 ? thread_of_game() : 0; }
inline int thread_of_choice() { return threads_per_choice > 1 ? thread_of_game() : 0; }

}  // namespace blockfall::BLOCKFALL_ARCH
