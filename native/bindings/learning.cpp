#include <algorithm>
#include <memory>

#include "bindings.hpp"
#include "blockfall/learning/table.hpp"

namespace blockfall::bindings {
namespace {

template <class T>
using Input = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
using State = nb::typed<nb::dict, nb::str, nb::any>;

// Floats at an address aligned for blocks.
class AlignedFloats {
 public:
  explicit AlignedFloats(size_t count) : memory_(count + 16) {}
  float* data() {
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    return memory_.data() + (64 - address % 64) % 64 / sizeof(float);
  }

 private:
  std::vector<float> memory_;
};

template <class T>
nb::ndarray<nb::numpy, T> copy(const T* from, size_t count) {
  auto array = new_array<T>(count);
  std::copy(from, from + count, array.data());
  return array;
}

template <class T>
std::vector<T> take(const nb::dict& from, const char* name, size_t count) {
  Input<T> array;
  if (!from.contains(name) || !nb::try_cast(from[name], array) || array.ndim() != 1 || array.shape(0) != count)
    throw std::invalid_argument(std::string(name) + ": not an array of " + std::to_string(count) + " numbers");
  return std::vector<T>(array.data(), array.data() + count);
}

std::vector<int64_t> take_counts(const nb::dict& from, size_t count) {
  auto counts = take<int64_t>(from, "counts", count);
  if (std::any_of(counts.begin(), counts.end(), [](int64_t n) { return n < 0; }))
    throw std::invalid_argument("counts: a negative one");
  return counts;
}

// The mean squared error and the mean value of the predictions; None if there were no predictions.
std::optional<std::pair<double, double>> means_of(const LearningCurve& curve) {
  if (curve.predictions == 0) return std::nullopt;
  const auto count = double(curve.predictions);
  return std::pair(curve.squared_errors / count, curve.values / count);
}

// Learns on another thread, and reports progress to Python.
template <class AnyLearner>
void learn_watched(const CompiledRules& rules, const Agent& agent, AnyLearner& learner, int64_t until,
                   const nb::object& progress, const std::optional<std::string>& simd) {
  const Kernels& kernels = kernels_of(simd);
  learner.curve = {};
  Watch watch(OnInterrupt::raise, [&] {
    if (!progress.is_none()) progress(__atomic_load_n(&learner.actions, __ATOMIC_RELAXED));
  });
  watch.run_unlocked([&](const auto& poll) { blockfall::learn(kernels, rules.rules, agent, learner, until, poll); });
}

// A learner, its memory, and the rules and agent with which it plays. Python keeps both alive: the agent is told of a
// user's feature that gives no number.
class PythonLearner {
 public:
  PythonLearner(const CompiledRules& rules, const PythonAgent& agent, const LearningSettings& settings,
                int64_t capacity, uint64_t seed, uint64_t first_game)
      : rules_(rules), agent_(agent.agent), work_(checked_work(agent.agent, settings, capacity)) {
    const auto count = size_t(scalar::parameters_of(agent_.value));
    parameters_ = target_ = agent.parameters;
    first_moment_.resize(count), second_moment_.resize(count), gradient_.resize(count);
    state_.resize(size_t(capacity * agent_.value.features.count));
    reward_.resize(size_t(capacity)), link_.resize(size_t(capacity));
    learner_.settings = settings, learner_.capacity = capacity;
    learner_.seed = seed, learner_.first_game = first_game;
    learner_.parameters = parameters_.data(), learner_.target = target_.data();
    learner_.first_moment = first_moment_.data(), learner_.second_moment = second_moment_.data();
    learner_.gradient = gradient_.data();
    learner_.state = state_.data(), learner_.reward = reward_.data(), learner_.link = link_.data();
    learner_.work = work_.data();
  }

  void learn(int64_t until, nb::object progress, const std::optional<std::string>& simd) {
    learn_watched(rules_, agent_, learner_, until, progress, simd);
  }

  State state() const {
    State found;
    const auto held = size_t(std::min(learner_.added, learner_.capacity));
    found["parameters"] = copy(parameters_.data(), parameters_.size());
    found["target"] = copy(target_.data(), target_.size());
    found["first_moment"] = copy(first_moment_.data(), first_moment_.size());
    found["second_moment"] = copy(second_moment_.data(), second_moment_.size());
    found["state"] = copy(state_.data(), held * size_t(agent_.value.features.count));
    found["reward"] = copy(reward_.data(), held);
    found["link"] = copy(reinterpret_cast<const uint8_t*>(link_.data()), held);
    const int64_t counts[] = {learner_.added, learner_.actions, learner_.games, learner_.updates, learner_.lines};
    found["counts"] = copy(counts, std::size(counts));
    return found;
  }

