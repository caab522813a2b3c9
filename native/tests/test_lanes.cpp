// Every operation on a word of lanes gives in each lane the result of the plain word.
#include <bit>
#include <random>

#include "blockfall/lanes.hpp"
#include "check.hpp"

using namespace blockfall;
using namespace blockfall::BLOCKFALL_ARCH;

namespace {

struct Lanes {
  alignas(64) uint32_t lane[lanes];
};

Lanes unpack(Word word) {
  Lanes result;
  store(result.lane, word);
  return result;
}

std::mt19937 random_bits(7);

// Sparse, dense and extreme words.
Lanes sample() {
  Lanes result;
  for (uint32_t& lane : result.lane) {
    const uint32_t extremes[] = {0u, 1u, 0x80000000u, ~0u, 0x00ffffffu, 0x01ffffffu, 0x7fffffffu};
    lane = random_bits() % 4 == 0 ? extremes[random_bits() % 7] : random_bits() >> (random_bits() % 32);
  }
  return result;
}

template <class Wide, class Plain>
void check_each(const Lanes& a, const Lanes& b, Wide wide, Plain plain) {
  const Lanes result = unpack(wide(load(a.lane), load(b.lane)));
  for (int i = 0; i < lanes; ++i) CHECK(result.lane[i] == uint32_t(plain(a.lane[i], b.lane[i])));
}

void check_words() {
  const Lanes a = sample(), b = sample();
  Lanes shift = sample();
  for (uint32_t& lane : shift.lane) lane %= 40;
  using U = uint32_t;
  check_each(a, b, [](Word x, Word y) { return x & y; }, [](U x, U y) { return x & y; });
  check_each(a, b, [](Word x, Word y) { return x | y; }, [](U x, U y) { return x | y; });
  check_each(a, b, [](Word x, Word y) { return x ^ y; }, [](U x, U y) { return x ^ y; });
  check_each(a, b, [](Word x, Word) { return ~x; }, [](U x, U) { return ~x; });
  check_each(a, b, [](Word x, Word y) { return x + y; }, [](U x, U y) { return x + y; });
  check_each(a, b, [](Word x, Word y) { return x - y; }, [](U x, U y) { return x - y; });
  check_each(a, b, [](Word x, Word y) { return and_not(x, y); }, [](U x, U y) { return x & ~y; });
  check_each(a, b, [](Word x, Word y) { return multiply(x, y); }, [](U x, U y) { return x * y; });
  check_each(a, b, [](Word x, Word) { return popcount(x); }, [](U x, U) { return std::popcount(x); });
  check_each(a, b, [](Word x, Word) { return bit_length(x); }, [](U x, U) { return std::bit_width(x); });
  check_each(
      a, b, [](Word x, Word y) { return maximum(x, y); }, [](U x, U y) { return int32_t(x) > int32_t(y) ? x : y; });
  check_each(
      a, b, [](Word x, Word y) { return minimum(x, y); }, [](U x, U y) { return int32_t(x) < int32_t(y) ? x : y; });
  check_each(
      a, b, [](Word x, Word y) { return select(greater(x, y), x, y); },
      [](U x, U y) { return int32_t(x) > int32_t(y) ? x : y; });
  check_each(
      a, b, [](Word x, Word y) { return select(not_greater(x, y), x, y); },
      [](U x, U y) { return int32_t(x) <= int32_t(y) ? x : y; });
  check_each(
      a, b, [](Word x, Word y) { return select(equal(x, y), splat(5), x); }, [](U x, U y) { return x == y ? 5 : x; });
  check_each(a, shift, [](Word x, Word y) { return shift_left(x, y); }, [](U x, U y) { return y < 32 ? x << y : 0; });
  check_each(a, shift, [](Word x, Word y) { return shift_right(x, y); }, [](U x, U y) { return y < 32 ? x >> y : 0; });
  for (int by = 0; by < 32; ++by) {
    check_each(a, b, [by](Word x, Word) { return x << by; }, [by](U x, U) { return x << by; });
    check_each(a, b, [by](Word x, Word) { return x >> by; }, [by](U x, U) { return x >> by; });
  }
  bool some = false;
  int64_t sum = 0;
  for (uint32_t lane : a.lane) some |= lane != 0, sum += lane >> 8;
  CHECK(any(load(a.lane)) == some);
  CHECK(!any(splat(0)));
  CHECK(first_lane(load(a.lane)) == a.lane[0]);
  CHECK(sum_lanes(load(a.lane) >> 8) == sum);
}

void check_reals() {
  alignas(64) float a[lanes], result[lanes];
  Lanes whole = sample();
  store(result, to_real(load(whole.lane)));
  for (int i = 0; i < lanes; ++i) CHECK(result[i] == float(int32_t(whole.lane[i])));
  Real values = to_real(load(whole.lane));
  store(a, values);
  float greatest = a[0];
  for (float value : a) greatest = value > greatest ? value : greatest;
  CHECK(greatest_lane(values) == greatest);
  uint32_t least = whole.lane[0];
  for (uint32_t lane : whole.lane) least = lane < least ? lane : least;
  CHECK(least_lane(load(whole.lane)) == least);
  int first = 0;
  while (whole.lane[first] != least) ++first;
  CHECK(first_lane_equal(load(whole.lane), least) == first);
  CHECK(lane_at(load(whole.lane), lanes - 1) == whole.lane[lanes - 1]);
  CHECK(lane_at(lane_numbers(), lanes / 2) == lanes / 2);
  store(result, values * splat_real(0.3f) + splat_real(7) / splat_real(3) - values);
  for (int i = 0; i < lanes; ++i) CHECK(result[i] == a[i] * 0.3f + 7.0f / 3.0f - a[i]);
}

void check_transposition() {
  alignas(64) uint32_t rows[lanes][max_columns];
  for (auto& row : rows)
    for (uint32_t& word : row) word = random_bits();
  for (int columns = 1; columns <= max_columns; ++columns) {
    Word out[max_columns];
    transpose(rows, columns, out);
    for (int i = 0; i < columns; ++i) {
      const Lanes column = unpack(out[i]);
      for (int n = 0; n < lanes; ++n) CHECK(column.lane[n] == rows[n][i]);
    }
  }
}

void check_picks() {
  alignas(64) uint32_t table[max_columns], place[lanes];
  for (uint32_t& number : table) number = random_bits();
  for (uint32_t& one : place) one = random_bits() % 32;
  const Lanes picked = unpack(pick(table, load(place)));
  for (int i = 0; i < lanes; ++i) CHECK(picked.lane[i] == table[place[i] % max_columns]);
}

void check_bytes() {
  int8_t bytes[32];
  for (int8_t& byte : bytes) byte = int8_t(random_bits());
  const Lanes words = unpack(load_bytes(bytes));
  for (int i = 0; i < lanes; ++i) CHECK(int32_t(words.lane[i]) == bytes[i]);
}

bool can_run() {
#if defined(BLOCKFALL_LANES_HEADER)
  return true;
#elif BLOCKFALL_LANES == 16
  return __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw");
#elif BLOCKFALL_LANES == 8
  return __builtin_cpu_supports("avx2");
#else
  return true;
#endif
}

}  // namespace

int main() {
  if (!can_run()) return 77;  // skipped
  for (int i = 0; i < 2000; ++i) check_words(), check_reals(), check_bytes(), check_picks();
  check_transposition();
}
