#include "bindings.hpp"
#include "blockfall/board_network_file.hpp"

namespace blockfall::bindings {
namespace {

using Boards = nb::ndarray<const uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Biases = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::unique_ptr<BoardNetworkWeights> make_network(int columns, int rows, int channels, int kernel, int blocks,
                                                  int hidden, int outputs, nb::bytes weights, bool mirror) {
  return unpack({columns, rows, channels, kernel, blocks, hidden, outputs}, static_cast<const uint8_t*>(weights.data()),
                weights.size(), mirror);
}

nb::ndarray<nb::numpy, int32_t> values_of(const BoardNetworkWeights& network, const Boards& columns,
                                          const std::optional<std::string>& simd) {
  const BoardNetworkData& net = network.data;
  if (columns.shape(1) != size_t(net.columns))
    throw std::invalid_argument("boards of " + std::to_string(columns.shape(1)) + " columns where the network has " +
                                std::to_string(net.columns));
  std::vector<Board> boards(columns.shape(0));
  for (size_t n = 0; n < boards.size(); ++n)
    for (size_t i = 0; i < columns.shape(1); ++i) {
      boards[n].column[i] = columns(n, i);
      if (columns(n, i) & ~scalar::rows_mask(net.rows)) throw std::invalid_argument("a filled cell above the top row");
    }
  auto values = new_array<int32_t>(boards.size(), net.outputs);
  const Kernels& kernels = kernels_of(simd);
  const nb::gil_scoped_release release;
  kernels.value_boards(net, boards.data(), int64_t(boards.size()), values.data());
  return values;
}

template <class T>
nb::ndarray<nb::numpy, T> copied(const T* numbers, int rows, int width) {
  auto array = new_array<T>(rows, width);
  std::memcpy(array.data(), numbers, sizeof(T) * size_t(rows) * size_t(width));
  return array;
}

template <class T>
nb::ndarray<nb::numpy, T> copied(const std::vector<T>& numbers) {
  auto array = new_array<T>(numbers.size());
  std::memcpy(array.data(), numbers.data(), sizeof(T) * numbers.size());
  return array;
}

// The weights of a layer, one row of inputs per output. In memory they are in groups: see Dense.
nb::ndarray<nb::numpy, int8_t> weights_of(const Dense& layer) {
  auto array = new_array<int8_t>(layer.outputs, layer.inputs);
  for (int n = 0; n < layer.outputs; ++n)
    for (int i = 0; i < layer.inputs; ++i)
      array.data()[size_t(n) * size_t(layer.inputs) + size_t(i)] = layer.weights[packed_place(layer.inputs, n, i)];
  return array;
}

Arrays arrays_of(const BoardNetworkWeights& network) {
  const BoardNetworkData& net = network.data;
  Arrays arrays;
  arrays["table"] = copied(net.table, 1 << net.columns, net.channels);
  arrays["position"] = copied(net.position, net.rows, net.channels);
  nb::list layers;
  for (size_t n = 0; n < network.weights.size(); ++n) {
    const bool last = n + 1 == network.weights.size();
    const Dense& layer = last ? net.last : n % 2 ? net.second[n / 2] : net.first[n / 2];
    nb::list of_layer;
    of_layer.append(weights_of(layer));
    of_layer.append(copied(network.biases[n]));
    of_layer.append(copied(network.shifts[n]));
    if (!last) of_layer.append(copied(network.factors[n]));
    layers.append(of_layer);
  }
  arrays["layers"] = layers;
  arrays["output"] = copied(net.output, net.outputs, net.hidden);
  arrays["output_bias"] = copied(network.output_bias);
  return arrays;
}

struct NamedDense {
  const char* name;
  DenseKernel kernel;
};

std::vector<NamedDense> dense_kernels() {
  std::vector<NamedDense> found;
  for (const Kernels* kernels : supported_kernels()) {
#if defined(BLOCKFALL_X86)
    if (kernels->lanes == 16) found.push_back({"avx512", avx512::dense});
    if (kernels->lanes == 16 && dense_kernel(16) != avx512::dense) found.push_back({"avx512vnni", dense_kernel(16)});
    if (kernels->lanes == 8) found.push_back({"avx2", avx2::dense});
#endif
    if (kernels->lanes == 1) found.push_back({"scalar", scalar::dense});
  }
  return found;
}

// A layer with its weights as in a file, one row of inputs per output.
nb::ndarray<nb::numpy, int16_t> run_dense(const std::string& name, const Rows<uint8_t>& inputs,
                                          const Rows<int8_t>& weights, const Biases& bias, const Biases& shift,
                                          bool split) {
  const size_t count = inputs.shape(0), width = weights.shape(1), outputs = weights.shape(0);
  if (width == 0 || width % 4 || outputs == 0 || outputs % dense_block || inputs.shape(1) != width * (split ? 2 : 1) ||
      bias.shape(0) != outputs || shift.shape(0) != outputs)
    throw std::invalid_argument("inputs are counted in fours, and outputs in 32s");
  std::vector<int8_t> packed(outputs * width);
  for (size_t n = 0; n < outputs; ++n)
    for (size_t i = 0; i < width; ++i) packed[packed_place(int(width), int(n), int(i))] = weights(n, i);
  std::vector<const uint8_t*> in;
  for (size_t n = 0; n < count; ++n) in.push_back(inputs.data() + n * inputs.shape(1));
  auto out = new_array<int16_t>(count, outputs);
  for (const NamedDense& level : dense_kernels())
    if (name == level.name) {
      level.kernel({packed.data(), bias.data(), shift.data(), int(width), int(outputs), split}, in.data(), int(count),
                   out.data());
      return out;
    }
  throw std::invalid_argument("this machine cannot run '" + name + "' code");
}

}  // namespace

void bind_board_network(nb::module_& m) {
  nb::class_<BoardNetworkWeights>(m, "BoardNetwork", "A board network, from the bytes of its file.")
      .def(nb::new_(&make_network), nb::arg("columns"), nb::arg("rows"), nb::arg("channels"), nb::arg("kernel"),
           nb::arg("blocks"), nb::arg("hidden"), nb::arg("outputs"), nb::arg("weights"), nb::arg("mirror") = false)
      .def_static(
          "weight_bytes",
          [](int columns, int rows, int channels, int kernel, int blocks, int hidden, int outputs) {
            return weight_bytes({columns, rows, channels, kernel, blocks, hidden, outputs});
          },
          nb::arg("columns"), nb::arg("rows"), nb::arg("channels"), nb::arg("kernel"), nb::arg("blocks"),
          nb::arg("hidden"), nb::arg("outputs"), "Return the file size in bytes of a network with these sizes.")
      .def_prop_ro("value_bits", [](const BoardNetworkWeights& n) { return n.data.value_bits; })
      .def("arrays", &arrays_of,
           "The numbers by name, in the order of the file, with channels and hidden neurons padded to whole blocks. "
           "`layers` are the convolutions and the hidden layer: weight[output, input], bias, shift and, for a "
           "convolution, factor.")
      .def("values", &values_of, nb::arg("boards"), nb::kw_only(), nb::arg("simd").none() = nb::none(),
           "Return the outputs for boards, one row of columns each: integers, 2 ** value_bits to the line.");
  m.def(
      "dense_levels",
      [] {
        std::vector<std::string> names;
        for (const NamedDense& level : dense_kernels()) names.emplace_back(level.name);
        return names;
      },
      "Return this machine's instruction sets that have code for integer layers.");
  m.def("dense", &run_dense, nb::arg("level"), nb::arg("inputs"), nb::arg("weights"), nb::arg("bias"), nb::arg("shift"),
        nb::arg("split") = false, "Compute an integer layer in one of these instruction sets.");
}

}  // namespace blockfall::bindings
