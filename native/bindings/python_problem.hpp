// A problem written in Python, for the core's searches: see blockfall.search.Problem.
#pragma once

#include <cmath>
#include <optional>
#include <utility>

#include "bindings.hpp"
#include "blockfall/search/run.hpp"

namespace blockfall::bindings {

// A user's problem gave something that no search can use.
struct BadAnswer : std::runtime_error {
  BadAnswer(const char* method, nb::handle answer, const char* wanted)
      : std::runtime_error(std::string(method) + " gave " + nb::repr(answer).c_str() + "; it must give " + wanted) {}
};

// States by Python's own hash and equality; each gets a number when it is first met. A dict would look at memory three
// times for each state, this table once.
class StateNumbers {
 public:
  StateNumbers() = default;
  StateNumbers(const StateNumbers&) = delete;
  ~StateNumbers() {
    for (const Slot& slot : slots_) Py_XDECREF(slot.object);
  }

  // The number, from 1, or 0 where Python raised an error; and whether it is new.
  std::pair<uint32_t, bool> of(PyObject* state, search::Memory& memory) {
    const Py_hash_t hash = PyObject_Hash(state);
    if (hash == -1) return {0, false};
    if (2 * (used_ + 1) > slots_.size()) grow(memory);
    for (size_t i = first(hash);; i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (!slot.object) {
        slot = {hash, Py_NewRef(state), ++used_};
        return {used_, true};
      }
      if (slot.hash != hash) continue;
      const int equal = PyObject_RichCompareBool(slot.object, state, Py_EQ);
      if (equal < 0) return {0, false};
      if (equal) return {slot.number, false};
    }
  }

 private:
  struct Slot {
    Py_hash_t hash;
    PyObject* object;
    uint32_t number;
  };

  size_t first(Py_hash_t hash) const { return uint64_t(hash) * 0x9E3779B97F4A7C15u >> shift_; }

  void grow(search::Memory& memory) {
    constexpr int fewest_bits = 8;
    shift_ = slots_.empty() ? 64 - fewest_bits : shift_ - 1;
    const size_t size = size_t{1} << (64 - shift_);
    memory.take(int64_t((size - slots_.size()) * sizeof(Slot)));
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (!slot.object) continue;
      size_t i = first(slot.hash);
      while (slots_[i].object) i = (i + 1) & (size - 1);
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  uint32_t used_ = 0;
  int shift_ = 64;
};

// A state's hash is its number in this table.
// Methods are looked up once, and those that the problem has left as they are, are not called at all.
class PythonProblem {
  using Memory = search::Memory;
  using Stopped = search::Stopped;

  // A state's own bytes, counted as long as a search holds it, and for good once it has a number.
  class Charge {
   public:
    Charge(Memory& memory, int64_t bytes) : memory_(&memory), bytes_(bytes) { memory.take(bytes); }
    Charge(const Charge& other) : Charge(*other.memory_, other.bytes_) {}
    Charge(Charge&& other) noexcept : memory_(other.memory_), bytes_(std::exchange(other.bytes_, 0)) {}
    Charge& operator=(Charge other) noexcept {
      std::swap(memory_, other.memory_), std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Charge() { memory_->give_back(bytes_); }
    void keep_for_good() const { bytes_ = 0; }

   private:
    Memory* memory_;
    mutable int64_t bytes_;
  };

 public:
  struct State {
    nb::object object;
    Charge charge;
    std::optional<double> h;  // where it came with the state
  };
  using Action = nb::object;
  static constexpr bool states_are_handles = true;

  // `own` names the methods that are not those of the base class.
  PythonProblem(const nb::object& problem, const nb::object& own)
      : start_(problem.attr("start")),
        actions_(problem.attr("actions")),
        result_(problem.attr("result")),
        is_goal_(problem.attr("is_goal")) {
    const auto method = [&](const char* name) {
      const bool has = PySequence_Contains(own.ptr(), nb::str(name).ptr()) == 1;
      return has ? nb::object(problem.attr(name)) : nb::object();
    };
    reward_ = method("reward"), heuristic_ = method("heuristic"), successors_ = method("successors");
    goals_ = method("goals"), before_ = method("before");
    traits_.admissible = nb::cast<bool>(problem.attr("admissible"));
    traits_.unit_cost = nb::cast<bool>(problem.attr("unit_cost"));
    traits_.costs_only = nb::cast<bool>(problem.attr("costs_only")) || !(reward_ || successors_);
    traits_.acyclic = nb::cast<bool>(problem.attr("acyclic"));
    traits_.slow = true;
  }

  void count_in(Memory& memory) { memory_ = &memory; }
  void note(const State& state) { noted_.append(state.object); }
  const nb::list& noted() const { return noted_; }  // the states of the trace

  search::Traits traits() const { return traits_; }
  State start() { return counted(call(start_)); }

  void actions(const State& state, std::vector<Action>& out) {
    out.clear();
    for_each(call(actions_, state.object), [&](nb::object&& action) { out.push_back(std::move(action)); });
  }

  search::Step<State> result(const State& state, const Action& action) {
    nb::object next = call(result_, state.object, action);
    const double reward = reward_ ? checked(call(reward_, state.object, action, next)) : usual_reward;
    return {counted(std::move(next)), reward};
  }

