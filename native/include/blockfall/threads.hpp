// Threads that are joined when they go out of scope. std::jthread would do, but libc++ lacks it before version 18.
#pragma once

#include <thread>
#include <utility>
#include <vector>

namespace blockfall {

class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { join(); }

  template <class Work>
  void start(Work work) {
    threads_.emplace_back(std::move(work));
  }

  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace blockfall
