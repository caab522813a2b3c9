// The states of a problem written in Python, by number.
#pragma once

#include <utility>

#include "bindings.hpp"
#include "blockfall/search/limits.hpp"

namespace blockfall::bindings {

// States by Python's own hash and equality; each gets a number when first seen. Slots are small, so that more of them
// fit in the cache.
class StateNumbers {
 public:
  StateNumbers() = default;
  StateNumbers(const StateNumbers&) = delete;
  ~StateNumbers() {
    for (const Met& met : met_) Py_DECREF(met.object);
  }

  // The number, from 1, or 0 if Python raised an error; and whether it is new.
  std::pair<uint32_t, bool> of(PyObject* state, search::Memory& memory) {
    const Py_hash_t hash = PyObject_Hash(state);
    if (hash == -1) return {0, false};
    if (2 * (met_.size() + 1) > slots_.size()) grow(memory);
    for (size_t i = first(hash);; i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (!slot.number) {
        met_.push_back({hash, Py_NewRef(state)});
        slot = {uint32_t(hash), uint32_t(met_.size())};
        return {slot.number, true};
      }
      if (slot.mark != uint32_t(hash)) continue;
      const Met& met = met_[slot.number - 1];
      if (met.hash != hash) continue;
      const int equal = PyObject_RichCompareBool(met.object, state, Py_EQ);
      if (equal < 0) return {0, false};
      if (equal) return {slot.number, false};
    }
  }

 private:
  struct Slot {
    uint32_t mark;    // the low half of the hash
    uint32_t number;  // 0: none
  };
  struct Met {
    Py_hash_t hash;
    PyObject* object;
  };

  size_t first(Py_hash_t hash) const { return uint64_t(hash) * 0x9E3779B97F4A7C15u >> shift_; }

  void grow(search::Memory& memory) {
    constexpr int fewest_bits = 8;
    shift_ = slots_.empty() ? 64 - fewest_bits : shift_ - 1;
    const size_t size = size_t{1} << (64 - shift_);
    const size_t more = size - slots_.size();
    memory.take(int64_t(more * sizeof(Slot) + more / 2 * sizeof(Met)));
    met_.reserve(size / 2);
    slots_.assign(size, {});
    for (uint32_t number = 1; number <= met_.size(); ++number) {
      const Py_hash_t hash = met_[number - 1].hash;
      size_t i = first(hash);
      while (slots_[i].number) i = (i + 1) & (size - 1);
      slots_[i] = {uint32_t(hash), number};
    }
  }

  std::vector<Slot> slots_;
  std::vector<Met> met_;  // by number, from 1
  int shift_ = 64;
};

}  // namespace blockfall::bindings