  void set_state(const State& from) {
    const auto counts = take_counts(from, 5);
    const auto held = size_t(std::min(counts[0], learner_.capacity)), count = parameters_.size();
    const auto parameters = take<float>(from, "parameters", count), target = take<float>(from, "target", count),
               first = take<float>(from, "first_moment", count), second = take<float>(from, "second_moment", count),
               state = take<float>(from, "state", held * size_t(agent_.value.features.count)),
               reward = take<float>(from, "reward", held);
    const auto link = take<uint8_t>(from, "link", held);
    if (std::any_of(link.begin(), link.end(), [](uint8_t n) { return n > uint8_t(Link::cut); }))
      throw std::invalid_argument("link: a value above 2");
    learner_.added = counts[0], learner_.actions = counts[1], learner_.games = counts[2];
    learner_.updates = counts[3], learner_.lines = counts[4];
    std::copy(parameters.begin(), parameters.end(), parameters_.begin());
    std::copy(target.begin(), target.end(), target_.begin());
    std::copy(first.begin(), first.end(), first_moment_.begin());
    std::copy(second.begin(), second.end(), second_moment_.begin());
    std::copy(state.begin(), state.end(), state_.begin());
    std::copy(reward.begin(), reward.end(), reward_.begin());
    std::transform(link.begin(), link.end(), link_.begin(), [](uint8_t n) { return Link(n); });
  }

  nb::ndarray<nb::numpy, float> parameters() const { return copy(parameters_.data(), parameters_.size()); }
  const Learner& learner() const { return learner_; }

 private:
  static size_t checked_work(const Agent& agent, const LearningSettings& set, int64_t capacity) {
    if (agent.value.kind != ValueKind::feature_network) throw std::invalid_argument("only a network can learn");
    if (set.sample < 1 || set.sample > max_sample || set.batch < 1 || set.batch > set.sample)
      throw std::invalid_argument("a sample has 1 to 4096 states, a batch 1 to as many as the sample");
    if (set.train_every < 1 || set.epochs < 1 || set.steps < 1 || set.target_every < 0 || set.max_pieces < 0)
      throw std::invalid_argument("train_every, epochs and steps are 1 or more, target_every and max_pieces 0 or more");
    if (set.warm_up < 4 || capacity < 4 || capacity > 100'000'000)
      throw std::invalid_argument("at least 4 actions of warm-up, and a queue of 4 to 100000000 states");
    return size_t(scalar::Learning<0>::work_floats(agent, set));
  }

  const CompiledRules& rules_;
  Agent agent_;
  AlignedFloats work_;
  std::vector<float> parameters_, target_, first_moment_, second_moment_, gradient_, state_, reward_;
  std::vector<Link> link_;
  Learner learner_{};
};

// The same for a weighted sum that learns.
class PythonLinearLearner {
 public:
  PythonLinearLearner(const CompiledRules& rules, const PythonAgent& agent, const LinearSettings& settings,
                      uint64_t seed, uint64_t first_game)
      : rules_(rules), agent_(agent.agent), parameters_(agent.parameters) {
    check(agent.agent, settings);
    const auto size = size_t(settings.inputs) + 1;
    weights_.resize(size), squares_.resize(size), right_.resize(size), matrix_.resize(size * size);
    work_.resize(size_t(scalar::LinearLearning<0>::work_numbers(settings.inputs)));
    learner_.settings = settings, learner_.seed = seed, learner_.first_game = first_game;
    learner_.parameters = parameters_.data(), learner_.weights = weights_.data(), learner_.squares = squares_.data();
    learner_.matrix = matrix_.data(), learner_.right = right_.data(), learner_.work = work_.data();
  }

  void learn(int64_t until, nb::object progress, const std::optional<std::string>& simd) {
    learn_watched(rules_, agent_, learner_, until, progress, simd);
  }

  State state() const {
    State found;
    found["parameters"] = copy(parameters_.data(), parameters_.size());
    found["weights"] = copy(weights_.data(), weights_.size());
    found["squares"] = copy(squares_.data(), squares_.size());
    found["matrix"] = copy(matrix_.data(), matrix_.size());
    found["right"] = copy(right_.data(), right_.size());
    found["states"] = copy(&learner_.states, 1);
    const int64_t counts[] = {learner_.actions, learner_.games, learner_.updates, learner_.lines, learner_.solved_at};
    found["counts"] = copy(counts, std::size(counts));
    return found;
  }

