// Compiled once per instruction set. Like kernels.cpp, it uses no standard library.
#include "blockfall/search/squares.hpp"

#if defined(__SSE4_1__)
#include <immintrin.h>
#endif

namespace blockfall::BLOCKFALL_ARCH {
namespace {

using search::SquaresStart;

// Consecutive numbers, written out: GCC turns a loop into a shuffle only after it has chosen its instructions.
#define BLOCKFALL_4(n) n, n + 1, n + 2, n + 3
#define BLOCKFALL_8(n) BLOCKFALL_4(n), BLOCKFALL_4(n + 4)
#define BLOCKFALL_16(n) BLOCKFALL_8(n), BLOCKFALL_8(n + 8)
#if defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#define BLOCKFALL_WORDS(n) BLOCKFALL_16(n)
#define BLOCKFALL_LONG_WORDS(n) BLOCKFALL_8(n)
#else
inline constexpr int vector_bytes = 16;
#define BLOCKFALL_WORDS(n) BLOCKFALL_8(n)
#define BLOCKFALL_LONG_WORDS(n) BLOCKFALL_4(n)
#endif

// Picks the words with these numbers from the words of a followed by those of b. Clang and GCC 12 have the first
// builtin, GCC 11 the second.
#if __has_builtin(__builtin_shufflevector)
#define BLOCKFALL_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define BLOCKFALL_PICK(a, b, ...) __builtin_shuffle(a, b, type{__VA_ARGS__})
#endif

// GCC 12 cannot take words out of a vector whose type depends on a template.
template <class Word>
struct VectorOf;
template <>
struct VectorOf<uint16_t> {
  typedef uint16_t type __attribute__((vector_size(vector_bytes), may_alias));
  static constexpr type numbers{BLOCKFALL_WORDS(0)};
  // The words of `a`, moved by one place; the last word of `before`, or the first of `after`, moves in.
  static type moved_right(type before, type a) {
    return BLOCKFALL_PICK(before, a, BLOCKFALL_WORDS(vector_bytes / 2 - 1));
  }
  static type moved_left(type a, type after) { return BLOCKFALL_PICK(a, after, BLOCKFALL_WORDS(1)); }
};
template <>
struct VectorOf<uint32_t> {
  typedef uint32_t type __attribute__((vector_size(vector_bytes), may_alias));
  static constexpr type numbers{BLOCKFALL_LONG_WORDS(0)};
  static type moved_right(type before, type a) {
    return BLOCKFALL_PICK(before, a, BLOCKFALL_LONG_WORDS(vector_bytes / 4 - 1));
  }
  static type moved_left(type a, type after) { return BLOCKFALL_PICK(a, after, BLOCKFALL_LONG_WORDS(1)); }
};
typedef uint64_t Quads __attribute__((vector_size(vector_bytes)));

// A word per column.
template <class Word, int Columns>
struct Plane {
  using Vector = typename VectorOf<Word>::type;
  static constexpr int lanes = vector_bytes / sizeof(Word), parts = Columns / lanes;
  Vector part[parts];

  template <class Make>
  static Plane made(const Make& make) {
    Plane plane;
#pragma GCC unroll 8
    for (int i = 0; i < parts; ++i) plane.part[i] = make(i);
    return plane;
  }
  static Plane splat(Word word) {
    return made([&](int) { return Vector{} + word; });
  }
  // A copy by memcpy would go through memory in halves.
  static Plane load(const Word* words) {
    return made([&](int i) { return reinterpret_cast<const Vector*>(words)[i]; });
  }
  void store(Word* words) const {
#pragma GCC unroll 8
    for (int i = 0; i < parts; ++i) reinterpret_cast<Vector*>(words)[i] = part[i];
  }

  // All bits of the columns to the left of one, and of that one.
  static Plane left_of(int column) {
    return made([&](int i) { return Vector(VectorOf<Word>::numbers + Word(i * lanes) < Vector{} + Word(column)); });
  }
  static Plane only(int column) {
    return made([&](int i) { return Vector(VectorOf<Word>::numbers + Word(i * lanes) == Vector{} + Word(column)); });
  }

  friend Plane operator&(const Plane& a, const Plane& b) {
    return made([&](int i) { return a.part[i] & b.part[i]; });
  }
  friend Plane operator|(const Plane& a, const Plane& b) {
    return made([&](int i) { return a.part[i] | b.part[i]; });
  }
  friend Plane operator^(const Plane& a, const Plane& b) {
    return made([&](int i) { return a.part[i] ^ b.part[i]; });
  }
  Plane operator~() const {
    return made([&](int i) { return ~part[i]; });
  }
  Plane operator-() const {  // word by word
    return made([&](int i) { return -part[i]; });
  }
  Plane up() const {
    return made([&](int i) { return part[i] << 1; });
  }
  Plane down() const {
    return made([&](int i) { return part[i] >> 1; });
  }
  // Gives every column its neighbour's word.
  Plane from_left() const {
    return made([&](int i) { return VectorOf<Word>::moved_right(i > 0 ? part[i - 1] : Vector{}, part[i]); });
  }
  Plane from_right() const {
    return made([&](int i) { return VectorOf<Word>::moved_left(part[i], i + 1 < parts ? part[i + 1] : Vector{}); });
  }
  Plane empty() const {
    return made([&](int i) { return Vector(part[i] == 0); });
  }

