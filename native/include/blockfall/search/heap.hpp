// A heap that grows without copying: open lists are most of a search's memory.
#pragma once

#include <deque>
#include <utility>

#include "limits.hpp"

namespace blockfall::search {

// `Later(a, b)` says whether a comes after b. It is a total order, so items leave in that order whatever the heap looks
// like inside.
template <class T, class Later>
class Heap {
 public:
  Heap(Memory& memory, const Later& later) : items_(memory), later_(later) {}

  bool empty() const { return items_.size() == 0; }
  uint32_t size() const { return items_.size(); }
  T& operator[](uint32_t i) { return items_[i]; }
  const T& top() { return items_[0]; }

  void push(T&& item) { rise(items_.add(std::move(item))); }

  // Visits at most `most` items from the top down; nothing below an item where `goes_on` is false.
  template <class GoesOn>
  void show(uint32_t most, const GoesOn& goes_on) {
    std::vector<uint32_t> places;
    if (!empty()) places.push_back(0);
    for (size_t i = 0; i < places.size() && i < most; ++i) {
      if (!goes_on(items_[places[i]])) continue;
      for (uint32_t child = 2 * places[i] + 1; child <= 2 * places[i] + 2 && child < size(); ++child)
        places.push_back(child);
    }
  }

  T pop() {
    T first = std::move(items_[0]);
    const uint32_t last = items_.size() - 1;
    uint32_t hole = 0;
    for (uint32_t child = 1; child < last; child = 2 * hole + 1) {  // down to a leaf: the last item rarely stays above
      if (child + 1 < last && later_(items_[child], items_[child + 1])) ++child;
      items_[hole] = std::move(items_[child]);
      hole = child;
    }
    if (hole != last) items_[hole] = std::move(items_[last]);
    items_.remove_last();
    if (hole != last) rise(hole);
    return first;
  }

 private:
  void rise(uint32_t at) {
    T item = std::move(items_[at]);
    while (at > 0) {
      const uint32_t parent = (at - 1) / 2;
      if (!later_(items_[parent], item)) break;
      items_[at] = std::move(items_[parent]);
      at = parent;
    }
    items_[at] = std::move(item);
  }

  Pool<T> items_;
  Later later_;
};

// Open nodes: in a heap, or in a queue if they arrive in the order in which they leave.
template <class T, class Later>
class OpenList {
 public:
  OpenList(Memory& memory, const Later& later, bool in_order)
      : heap_(memory, later), queue_(CountedAllocator<T>(memory)), in_order_(in_order) {}

  bool empty() const { return size() == 0; }
  uint32_t size() const { return in_order_ ? uint32_t(queue_.size()) : heap_.size(); }
  const T& operator[](uint32_t i) { return in_order_ ? queue_[i] : heap_[i]; }
  const T& top() { return in_order_ ? queue_.front() : heap_.top(); }

  void push(T&& item) {
    if (in_order_)
      queue_.push_back(std::move(item));
    else
      heap_.push(std::move(item));
  }
  // Visits at most `most` nodes whose turn is near, while `goes_on`.
  template <class GoesOn>
  void show(uint32_t most, const GoesOn& goes_on) {
    if (!in_order_) return heap_.show(most, goes_on);
    for (uint32_t i = 0; i < most && i < size() && goes_on(queue_[i]); ++i) {
    }
  }
  T pop() {
    if (!in_order_) return heap_.pop();
    T first = std::move(queue_.front());
    queue_.pop_front();
    return first;
  }

 private:
  Heap<T, Later> heap_;
  std::deque<T, CountedAllocator<T>> queue_;
  const bool in_order_;
};

}  // namespace blockfall::search
