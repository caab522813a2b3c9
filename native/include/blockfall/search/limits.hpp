// The limits of a search, and the memory that it counts.
//
// Reaching a limit throws Stopped: an algorithm is written as if it had unlimited time, and its caller catches the
// exception and keeps the best solution offered so far.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace blockfall::search {

enum class StoppedBy : uint8_t { finished, time, nodes, memory, interrupt };

struct Stopped {
  StoppedBy by;
};

struct Limits {
  double time_s = 0;  // 0: none
  int64_t nodes = 0;  // expanded; 0: none
  int64_t memory_bytes = int64_t{8} << 30;
};

// All bytes that a search holds. Asking for more than the limit stops the search before they are allocated.
class Memory {
 public:
  explicit Memory(int64_t limit) : limit_(limit) {}
  int64_t peak() const { return peak_; }
  int64_t left() const { return limit_ - used_; }

  void take(int64_t bytes) {
    const int64_t now = used_ += bytes;
    if (now > limit_) {
      used_ -= bytes;
      throw Stopped{StoppedBy::memory};
    }
    int64_t peak = peak_;
    while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
    }
  }
  void give_back(int64_t bytes) { used_ -= bytes; }

 private:
  std::atomic<int64_t> used_ = 0, peak_ = 0;
  int64_t limit_;
};

// Bytes held for the lifetime of this object where no allocator can count them.
class Held {
 public:
  Held(Memory& memory, size_t bytes) : memory_(memory), bytes_(int64_t(bytes)) { memory.take(bytes_); }
  Held(const Held&) = delete;
  ~Held() { memory_.give_back(bytes_); }

 private:
  Memory& memory_;
  const int64_t bytes_;
};

template <class T>
struct CountedAllocator {
  using value_type = T;
  Memory* memory;

  explicit CountedAllocator(Memory& m) : memory(&m) {}
  template <class U>
  CountedAllocator(const CountedAllocator<U>& other) : memory(other.memory) {}

  T* allocate(size_t n) {
    memory->take(int64_t(n * sizeof(T)));
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, size_t n) {
    std::allocator<T>().deallocate(p, n);
    memory->give_back(int64_t(n * sizeof(T)));
  }
  template <class U>
  bool operator==(const CountedAllocator<U>& other) const {
    return memory == other.memory;
  }
};

template <class T>
using Vector = std::vector<T, CountedAllocator<T>>;

// Numbered items that never move, so that growing needs neither a copy nor twice the memory.
template <class T>
class Pool {
 public:
  explicit Pool(Memory& memory) : memory_(&memory), chunks_(CountedAllocator<Vector<T>>(memory)) {}
  T& operator[](uint32_t i) { return chunks_[i >> chunk_bits][i & (chunk - 1)]; }
  uint32_t size() const { return size_; }

  uint32_t add(T&& value) {
    if (size_ >> chunk_bits == chunks_.size()) {
      chunks_.emplace_back(CountedAllocator<T>(*memory_));
      chunks_.back().reserve(chunk);
    }
    chunks_[size_ >> chunk_bits].push_back(std::move(value));
    return size_++;
  }
  void remove_last() {
    --size_;
    chunks_[size_ >> chunk_bits].pop_back();
    if (chunks_.size() > (size_ >> chunk_bits) + 2)
      chunks_.pop_back();  // keeps one spare, so that crossing a chunk border is cheap
  }
  void clear() {
    chunks_.clear();
    size_ = 0;
  }

 private:
  static constexpr int chunk_bits = 8;
  static constexpr uint32_t chunk = 1u << chunk_bits;
  Memory* memory_;
  Vector<Vector<T>> chunks_;
  uint32_t size_ = 0;
};

// State shared by all threads of one search: the clock, the memory and the stop signal.
class Control {
 public:
  using Clock = std::chrono::steady_clock;

  // The thread that started the search calls `poll` now and then; false interrupts the search.
  Control(const Limits& limits, std::function<bool()> poll)
      : limits(limits), memory(limits.memory_bytes), poll_(std::move(poll)), started_(Clock::now()) {}

  const Limits limits;
  Memory memory;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  void stop(StoppedBy by) {
    StoppedBy none = StoppedBy::finished;
    stopped_by_.compare_exchange_strong(none, by);
  }
  StoppedBy stopped_by() const { return stopped_by_; }
  void dismiss_helpers() { dismissed_ = true; }

  void check(bool polls) {
    const double now = seconds();
    if (limits.time_s > 0 && now >= limits.time_s) stop(StoppedBy::time);
    if (polls && now - polled_s_ > 0.05) {
      polled_s_ = now;
      if (poll_ && !poll_()) stop(StoppedBy::interrupt);
    }
    if (const StoppedBy by = stopped_by_; by != StoppedBy::finished || dismissed_) throw Stopped{by};
  }

 private:
  std::function<bool()> poll_;
  Clock::time_point started_;
  double polled_s_ = 0;
  std::atomic<StoppedBy> stopped_by_ = StoppedBy::finished;
  std::atomic<bool> dismissed_ = false;
};

}  // namespace blockfall::search
