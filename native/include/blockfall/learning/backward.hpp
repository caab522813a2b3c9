// Training of a network on rows of inputs and targets: its values, the gradient of the mean squared error, and Adam.
//
// Vectors run along the neurons of a layer and never across a sum, and every sum runs in the order of network_value, so
// every instruction set learns the same numbers.
#pragma once

#include "../value/feature_network.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline constexpr int vector = lanes > 4 ? lanes : 4;  // the widest of the instruction set; SSE2 for the scalar one
typedef float Vector __attribute__((vector_size(4 * vector), may_alias));

inline constexpr int block = 16;  // rows of neurons are padded to whole blocks
inline int padded(int width) { return (width + block - 1) / block * block; }

// c[m][n] = start[n] + sum over k of a(m, k) * b[k][n], in the order of k; b and c have rows of n floats, n in whole
// blocks. Four rows and two vectors at a time stay in registers.
template <int Rows, int Vectors>
inline void product_tile(const float* a, int64_t a_row, int64_t a_column, const float* b, int k, int n,
                         const float* start, float* c) {
  Vector sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int j = 0; j < Vectors; ++j)
      sum[r][j] = start ? *reinterpret_cast<const Vector*>(start + j * vector) : Vector{};
  for (int i = 0; i < k; ++i, a += a_column, b += n)
    for (int j = 0; j < Vectors; ++j) {
      const Vector weights = *reinterpret_cast<const Vector*>(b + j * vector);
      for (int r = 0; r < Rows; ++r) sum[r][j] = sum[r][j] + a[r * a_row] * weights;
    }
  for (int r = 0; r < Rows; ++r)
    for (int j = 0; j < Vectors; ++j) *reinterpret_cast<Vector*>(c + r * n + j * vector) = sum[r][j];
}

template <int Rows>
inline void product_rows(const float* a, int64_t a_row, int64_t a_column, const float* b, int k, int n,
                         const float* start, float* c) {
  int j = 0;
  for (; j + 2 * vector <= n; j += 2 * vector)
    product_tile<Rows, 2>(a, a_row, a_column, b + j, k, n, start ? start + j : start, c + j);
  for (; j < n; j += vector) product_tile<Rows, 1>(a, a_row, a_column, b + j, k, n, start ? start + j : start, c + j);
}

inline void product(const float* a, int64_t a_row, int64_t a_column, const float* b, int m, int k, int n,
                    const float* start, float* c) {
  int r = 0;
  for (; r + 4 <= m; r += 4) product_rows<4>(a + r * a_row, a_row, a_column, b, k, n, start, c + r * n);
  for (; r < m; ++r) product_rows<1>(a + r * a_row, a_row, a_column, b, k, n, start, c + r * n);
}

// A network with its rows padded to whole blocks, its outputs and errors for a batch of rows, and its gradient.
class PaddedNetwork {
 public:
  PaddedNetwork(const Layers& hidden, int inputs, int rows, float* work) : layers_(hidden.count + 1) {
    set_widths(hidden, inputs, width_);
    for (int i = 0; i < layers_; ++i) {
      float** part[] = {&weights_[i], &transposed_[i], &biases_[i], &out_[i], &error_[i], &gradient_[i]};
      for (int j = 0; j < parts; ++j) {
        *part[j] = work;
        work += floats_of(j, width_[i], width_[i + 1], rows);
      }
    }
  }

  static int64_t work_floats(const Layers& hidden, int inputs, int rows) {
    int width[max_layers + 2];
    set_widths(hidden, inputs, width);
    int64_t sum = 0;
    for (int i = 0; i <= hidden.count; ++i)
      for (int j = 0; j < parts; ++j) sum += floats_of(j, width[i], width[i + 1], rows);
    return sum;
  }

  void load(const float* parameters) {
    for (int i = 0; i < layers_; ++i) {
      const int k = width_[i], width = width_[i + 1], n = padded(width);
      for (int row = 0; row < k; ++row)
        for (int j = 0; j < n; ++j) weights_[i][row * n + j] = j < width ? parameters[row * width + j] : 0;
      for (int j = 0; j < n; ++j) biases_[i][j] = j < width ? parameters[k * width + j] : 0;
      for (int j = 0; j < width; ++j)
        for (int row = 0; row < padded(k); ++row)
          transposed_[i][j * padded(k) + row] = row < k ? parameters[row * width + j] : 0;
      parameters += (k + 1) * width;
    }
  }