  void set_state(const State& from) {
    const auto counts = take_counts(from, 5);
    const auto states = take<double>(from, "states", 1);
    auto parameters = take<float>(from, "parameters", parameters_.size());
    auto weights = take<double>(from, "weights", weights_.size()),
         squares = take<double>(from, "squares", squares_.size()),
         matrix = take<double>(from, "matrix", matrix_.size()), right = take<double>(from, "right", right_.size());
    learner_.actions = counts[0], learner_.games = counts[1], learner_.updates = counts[2];
    learner_.lines = counts[3], learner_.solved_at = counts[4], learner_.states = states[0];
    std::copy(parameters.begin(), parameters.end(), parameters_.begin());
    std::copy(weights.begin(), weights.end(), weights_.begin());
    std::copy(squares.begin(), squares.end(), squares_.begin());
    std::copy(matrix.begin(), matrix.end(), matrix_.begin());
    std::copy(right.begin(), right.end(), right_.begin());
  }

  nb::ndarray<nb::numpy, float> parameters() const { return copy(parameters_.data(), parameters_.size()); }
  nb::ndarray<nb::numpy, double> weights() const { return copy(weights_.data(), weights_.size()); }
  const LinearLearner& learner() const { return learner_; }

 private:
  static void check(const Agent& agent, const LinearSettings& set) {
    if (agent.value.kind != ValueKind::weighted_features)
      throw std::invalid_argument("only a weighted sum of features can learn so");
    const int features = agent.value.features.count;
    if (set.inputs < 1 || set.inputs > features || set.reward_place < 0 || set.reward_place >= features)
      throw std::invalid_argument("the inputs and the reward are features of the agent");
    if (set.warm_up < 0 || set.policy_actions < 1 || set.max_pieces < 0)
      throw std::invalid_argument("policy_actions is 1 or more, warm_up and max_pieces 0 or more");
  }

