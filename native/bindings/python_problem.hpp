// A problem written in Python, for the core's searches: see blockfall.search.Problem.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "bindings.hpp"
#include "blockfall/search/run.hpp"
#include "state_numbers.hpp"

namespace blockfall::bindings {

// Raised if a user's problem returns something that no search can use.
struct BadAnswer : std::runtime_error {
  BadAnswer(const char* method, nb::handle answer, const char* wanted)
      : std::runtime_error(std::string(method) + " gave " + nb::repr(answer).c_str() + "; it must give " + wanted) {}
};

// A state's hash is its number in a table. Methods are looked up once; those that the problem does not override are
// never called.
class PythonProblem {
  using Memory = search::Memory;
  using Stopped = search::Stopped;

  // A state's bytes, counted while a search holds it, and for good once it has a number.
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

  using Rows = nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  using Indices = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  // The steps of many states, from one call, kept until the last of these states is expanded.
  struct Batch {
    std::vector<uint32_t> first, steps;  // indices of a state's steps: from its first to the next state's
    nb::object actions;                  // a list
    Rows results;
    std::optional<Numbers> rewards, h;  // no rewards if they are all the same
    double reward;
    Charge charge;
  };

 public:
  static constexpr double no_h = std::numeric_limits<double>::quiet_NaN();
  struct State {
    nb::object object;
    Charge charge;
    double h = no_h;                          // if it came with the state
    std::shared_ptr<const Batch> batch = {};  // if its steps were asked for already
    size_t place = 0;                         // in the batch
  };
  using Action = nb::object;
  static constexpr bool states_are_handles = true;

  // `own` names the methods that the problem overrides.
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
    successors_of_ = method("successors_of");
    goals_ = method("goals"), before_ = method("before");
    traits_.admissible = nb::cast<bool>(problem.attr("admissible"));
    traits_.unit_cost = nb::cast<bool>(problem.attr("unit_cost"));
    traits_.costs_only = nb::cast<bool>(problem.attr("costs_only")) || !(reward_ || successors_ || successors_of_);
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