  // Computes the value of each row of inputs, one every `stride_of_values` floats.
  const float* values(const float* inputs, int rows) {
    const float* in = inputs;
    int64_t stride = width_[0];
    for (int i = 0; i < layers_; ++i) {
      const int n = padded(width_[i + 1]);
      product(in, stride, 1, weights_[i], rows, width_[i], n, biases_[i], out_[i]);
      if (i + 1 < layers_)
        for (int64_t at = 0; at < int64_t(rows) * n; ++at) out_[i][at] = out_[i][at] > 0 ? out_[i][at] : 0;
      in = out_[i];
      stride = n;
    }
    return out_[layers_ - 1];
  }
  static constexpr int stride_of_values = block;

  // Computes the gradient of the mean squared error over the rows just valued, in the parameters' layout. Returns the
  // error.
  float find_gradient(const float* inputs, const float* targets, int rows, float* gradient) {
    const int last = layers_ - 1;
    float loss = 0;
    for (int64_t at = 0; at < int64_t(rows) * block; ++at) error_[last][at] = 0;
    for (int r = 0; r < rows; ++r) {
      const float miss = out_[last][r * block] - targets[r];
      loss = loss + miss * miss / float(rows);
      error_[last][r * block] = 2 * miss / float(rows);
    }
    for (int i = last; i >= 0; --i) {
      const int k = width_[i], n = padded(width_[i + 1]);
      const float* in = i ? out_[i - 1] : inputs;
      const int64_t stride = i ? padded(k) : k;
      product(in, 1, stride, error_[i], k, rows, n, nullptr, gradient_[i]);
      const float one = 1;
      product(&one, 0, 0, error_[i], 1, rows, n, nullptr, gradient_[i] + int64_t(k) * n);
      if (i == 0) break;
      product(error_[i], n, 1, transposed_[i], rows, width_[i + 1], padded(k), nullptr, error_[i - 1]);
      for (int64_t at = 0; at < int64_t(rows) * padded(k); ++at)
        error_[i - 1][at] = out_[i - 1][at] > 0 ? error_[i - 1][at] : 0;
    }
    for (int i = 0; i < layers_; ++i) {
      const int width = width_[i + 1], n = padded(width);
      for (int row = 0; row <= width_[i]; ++row)
        for (int j = 0; j < width; ++j) *gradient++ = gradient_[i][row * n + j];
    }
    return loss;
  }

 private:
  static constexpr int parts = 6;

  // The sizes of a layer's parts, in the constructor's order and in whole blocks.
  static int64_t floats_of(int part, int inputs, int width, int rows) {
    const int64_t n = padded(width);
    const int64_t floats[parts] = {inputs * n,      int64_t(width) * padded(inputs), n, rows * n, rows * n,
                                   (inputs + 1) * n};
    return floats[part];
  }

  static void set_widths(const Layers& hidden, int inputs, int* width) {
    width[0] = inputs;
    for (int i = 0; i < hidden.count; ++i) width[i + 1] = hidden.width[i];
    width[hidden.count + 1] = 1;
  }

  int layers_;  // including the last one
  int width_[max_layers + 2];
  float *weights_[max_layers + 1], *transposed_[max_layers + 1], *biases_[max_layers + 1], *out_[max_layers + 1],
      *error_[max_layers + 1], *gradient_[max_layers + 1];
};

// Adam: Kingma & Ba 2015, algorithm 1, with the constants of Keras.
inline void adam_step(int64_t count, int64_t update, float rate, const float* gradient, float* first, float* second,
                      float* parameters) {
  constexpr float decay_1 = 0.9f, decay_2 = 0.999f, epsilon = 1e-7f;
  double power_1 = 1, power_2 = 1;  // by repeated squaring: the same on every machine
  double base_1 = decay_1, base_2 = decay_2;
  for (int64_t left = update; left; left >>= 1) {
    if (left & 1) power_1 *= base_1, power_2 *= base_2;
    base_1 *= base_1, base_2 *= base_2;
  }
  const auto step = float(double(rate) * __builtin_sqrt(1 - power_2) / (1 - power_1));
  for (int64_t i = 0; i < count; ++i) {
    first[i] = decay_1 * first[i] + (1 - decay_1) * gradient[i];
    second[i] = decay_2 * second[i] + (1 - decay_2) * gradient[i] * gradient[i];
    parameters[i] = parameters[i] - step * first[i] / (__builtin_sqrtf(second[i]) + epsilon);
  }
}

// The same for the caller's rows of inputs: for tests, and for training on other data.
inline float gradient_of(const ValueData& network, const float* rows, const float* targets, int count, float* work,
                         float* gradient) {
  PaddedNetwork padded_network(network.hidden, network.features.count, count, work);
  padded_network.load(network.parameters);
  padded_network.values(rows, count);
  return padded_network.find_gradient(rows, targets, count, gradient);
}

}  // namespace blockfall::BLOCKFALL_ARCH