  // All steps from a state; in one call where the problem offers that.
  void edges(const State& state, std::vector<search::Edge<PythonProblem>>& out) {
    out.clear();
    if (!successors_) {
      for_each(call(actions_, state.object), [&](nb::object&& action) {
        search::Step<State> step = result(state, action);
        out.push_back({std::move(action), std::move(step)});
      });
      return;
    }
    for_each(call(successors_, state.object), [&](nb::object&& edge) {
      const Py_ssize_t parts = PyTuple_Check(edge.ptr()) ? PyTuple_GET_SIZE(edge.ptr()) : 0;
      if (parts < 3 || parts > 4) throw BadAnswer("successors", edge, "(action, state, reward) or with the state's h");
      const auto part = [&](Py_ssize_t i) { return nb::borrow(PyTuple_GET_ITEM(edge.ptr(), i)); };
      const double reward = checked(part(2));
      State next = counted(part(1));
      if (parts == 4) next.h = number("successors", part(3));
      out.push_back({part(0), {std::move(next), reward}});
    });
  }

  bool is_goal(const State& state) {
    const nb::object answer = call(is_goal_, state.object);
    if (answer.ptr() == Py_True || answer.ptr() == Py_False) return answer.ptr() == Py_True;
    const int truth = PyObject_IsTrue(answer.ptr());
    if (truth < 0) raise();
    return truth != 0;
  }

  double heuristic(const State& state) {
    if (state.h) return *state.h;
    return heuristic_ ? number("heuristic", call(heuristic_, state.object)) : 0;
  }

  bool same(const State& one, const State& other) {
    const int equal = PyObject_RichCompareBool(one.object.ptr(), other.object.ptr(), Py_EQ);
    if (equal < 0) raise();
    return equal == 1;
  }

  double points(const State&, double earned) { return earned; }

  uint64_t hash(const State& state) {
    const auto [number, is_new] = numbers_.of(state.object.ptr(), *memory_);
    if (number == 0) raise();
    if (is_new) state.charge.keep_for_good();
    return number;
  }

  void goals(std::vector<State>& out) {
    out.clear();
    for_each(call(goals_), [&](nb::object&& goal) { out.push_back(counted(std::move(goal))); });
  }

  void undo(const State& state, std::vector<search::Undone<PythonProblem>>& out) {
    out.clear();
    for_each(call(before_, state.object), [&](nb::object&& step) {
      if (!PyTuple_Check(step.ptr()) || PyTuple_GET_SIZE(step.ptr()) != 2)
        throw BadAnswer("before", step, "(state before, action)");
      nb::object before = nb::borrow(PyTuple_GET_ITEM(step.ptr(), 0)),
                 action = nb::borrow(PyTuple_GET_ITEM(step.ptr(), 1));
      const double reward = reward_ ? checked(call(reward_, before, action, state.object)) : usual_reward;
      out.push_back({counted(std::move(before)), std::move(action), reward});
    });
  }

 private:
  static constexpr double usual_reward = -1.0;  // of the base class

  State counted(nb::object&& object) {
    const int64_t bytes = size_of(object);
    return {std::move(object), Charge(*memory_, bytes), {}};
  }

  // As sys.getsizeof says; a tuple's is known without asking.
  int64_t size_of(const nb::object& object) {
    constexpr int64_t collected_bytes = 16;  // what the garbage collector puts before an object
    if (PyTuple_CheckExact(object.ptr()))
      return collected_bytes + PyTuple_Type.tp_basicsize + PyTuple_GET_SIZE(object.ptr()) * PyTuple_Type.tp_itemsize;
    return nb::cast<int64_t>(call(sizeof_, object));
  }

  // An interrupt in the middle of Python's code ends the search like any other.
  [[noreturn]] static void raise() {
    nb::python_error error;
    if (error.matches(PyExc_KeyboardInterrupt)) throw Stopped{search::StoppedBy::interrupt};
    throw error;
  }

  static nb::object call(const nb::object& method, const auto&... arguments) {
    PyObject* given[] = {nullptr, arguments.ptr()...};  // the first place is for the method's object
    PyObject* answer =
        PyObject_Vectorcall(method.ptr(), given + 1, sizeof...(arguments) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    if (!answer) raise();
    return nb::steal(answer);
  }

  static void for_each(const nb::object& things, const auto& see) {
    if (PyList_CheckExact(things.ptr())) {
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(things.ptr()); ++i) see(nb::borrow(PyList_GET_ITEM(things.ptr(), i)));
      return;
    }
    const nb::object iterator = nb::steal(PyObject_GetIter(things.ptr()));
    if (!iterator) raise();
    while (PyObject* thing = PyIter_Next(iterator.ptr())) see(nb::steal(thing));
    if (PyErr_Occurred()) raise();
  }

  // NumPy's are welcome too.
  static double number(const char* method, const nb::object& answer) {
    const double value = PyFloat_AsDouble(answer.ptr());
    if (value == -1.0 && PyErr_Occurred()) {
      nb::python_error error;
      if (!error.matches(PyExc_TypeError)) throw error;
      throw BadAnswer(method, answer, "a number");
    }
    if (std::isnan(value)) throw BadAnswer(method, answer, "a number");
    return value;
  }

  static double checked(const nb::object& answer) {
    const double reward = number("reward", answer);
    // So large that no sum of such rewards overflows, and meets a heuristic of minus infinity.
    constexpr double largest_reward = 1e200;
    if (std::abs(reward) > largest_reward)
      throw BadAnswer("reward", nb::float_(reward), "a number from -1e200 to 1e200");
    return reward;
  }

  nb::object start_, actions_, result_, is_goal_;
  nb::object reward_, heuristic_, successors_, goals_, before_;  // none where they are the base class's
  nb::object sizeof_ = nb::module_::import_("sys").attr("getsizeof");
  Memory* memory_ = nullptr;  // of the search that is running
  StateNumbers numbers_;
  nb::list noted_;
  search::Traits traits_;
};

}  // namespace blockfall::bindings
