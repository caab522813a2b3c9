#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "blockfall/board_network_file.hpp"

namespace blockfall {
namespace {

void check_size(const char* what, int size, int least, int most) {
  if (size < least || size > most)
    throw std::invalid_argument(std::string(what) + " is " + std::to_string(size) + "; it must be from " +
                                std::to_string(least) + " to " + std::to_string(most));
}

void check_sizes(const BoardNetworkSizes& s) {
  check_size("columns", s.columns, min_columns, max_columns);
  check_size("rows", s.rows, min_rows, max_rows);
  check_size("channels", s.channels, 1, max_channels);
  check_size("kernel", s.kernel, 1, max_kernel);
  check_size("blocks", s.blocks, 1, max_blocks);
  check_size("hidden", s.hidden, 1, max_hidden);
  if (s.kernel % 2 == 0) throw std::invalid_argument("kernel is " + std::to_string(s.kernel) + "; it must be odd");
  if (s.outputs != 1 && s.outputs != piece_kinds)
    throw std::invalid_argument("outputs is " + std::to_string(s.outputs) + "; it must be 1 or 7");
}

int whole_blocks(int n) { return (n + dense_block - 1) / dense_block * dense_block; }

// Reads numbers from a file whose length was checked.
class Reader {
 public:
  explicit Reader(const uint8_t* at) : at_(at) {}

  template <class T>
  T next() {
    T number;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&number, at_, sizeof number);
    } else {
      uint8_t turned[sizeof number];
      for (size_t i = 0; i < sizeof number; ++i) turned[i] = at_[sizeof number - 1 - i];
      std::memcpy(&number, turned, sizeof number);
    }
    at_ += sizeof number;
    return number;
  }

 private:
  const uint8_t* at_;
};

constexpr int32_t largest_bias = 1 << 30;

int32_t next_bias(Reader& in) {
  const auto bias = in.next<int32_t>();
  if (bias < -largest_bias || bias > largest_bias) throw std::invalid_argument("a bias is too large");
  return bias;
}

// Reads rows of `width` numbers, padded with zeros to `padded`.
std::vector<int16_t> read_rows(Reader& in, int64_t rows, int width, int padded) {
  std::vector<int16_t> found(static_cast<size_t>(rows * padded));
  for (int64_t row = 0; row < rows; ++row)
    for (int i = 0; i < width; ++i) found[size_t(row * padded + i)] = in.next<int16_t>();
  return found;
}

// Reads a layer whose inputs are `taps` rows of channels.
Dense read_layer(Reader& in, BoardNetworkWeights& net, int taps, int channels, int outputs) {
  const int row = whole_blocks(channels), inputs = taps * row, padded = whole_blocks(outputs);
  auto& weights = net.weights.emplace_back(size_t(padded) * size_t(inputs));
  auto& biases = net.biases.emplace_back(size_t(padded));
  auto& shifts = net.shifts.emplace_back(size_t(padded));
  for (int n = 0; n < outputs; ++n)
    for (int tap = 0; tap < taps; ++tap)
      for (int channel = 0; channel < channels; ++channel)
        weights[packed_place(inputs, n, tap * row + channel)] = in.next<int8_t>();
  for (int n = 0; n < outputs; ++n) biases[size_t(n)] = next_bias(in);
  for (int n = 0; n < outputs; ++n) check_size("a shift", shifts[size_t(n)] = in.next<int32_t>(), 0, 24);
  return {weights.data(), biases.data(), shifts.data(), inputs, padded, false};
}

const int16_t* read_factors(Reader& in, BoardNetworkWeights& net, int channels, int padded) {
  const auto& factors = net.factors.emplace_back(read_rows(in, 1, channels, padded));
  for (const int16_t factor : factors)
    if (factor < 0) throw std::invalid_argument("a factor is negative");
  return factors.data();
}

}  // namespace

int64_t weight_bytes(const BoardNetworkSizes& s) {
  check_sizes(s);
  const int64_t convolution = int64_t(s.channels) * (s.kernel * s.channels + 4 + 4 + 2);
  return 4 + 2 * s.channels * ((int64_t{1} << s.columns) + s.rows) + 2 * s.blocks * convolution +
         s.hidden * (int64_t(s.rows) * s.channels + 4 + 4) + s.outputs * (2 * int64_t(s.hidden) + 4);
}

std::unique_ptr<BoardNetworkWeights> unpack(const BoardNetworkSizes& s, const uint8_t* bytes, size_t count,
                                            bool mirror) {
  const int64_t expected = weight_bytes(s);
  if (int64_t(count) != expected)
    throw std::invalid_argument("the weights have " + std::to_string(count) + " bytes; a network of these sizes has " +
                                std::to_string(expected));
  auto result = std::make_unique<BoardNetworkWeights>();
  BoardNetworkData& net = result->data;
  Reader in(bytes);
  const int channels = whole_blocks(s.channels), hidden = whole_blocks(s.hidden);
  net.mirror = mirror;
  net.columns = s.columns, net.rows = s.rows, net.channels = channels, net.kernel = s.kernel;
  net.blocks = s.blocks, net.hidden = hidden, net.outputs = s.outputs;
  net.value_bits = in.next<int32_t>();
  check_size("value_bits", net.value_bits, 0, 24);
  net.table = (result->table = read_rows(in, int64_t{1} << s.columns, s.channels, channels)).data();
  net.position = (result->position = read_rows(in, s.rows, s.channels, channels)).data();
  for (int i = 0; i < s.blocks; ++i) {
    net.first[i] = read_layer(in, *result, s.kernel, s.channels, s.channels);
    net.first_factor[i] = read_factors(in, *result, s.channels, channels);
    net.second[i] = read_layer(in, *result, s.kernel, s.channels, s.channels);
    net.second_factor[i] = read_factors(in, *result, s.channels, channels);
  }
  net.last = read_layer(in, *result, s.rows, s.channels, s.hidden);
  net.last.split = true;
  net.output = (result->output = read_rows(in, s.outputs, s.hidden, hidden)).data();
  for (int i = 0; i < s.outputs; ++i) {
    int64_t most = 0;  // the largest possible sum
    for (int n = 0; n < hidden; ++n) most += 32767 * std::abs(int64_t(net.output[i * hidden + n]));
    result->output_bias.push_back(next_bias(in));
    if (most + std::abs(int64_t(result->output_bias.back())) > largest_bias)
      throw std::invalid_argument("the weights of an output are too large together");
  }
  net.output_bias = result->output_bias.data();
  return result;
}

}  // namespace blockfall