  bool any() const {
    Vector all = part[0];
    for (int i = 1; i < parts; ++i) all |= part[i];
#if defined(__AVX2__)
    return !_mm256_testz_si256(__m256i(all), __m256i(all));
#elif defined(__SSE4_1__)
    return !_mm_testz_si128(__m128i(all), __m128i(all));
#else
    const Quads quads = Quads(all);
    return (quads[0] | quads[1]) != 0;
#endif
  }
  int count() const {
    int sum = 0;
    for (int i = 0; i < parts; ++i) {
      const Quads quads = Quads(part[i]);
      for (int j = 0; j < vector_bytes / 8; ++j) sum += __builtin_popcountll(quads[j]);
    }
    return sum;
  }
};

template <class Board>
struct Of {
  using Word = typename Board::Word;
  static constexpr int columns = Board::columns, planes = Board::planes, colour_planes = Board::colour_planes;
  using Plane = BLOCKFALL_ARCH::Plane<Word, columns>;

  static Plane of_colour(const Board& board, int colour) {
    Plane same = ~Plane{};
    for (int k = 0; k < colour_planes; ++k)
      same = same & (Plane::load(board.plane[k]) ^ Plane::splat(Word((colour >> k & 1) - 1)));
    return same;
  }

  // Squares with a neighbour of their colour.
  static Plane paired_plane(const Board& board, int but) {
    Plane filled{};
    for (int k = 0; k < colour_planes; ++k) filled = filled | Plane::load(board.plane[k]);
    Plane above = filled & filled.down(), right = filled & filled.from_right();
    for (int k = 0; k < colour_planes; ++k) {
      const Plane plane = Plane::load(board.plane[k]);
      above = above & ~(plane ^ plane.down());
      right = right & ~(plane ^ plane.from_right());
    }
    const Plane paired = above | above.up() | right | right.from_left();
    return but ? paired & ~of_colour(board, but) : paired;
  }

  static int count_paired(const Board& board, int but) { return paired_plane(board, but).count(); }

  static HopelessMove paired(const Board& board, int but, int number) {
    alignas(32) Word words[columns];
    paired_plane(board, but).store(words);
    int column = 0;
    for (int here; number >= (here = __builtin_popcount(words[column])); ++column) number -= here;
    Word word = words[column];
    for (; number > 0; --number) word &= Word(word - 1);
    const int now = __builtin_ctz(word);
    int row = 0;
    for (int k = colour_planes; k < planes; ++k) row |= int(board.plane[k][column] >> now & 1) << (k - colour_planes);
    uint32_t standing = board.standing;
    for (; column > 0; --column) standing &= standing - 1;
    return {uint8_t(__builtin_ctz(standing)), uint8_t(row)};
  }

  static bool play(const SquaresStart& start, const Board& before, HopelessMove move, Board& after) {
    if (!(before.standing >> move.column & 1)) return false;
    const int column = __builtin_popcount(before.standing & ((uint32_t{1} << move.column) - 1));
    Word square = 0;
    for (int k = 0; k < colour_planes; ++k) square |= before.plane[k][column];
    for (int k = colour_planes; k < planes; ++k)
      square &= Word(before.plane[k][column] ^ ((move.row >> (k - colour_planes) & 1) - 1));
    if (!square) return false;

    const Plane same = of_colour(before, start.colour[move.column][move.row]);
    Plane block = Plane::only(column) & Plane::splat(square);
    for (Plane grown;; block = grown) {
      grown = (block | block.up() | block.down()) & same;
      grown = (grown | grown.from_left() | grown.from_right()) & same;
      if (!(grown ^ block).any()) break;
    }
    const int size = block.count();
    if (size < 2) return false;

    Plane plane[planes];
#pragma GCC unroll 16
    for (int k = 0; k < planes; ++k) plane[k] = Plane::load(before.plane[k]);
    for (Plane gone = block; gone.any();) {  // the lowest square of every column
      const Plane lowest = gone & -gone, from_it_up = -lowest;
      gone = (gone ^ lowest).down();
#pragma GCC unroll 16
      for (int k = 0; k < planes; ++k) plane[k] = plane[k] ^ ((plane[k] ^ plane[k].down()) & from_it_up);
    }
    after.standing = before.standing;
    after.left = before.left - size;
    after.earned = before.earned + start.points[size];
    Plane filled = plane[0];
    for (int k = 1; k < colour_planes; ++k) filled = filled | plane[k];
    if ((filled.empty() & Plane::left_of(__builtin_popcount(before.standing))).any())
      close_columns(plane, filled, after.standing);
#pragma GCC unroll 16
    for (int k = 0; k < planes; ++k) plane[k].store(after.plane[k]);
    return true;
  }

  // The columns that have become empty.
  static void close_columns(Plane* plane, const Plane& filled, uint32_t& standing) {
    alignas(32) Word words[columns];
    filled.store(words);
    int column = 0;
    for (uint32_t i = 0, rest = standing; rest; ++i, rest &= rest - 1) {
      if (words[i]) {
        ++column;
        continue;
      }
      standing ^= rest & -rest;
      const Plane left = Plane::left_of(column);
      for (int k = 0; k < planes; ++k) plane[k] = (plane[k] & left) | (plane[k].from_right() & ~left);
    }
  }

  static constexpr search::SquaresKernels<Board> kernels{play, count_paired, paired};
};

}  // namespace

extern const search::SquaresKernels<search::SmallSquares> small;
extern const search::SquaresKernels<search::LargeSquares> large;
constexpr search::SquaresKernels<search::SmallSquares> small = Of<search::SmallSquares>::kernels;
constexpr search::SquaresKernels<search::LargeSquares> large = Of<search::LargeSquares>::kernels;

}  // namespace blockfall::BLOCKFALL_ARCH
