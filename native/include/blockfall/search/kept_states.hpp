// The states that a search keeps by number, in as few bytes as their problem allows.
#pragma once

#include "limits.hpp"
#include "problem.hpp"

namespace blockfall::search {

// A problem with large states may pack them.
template <class P>
concept Packs = requires(P& p, const typename P::State& state, uint8_t* to, const uint8_t* from) {
  { p.packed_bytes() } -> std::convertible_to<size_t>;
  p.pack(state, to);
  { p.unpack(from) } -> std::same_as<typename P::State>;
};

template <Problem P>
class KeptStates {
 public:
  using State = typename P::State;
  KeptStates(P&, Memory& memory) : states_(memory) {}
  const State& operator[](uint32_t i) { return states_[i]; }
  void add(State&& state) { states_.add(std::move(state)); }
  void clear() { states_.clear(); }

 private:
  Pool<State> states_;
};

template <Problem P>
  requires Packs<P>
class KeptStates<P> {
 public:
  using State = typename P::State;
  KeptStates(P& problem, Memory& memory)
      : problem_(&problem), bytes_(problem.packed_bytes()), chunks_(CountedAllocator<Chunk>(memory)) {}

  State operator[](uint32_t i) { return problem_->unpack(place(i)); }
  void add(State&& state) {
    if (size_ % chunk == 0) chunks_.emplace_back(chunk * bytes_, chunks_.get_allocator());
    problem_->pack(state, place(size_++));
  }
  void clear() {
    chunks_.clear();
    size_ = 0;
  }

 private:
  using Chunk = Vector<uint8_t>;
  static constexpr uint32_t chunk = 256;
  uint8_t* place(uint32_t i) { return chunks_[i / chunk].data() + i % chunk * bytes_; }

  P* problem_;
  size_t bytes_;
  Vector<Chunk> chunks_;
  uint32_t size_ = 0;
};

}  // namespace blockfall::search
