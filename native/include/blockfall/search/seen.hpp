// The states seen so far, by hash, with the most earned on the way to each.
#pragma once

#include <limits>

#include "limits.hpp"

namespace blockfall::search {

class Seen {
 public:
  explicit Seen(Memory& memory) : slots_(CountedAllocator<Slot>(memory)) {}

  // Whether `earned` is more than at any earlier visit; if so, it is recorded.
  bool improves(uint64_t hash, double earned) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = find(hash);
    if (slot.earned >= earned) return false;
    if (slot.earned == never) ++used_;
    slot = {hash, earned};
    return true;
  }

  bool would_improve(uint64_t hash, double earned) {
    if (slots_.empty()) return true;
    return find(hash).earned < earned;
  }

  // Whether nothing better has been recorded since.
  bool is_current(uint64_t hash, double earned) { return find(hash).earned <= earned; }

  void clear() {
    for (Slot& slot : slots_) slot.earned = never;
    used_ = 0;
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();  // less than any sum of rewards
  struct Slot {
    uint64_t hash = 0;
    double earned = never;
  };

  Slot& find(uint64_t hash) {
    const size_t mask = slots_.size() - 1;
    size_t i = (hash ^ hash >> 32) & mask;
    while (slots_[i].earned != never && slots_[i].hash != hash) i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    Vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size(), slots_.get_allocator());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.earned != never) find(slot.hash) = slot;
  }

  Vector<Slot> slots_;
  size_t used_ = 0;
};

// The same for states whose hashes are consecutive numbers from 1.
class SeenNumbers {
 public:
  explicit SeenNumbers(Memory& memory) : earned_(CountedAllocator<double>(memory)) {}

  bool improves(uint64_t number, double earned) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    if (number >= earned_.size()) earned_.resize(number + 1, never);
    if (earned_[number] >= earned) return false;
    earned_[number] = earned;
    return true;
  }
  bool is_current(uint64_t number, double earned) { return earned_[number] <= earned; }

 private:
  Vector<double> earned_;
};

}  // namespace blockfall::search