  // All steps from a state; in one call if the problem offers that.
  void edges(const State& state, std::vector<search::Edge<PythonProblem>>& out) {
    out.clear();
    if (state.batch) return take(*state.batch, state.place, out);
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

  bool may_ask(const State& state) const { return bool(successors_of_) && !state.batch; }

  // Asks for the steps of many states in one call.
  bool ask(const std::vector<State*>& states) {
    constexpr size_t fewest = 8;  // for fewer, NumPy's calls are slower than Python's
    if (states.size() < fewest) return false;
    const Py_ssize_t width = width_of(*states[0]);
    auto rows = new_array<uint8_t>(states.size(), width);
    for (size_t i = 0; i < states.size(); ++i) {
      if (width_of(*states[i]) != width) throw BadAnswer("result", states[i]->object, "bytes of one length");
      std::memcpy(rows.data() + i * size_t(width), PyBytes_AS_STRING(states[i]->object.ptr()), size_t(width));
    }
    const auto batch =
        std::make_shared<Batch>(read(call(successors_of_, nb::cast(rows)), states.size(), size_t(width)));
    for (size_t i = 0; i < states.size(); ++i) states[i]->batch = batch, states[i]->place = i;
    return true;
  }

  bool is_goal(const State& state) {
    const nb::object answer = call(is_goal_, state.object);
    if (answer.ptr() == Py_True || answer.ptr() == Py_False) return answer.ptr() == Py_True;
    const int truth = PyObject_IsTrue(answer.ptr());
    if (truth < 0) raise();
    return truth != 0;
  }

  double heuristic(const State& state) {
    if (!std::isnan(state.h)) return state.h;
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
  static constexpr double usual_reward = -1.0;  // the base class's
  // Small enough that no sum of rewards overflows and meets a heuristic of minus infinity.
  static constexpr double largest_reward = 1e200;

  static Py_ssize_t width_of(const State& state) {
    PyObject* object = state.object.ptr();
    if (!PyBytes_CheckExact(object)) throw BadAnswer("result", state.object, "bytes, where it has successors_of");
    return PyBytes_GET_SIZE(object);
  }

  template <class Array>
  static Array array(const nb::object& given, const char* wanted) {
    Array read;
    if (!nb::try_cast(given, read)) throw BadAnswer("successors_of", given, wanted);
    return read;
  }
  static void must(bool holds, const nb::object& given, const char* wanted) {
    if (!holds) throw BadAnswer("successors_of", given, wanted);
  }

  // Checks what `successors_of` returned for this many states.
  Batch read(const nb::object& answer, size_t states, size_t width) {
    const Py_ssize_t parts = PyTuple_Check(answer.ptr()) ? PyTuple_GET_SIZE(answer.ptr()) : 0;
    must(parts == 4 || parts == 5, answer, "(rows, actions, results, rewards) or with the results' h");
    const auto part = [&](Py_ssize_t i) {
      return i < parts ? nb::borrow(PyTuple_GET_ITEM(answer.ptr(), i)) : nb::object(nb::none());
    };
    const auto rows = array<Indices>(part(0), "rows as an array of whole numbers");
    const size_t count = rows.shape(0);
    Batch batch{std::vector<uint32_t>(states + 1),
                std::vector<uint32_t>(count),
                listed(part(1)),
                array<Rows>(part(2), "results as an array of bytes, a row for each step"),
                {},
                {},
                0,
                Charge(*memory_, int64_t((states + count) * sizeof(uint32_t) + count * (width + 3 * sizeof(double))))};
    must(size_t(PyList_GET_SIZE(batch.actions.ptr())) == count, part(1), "an action for each step");
    must(batch.results.shape(0) == count && batch.results.shape(1) == width, part(2), "as many bytes as a state has");
    if (PyNumber_Check(part(3).ptr()) && !PySequence_Check(part(3).ptr()))
      batch.reward = checked(part(3));
    else
      batch.rewards = array<Numbers>(part(3), "rewards as an array of numbers");
    if (parts == 5) batch.h = array<Numbers>(part(4), "h as an array of numbers");
    must(!batch.rewards || batch.rewards->shape(0) == count, part(3), "a reward for each step");
    must(!batch.h || batch.h->shape(0) == count, part(4), "h for each step");
    for (size_t i = 0; i < count; ++i) {
      must(rows(i) >= 0 && rows(i) < int64_t(states), part(0), "rows of the states that it is given");
      must(!batch.rewards || std::abs((*batch.rewards)(i)) <= largest_reward, part(3), "rewards from -1e200 to 1e200");
      must(!batch.h || !std::isnan((*batch.h)(i)), part(4), "h as numbers");
      ++batch.first[size_t(rows(i)) + 1];
    }
    for (size_t i = 0; i < states; ++i) batch.first[i + 1] += batch.first[i];
    std::vector<uint32_t> next(batch.first.begin(), batch.first.end() - 1);
    for (size_t i = 0; i < count; ++i) batch.steps[next[size_t(rows(i))]++] = uint32_t(i);
    return batch;
  }

  // Converts to a list; an array to Python numbers.
  static nb::object listed(const nb::object& things) {
    nb::object list = nb::steal(nb::hasattr(things, "tolist") ? nb::object(things.attr("tolist")()).release().ptr()
                                                              : PySequence_List(things.ptr()));
    if (!list) raise();
    return list;
  }

  void take(const Batch& batch, size_t place, std::vector<search::Edge<PythonProblem>>& out) {
    const size_t width = batch.results.shape(1);
    for (uint32_t k = batch.first[place]; k < batch.first[place + 1]; ++k) {
      const size_t i = batch.steps[k];
      const auto* row = reinterpret_cast<const char*>(batch.results.data() + i * width);
      nb::object bytes = nb::steal(PyBytes_FromStringAndSize(row, Py_ssize_t(width)));
      if (!bytes) raise();
      State next = counted(std::move(bytes));
      if (batch.h) next.h = (*batch.h)(i);
      const double reward = batch.rewards ? (*batch.rewards)(i) : batch.reward;
      out.push_back({nb::borrow(PyList_GET_ITEM(batch.actions.ptr(), Py_ssize_t(i))), {std::move(next), reward}});
    }
  }

  State counted(nb::object&& object) {
    const int64_t bytes = size_of(object);
    return {std::move(object), Charge(*memory_, bytes)};
  }

  // The size by sys.getsizeof; that of a tuple or of bytes is known without asking.
  int64_t size_of(const nb::object& object) {
    constexpr int64_t collected_bytes = 16;  // what the garbage collector puts before an object
    if (PyTuple_CheckExact(object.ptr()))
      return collected_bytes + PyTuple_Type.tp_basicsize + PyTuple_GET_SIZE(object.ptr()) * PyTuple_Type.tp_itemsize;
    if (PyBytes_CheckExact(object.ptr())) return PyBytes_Type.tp_basicsize + PyBytes_GET_SIZE(object.ptr());
    return nb::cast<int64_t>(call(sizeof_, object));
  }

  // An interrupt within Python code ends the search like any other.
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

  // NumPy numbers are accepted.
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
    if (std::abs(reward) > largest_reward)
      throw BadAnswer("reward", nb::float_(reward), "a number from -1e200 to 1e200");
    return reward;
  }

  nb::object start_, actions_, result_, is_goal_;
  nb::object reward_, heuristic_, successors_, successors_of_, goals_, before_;  // none if not overridden
  nb::object sizeof_ = nb::module_::import_("sys").attr("getsizeof");
  Memory* memory_ = nullptr;  // of the running search
  StateNumbers numbers_;
  nb::list noted_;
  search::Traits traits_;
};

}  // namespace blockfall::bindings