  const CompiledRules& rules_;
  Agent agent_;
  std::vector<float> parameters_;
  std::vector<double> weights_, squares_, matrix_, right_, work_;
  LinearLearner learner_{};
};

using Table = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

float* checked_table(const Table& table) {
  if (table.shape(0) != size_t(table_entries))
    throw std::invalid_argument("a table has " + std::to_string(table_entries) + " numbers");
  return table.data();
}

// The methods that all learners have.
template <class AnyLearner>
void bind_learner(nb::class_<AnyLearner>& learner) {
  learner
      .def("learn", &AnyLearner::learn, nb::arg("until"), nb::arg("progress").none() = nb::none(), nb::kw_only(),
           nb::arg("simd").none() = nb::none(),
           "Play and learn, whole games, until this many actions are done in all; `progress` is called with the count.")
      .def("state", &AnyLearner::state, "Return all its data, between two games, as arrays.")
      .def("set_state", &AnyLearner::set_state, nb::arg("state"))
      .def_prop_ro("parameters", &AnyLearner::parameters, nb::rv_policy::move)
      .def_prop_ro("actions", [](const AnyLearner& l) { return l.learner().actions; })
      .def_prop_ro("games", [](const AnyLearner& l) { return l.learner().games; })
      .def_prop_ro("updates", [](const AnyLearner& l) { return l.learner().updates; })
      .def_prop_ro("lines", [](const AnyLearner& l) { return l.learner().lines; })
      .def_prop_ro("curve", [](const AnyLearner& l) { return means_of(l.learner().curve); });
}

using Rows = nb::ndarray<const float, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;
using Row = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_learning(nb::module_& m) {
  using S = LearningSettings;
  nb::class_<S>(m, "LearningSettings")
      .def(nb::init<>())
      .def_rw("warm_up", &S::warm_up)
      .def_rw("random_warm_up", &S::random_warm_up)
      .def_rw("exploration", &S::exploration)
      .def_rw("train_every", &S::train_every)
      .def_rw("sample", &S::sample)
      .def_rw("batch", &S::batch)
      .def_rw("epochs", &S::epochs)
      .def_rw("discount", &S::discount)
      .def_rw("learning_rate", &S::learning_rate)
      .def_rw("steps", &S::steps)
      .def_rw("target_every", &S::target_every)
      .def_rw("own_reward", &S::own_reward)
      .def_rw("piece_reward", &S::piece_reward)
      .def_rw("end_reward", &S::end_reward)
      .def_rw("max_pieces", &S::max_pieces)
      .def_prop_rw(
          "line_reward", [](const S& s) { return std::vector<float>(s.line_reward, s.line_reward + cells_per_piece); },
          [](S& s, const std::vector<float>& rewards) {
            if (rewards.size() != cells_per_piece) throw std::invalid_argument("a reward for 1, 2, 3 and 4 lines");
            std::copy(rewards.begin(), rewards.end(), s.line_reward);
          });

  nb::class_<PythonLearner> learner(m, "Learner", "A network that learns from its own games.");
  learner.def(
      nb::init<const CompiledRules&, const PythonAgent&, const LearningSettings&, int64_t, uint64_t, uint64_t>(),
      nb::arg("rules"), nb::arg("agent"), nb::arg("settings"), nb::arg("capacity"), nb::arg("seed"),
      nb::arg("first_game"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());
  bind_learner(learner);

  using L = LinearSettings;
  nb::class_<L>(m, "LinearSettings")
      .def(nb::init<>())
      .def_rw("warm_up", &L::warm_up)
      .def_rw("exploration", &L::exploration)
      .def_rw("discount", &L::discount)
      .def_rw("trace_decay", &L::lambda)
      .def_rw("least_squares", &L::least_squares)
      .def_rw("learning_rate", &L::learning_rate)
      .def_rw("policy_actions", &L::policy_actions)
      .def_rw("memory", &L::memory)
      .def_rw("ridge", &L::ridge)
      .def_rw("by_points", &L::by_points)
      .def_rw("end_reward", &L::end_reward)
      .def_rw("max_pieces", &L::max_pieces)
      .def_rw("inputs", &L::inputs)
      .def_rw("reward_place", &L::reward_place);

  nb::class_<PythonLinearLearner> linear_learner(m, "LinearLearner",
                                                 "A weighted sum of features that learns from its own games.");
  linear_learner
      .def(nb::init<const CompiledRules&, const PythonAgent&, const LinearSettings&, uint64_t, uint64_t>(),
           nb::arg("rules"), nb::arg("agent"), nb::arg("settings"), nb::arg("seed"), nb::arg("first_game"),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def_prop_ro("weights", &PythonLinearLearner::weights, nb::rv_policy::move);
  bind_learner(linear_learner);

  m.def(
      "learn_table",
      [](const CompiledRules& rules, Table table, int64_t explore, float rate, float discount, int64_t max_pieces,
         uint64_t seed, uint64_t first_game, int64_t games, int64_t actions, int64_t until) {
        float* values = checked_table(table);
        const TableSettings settings{explore, rate, discount, max_pieces};
        constexpr int64_t poll_every = 1 << 14;  // actions
        LearningCurve curve{};
        Watch watch(OnInterrupt::raise, [] {});
        watch.run_unlocked([&](const auto& poll) {
          bool goes_on = true;
          const auto go_on = [&](int64_t done) { return goes_on = goes_on && (done % poll_every != 0 || poll()); };
          while (actions < until && goes_on)
            actions = scalar::learn_table(rules.rules, settings, seed, first_game + uint64_t(games++), actions, values,
                                          curve, go_on);
        });
        return std::tuple(games, actions, means_of(curve));
      },
      nb::arg("rules"), nb::arg("table").noconvert(), nb::arg("explore"), nb::arg("rate"), nb::arg("discount"),
      nb::arg("max_pieces"), nb::arg("seed"), nb::arg("first_game"), nb::arg("games"), nb::arg("actions"),
      nb::arg("until"),
      "Play whole games that change the table until this many actions are done. Return the games, actions and curve.");

  m.def(
      "network_gradient",
      [](const PythonAgent& a, const Rows& inputs, const Row& targets, const std::optional<std::string>& simd) {
        const auto rows = inputs.shape(0);
        const ValueData& network = a.agent.value;
        if (network.kind != ValueKind::feature_network) throw std::invalid_argument("an agent without a network");
        if (rows < 1 || rows != targets.shape(0) || inputs.shape(1) != size_t(network.features.count))
          throw std::invalid_argument("a row of inputs, one per feature, for each target");
        AlignedFloats work(
            size_t(scalar::PaddedNetwork::work_floats(network.hidden, network.features.count, int(rows))));
        auto gradient = new_array<float>(a.parameters.size());
        const float loss = kernels_of(simd).gradient_of(network, inputs.data(), targets.data(), int(rows), work.data(),
                                                        gradient.data());
        return std::tuple(loss, gradient);
      },
      nb::arg("agent"), nb::arg("inputs"), nb::arg("targets"), nb::kw_only(), nb::arg("simd").none() = nb::none(),
      "Return the mean squared error of the network over rows of inputs, and its gradient.");
}

}  // namespace blockfall::bindings
