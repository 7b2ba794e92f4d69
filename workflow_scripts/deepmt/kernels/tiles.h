// Linear layers in tiles; sums are float32. `rowwise.cpp` includes this.
//
// A tile is 16 rows of 16 words. A word is a float, or two bfloat16 numbers: neighbours in a row of A,
// neighbours in a column of B. The product of two tiles is one instruction of AMX in bfloat16; elsewhere
// it is 256 of AVX-512, one for each word of A and a row of B.

#include <memory>
#ifdef __AMX_BF16__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace {

constexpr int64_t WORD = 4 / sizeof(Number);            // numbers
constexpr int64_t DEPTH = LANES * WORD;                 // numbers in a row of A
constexpr int64_t BLOCK = 2 * LANES;                    // rows and columns of sums in four tiles
constexpr int64_t CACHED = (1 << 20) / sizeof(Number);  // numbers that stay in the second cache
constexpr int64_t PAGE = (1 << 12) / sizeof(Number);    // numbers
constexpr int64_t TOGETHER = 8;                         // rows of A whose sums vectors hold
constexpr bool PAIRS = WORD == 2;
typedef std::conditional_t<PAIRS, int16_t, int32_t> Integer;
typedef Integer integers __attribute__((vector_size(4 * LANES)));

inline int64_t quotient(int64_t n, int64_t unit) { return (n + unit - 1) / unit; }  // rounded up
inline int64_t rounded_up(int64_t n, int64_t unit) { return quotient(n, unit) * unit; }

// A vector of words in memory, but only its first `count` numbers, with zeros after them.
inline uint32_t first_numbers(int64_t count) {
    return count >= DEPTH ? ~0u : count > 0 ? (1u << count) - 1 : 0;
}
inline words load_words(const Number* from, int64_t count) {
    if constexpr (PAIRS) return (words)_mm512_maskz_loadu_epi16(first_numbers(count), from);
    return (words)_mm512_maskz_loadu_epi32(first_numbers(count), from);
}
inline void store_words(Number* to, words values, int64_t count) {
    if constexpr (PAIRS) return _mm512_mask_storeu_epi16(to, first_numbers(count), (__m512i)values);
    _mm512_mask_storeu_epi32(to, first_numbers(count), (__m512i)values);
}

// sums[n] += a[n] b[n], summed up over a word.
inline floats add_products(floats sums, words a, words b) {
    if constexpr (PAIRS) return (floats)_mm512_dpbf16_ps((__m512)sums, (__m512bh)a, (__m512bh)b);
    return sums + (floats)a * (floats)b;
}

// 32 numbers of a row. In bfloat16 the sides are those of even and of odd columns: then two rows are
// paired by shifts and masks alone.
struct Row {
    floats sides[2];
};
inline int64_t column(int64_t side, int64_t lane) { return PAIRS ? 2 * lane + side : LANES * side + lane; }
inline int64_t side_of(int64_t n) { return PAIRS ? n % 2 : n % BLOCK / LANES; }
inline int64_t lane_of(int64_t n) { return PAIRS ? n % BLOCK / 2 : n % LANES; }

inline Row load_both(const Number* from, int64_t count) {
    const words values = load_words(from, count);
    if constexpr (PAIRS) return {(floats)(values << 16), (floats)(values & 0xffff0000)};
    return {(floats)values, (floats)load_words(from + LANES, count - LANES)};
}
inline void store_both(Number* to, const Row& row, int64_t count) {
    if constexpr (PAIRS) {
        const words order = (words)LANE | ((words)LANE + LANES) << 16;
        const __m512i both = (__m512i)_mm512_cvtne2ps_pbh((__m512)row.sides[1], (__m512)row.sides[0]);
        return store_words(to, (words)_mm512_permutexvar_epi16((__m512i)order, both), count);
    }
    store_words(to, (words)row.sides[0], count);
    store_words(to + LANES, (words)row.sides[1], count - LANES);
}
inline void add(float* to, const Row& row, int64_t count) {
    for (int64_t n = 0; n < std::min(BLOCK, count); n += LANES) {
        const ints order = PAIRS ? LANE / 2 + (LANE & 1) * 16 + int32_t(n / 2) : LANE + int32_t(n);
        __builtin_prefetch(to + BLOCK + n, 1);  // the next columns come soon
        write(to, n, count, read(to, n, count) + __builtin_shuffle(row.sides[0], row.sides[1], order));
    }
}

// A matrix B in columns of tiles, `height` words high: of every 32 columns, one side, then the other.
struct Tiled {
    int64_t height;
    std::unique_ptr<words[]> values;
    Tiled(int64_t depth, int64_t width)
        : height(rounded_up(depth, DEPTH) / WORD), values(new words[rounded_up(width, BLOCK) / LANES * height]) {}
    words* side(int64_t n, int64_t side) const { return values.get() + (n / LANES + side) * height; }
};

// Rows of x, and 32 columns, as two tiles of B.
inline void tile_block(const Number* x, int64_t distance, int64_t rows, int64_t columns, words* first,
                       words* second) {
    const auto load = [=](int64_t r, int64_t n) {
        return r < rows ? load_words(x + r * distance + n, columns - n) : words{};
    };
    for (int64_t k = 0; k < LANES; k++) {
        for (int64_t i = 0; i < WORD; i++) __builtin_prefetch(x + (DEPTH + WORD * k + i) * distance);
        if constexpr (PAIRS) {
            const words upper = load(2 * k, 0), lower = load(2 * k + 1, 0);
            first[k] = (upper & 0xffff) | lower << 16;
            second[k] = upper >> 16 | (lower & 0xffff0000);
        } else {
            first[k] = load(k, 0);
            second[k] = load(k, LANES);
        }
    }
}

// Rows of x as rows of B.
void tile_rows(const Number* x, int64_t distance, int64_t rows, int64_t columns, const Tiled& b, int64_t r) {
    for (int64_t n = 0; n < columns; n += BLOCK)
        tile_block(x + n, distance, rows, columns - n, b.side(n, 0) + r / WORD, b.side(n, 1) + r / WORD);
}

// 32 columns of x as rows of A = x^T, and their sums.
void transpose_columns(const Number* x, int64_t distance, int64_t rows, int64_t columns, const Tiled& a,
                       int64_t n, Row& sums) {
    const words ones = words{} + (PAIRS ? 0x3f803f80 : 0x3f800000);
    for (int64_t r = 0; r < rows; r += DEPTH) {
        words block[2][LANES];
        tile_block(x + r * distance, distance, rows - r, columns, block[0], block[1]);
        for (int64_t side = 0; side < 2; side++) {
            floats tile[LANES];
            for (int64_t k = 0; k < LANES; k++) {
                tile[k] = (floats)block[side][k];
                sums.sides[side] = add_products(sums.sides[side], block[side][k], ones);
            }
            transpose(tile);
            std::memcpy(a.side(n, side) + r / WORD, tile, sizeof tile);
        }
    }
}

// 32 rows of x as columns of B = x^T.
void transpose_rows(const Number* x, int64_t distance, int64_t rows, int64_t columns, const Tiled& b, int64_t n) {
    for (int64_t side = 0; side < 2; side++)
        for (int64_t k = 0; k < columns; k += DEPTH) {
            floats tile[LANES];
            for (int64_t i = 0; i < LANES; i++) {
                const int64_t r = column(side, i);
                tile[i] = (floats)(r < rows ? load_words(x + r * distance + k, columns - k) : words{});
            }
            transpose(tile);
            std::memcpy(b.side(n, side) + k / WORD, tile, sizeof tile);
        }
}

#ifdef __AMX_BF16__

constexpr int64_t PERMIT = 0x1023, TILE_DATA = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
const bool HAS_AMX = PAIRS && syscall(SYS_arch_prctl, PERMIT, TILE_DATA) == 0;  // Linux gives it if asked

struct alignas(64) TileSizes {
    uint8_t palette = 1, start = 0, reserved[14] = {};
    uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
const TileSizes SIZES;

struct Unit {
    Unit() {
        if (HAS_AMX) _tile_loadconfig(&SIZES);
    }
    ~Unit() {
        if (HAS_AMX) _tile_release();
    }
};

inline void multiply_by_amx(const void* a, int64_t row, int64_t half, int64_t next, const Tiled& b, int64_t n,
                            float* sums) {
    const char *upper = static_cast<const char*>(a), *lower = upper + half;
    const words *first = b.side(n, 0), *second = b.side(n, 1);
    asm volatile("" ::: "memory");  // the compiler doesn't know that tiles read and write memory
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t k = 0; k < b.height; k += LANES, upper += next, lower += next) {
        _tile_loadd(4, upper, row);
        _tile_loadd(6, first + k, sizeof(words));
        _tile_loadd(7, second + k, sizeof(words));
        _tile_loadd(5, lower, row);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, sums, 4 * BLOCK);
    _tile_stored(1, sums + LANES, 4 * BLOCK);
    _tile_stored(2, sums + LANES * BLOCK, 4 * BLOCK);
    _tile_stored(3, sums + LANES * BLOCK + LANES, 4 * BLOCK);
    asm volatile("" ::: "memory");
}

#else

constexpr bool HAS_AMX = false;
struct Unit {};
void multiply_by_amx(const void*, int64_t, int64_t, int64_t, const Tiled&, int64_t, float*) {}

#endif

// sums = A B, [32, 32]. Rows of A lie `row` bytes apart, its two halves `half`, its tiles `next`.
inline void multiply_tiles(const void* a, int64_t row, int64_t half, int64_t next, const Tiled& b, int64_t n,
                           float* sums) {
    if (HAS_AMX) return multiply_by_amx(a, row, half, next, b, n, sums);
    const words *first = b.side(n, 0), *second = b.side(n, 1);
    for (int64_t r = 0; r < BLOCK; r += TOGETHER) {
        const char* from = static_cast<const char*>(a) + r / LANES * half + r % LANES * row;
        floats left[TOGETHER] = {}, right[TOGETHER] = {};
        for (int64_t k = 0; k < b.height; k++) {
            const char* column = from + k / LANES * next + k % LANES * 4;
            for (int64_t i = 0; i < TOGETHER; i++) {
                uint32_t word;
                std::memcpy(&word, column + i * row, sizeof word);
                left[i] = add_products(left[i], words{} + word, first[k]);
                right[i] = add_products(right[i], words{} + word, second[k]);
            }
        }
        for (int64_t i = 0; i < TOGETHER; i++, sums += BLOCK) {
            write(sums, 0, BLOCK, left[i]);
            write(sums, LANES, BLOCK, right[i]);
        }
    }
}

// One thread's sums: those being added up, and those of the block before, which are used meanwhile, as
// AMX and vectors are units of their own.
struct Workspace {
    alignas(64) float sums[2][BLOCK * BLOCK];
    int64_t current = 0, row = 0, column = 0, rows_left = 0;
    std::vector<Number> rows;
    Unit unit;

    // Call use(r, n, sums) for each row of the newest sums.
    template <class Use>
    void finish(Use use) {
        const float* from = sums[1 - current];
        for (int64_t i = 0; i < std::min(BLOCK, rows_left); i++)
            use(row + i, column, Row{read(from + i * BLOCK, 0, BLOCK), read(from + i * BLOCK, LANES, BLOCK)});
        rows_left = 0;
    }

    template <class Use>
    void multiply(int64_t r, int64_t count, const void* a, int64_t distance, int64_t half, int64_t next,
                  const Tiled& b, int64_t n, Use use) {
        multiply_tiles(a, distance, half, next, b, n, sums[current]);
        finish(use);
        row = r, column = n, rows_left = count;
        current = 1 - current;
    }

    // Call use(r, n, sums) for each 32 numbers of rows top to bottom - 1 of x B; x has `depth` columns.
    template <class Use>
    void product(const Number* x, int64_t distance, int64_t top, int64_t bottom, int64_t depth, const Tiled& b,
                 int64_t columns, Use use) {
        // Rows an odd number of cache lines apart spread over all sets of the first cache. AMX, which
        // takes less time than a copy, needs that only for rows of whole pages.
        const int64_t tiles = rounded_up(depth, DEPTH), wide = tiles + (tiles / DEPTH % 2 ? 0 : DEPTH);
        const bool copied = !HAS_AMX || depth % DEPTH || distance % PAGE == 0;
        const int64_t whole = copied ? top : bottom - (bottom - top) % BLOCK;  // the rest is copied
        rows.resize(rounded_up(bottom - whole, BLOCK) * wide);
        for (int64_t r = whole; r < bottom; r++) {
            Number* copy = rows.data() + (r - whole) * wide;
            std::memcpy(copy, x + r * distance, depth * sizeof(Number));
            std::fill(copy + depth, copy + tiles, Number{});
        }
        for (int64_t n = 0; n < columns; n += BLOCK)
            for (int64_t r = top; r < bottom; r += BLOCK) {
                const Number* a = r < whole ? x + r * distance : rows.data() + (r - whole) * wide;
                const int64_t bytes = (r < whole ? distance : wide) * sizeof(Number);
                multiply(r, bottom - r, a, bytes, LANES * bytes, sizeof(words), b, n, use);
            }
        finish(use);
    }

    // The same for rows 0 to height - 1 of A B, where `transpose_columns` has made A.
    template <class Use>
    void product(const Tiled& a, int64_t height, const Tiled& b, int64_t columns, Use use) {
        const int64_t half = sizeof(words) * a.height, next = sizeof(words) * LANES;
        const auto ordered = [=](int64_t r, int64_t n, const Row& sums) {
            const int64_t i = r % BLOCK, row = r - i + ::column(i / LANES, i % LANES);
            if (row < height) use(row, n, sums);
        };
        for (int64_t n = 0; n < columns; n += BLOCK)
            for (int64_t r = 0; r < height; r += BLOCK)
                multiply(r, BLOCK, a.side(r, 0), sizeof(words), half, next, b, n, ordered);
        finish(ordered);
    }
};

// Rows of A that a thread takes at once: few if B [depth, columns] stays in the second cache, else as
// many as do, and the same number for each thread.
inline int64_t rows_at_once(int64_t rows, int64_t depth, int64_t columns) {
    if (depth * columns <= CACHED) return BLOCK;
    const int64_t own = quotient(std::max(rows, BLOCK), omp_get_num_threads());
    return rounded_up(quotient(own, quotient(own, std::max(CACHED / 2 / depth, BLOCK))), BLOCK);
}

}  // namespace

extern "C" {

// y = x W^T + b, or max(0, y): x [rows, in], W [out, in].
void linear(const Number* x /*[rows, in]*/, const Number* weight /*[out, in]*/,
            const Number* bias /*[out] or null*/, Number* y /*[rows, out]*/, int64_t rows, int64_t in,
            int64_t out, int64_t rectify) {
    const Tiled weights(in, out);
    const float least = rectify ? 0 : -INFINITY;
#pragma omp parallel if (rows * in * out > GRAIN * LANES)
    {
        Workspace own;
        const int64_t step = rows_at_once(rows, in, out);
#pragma omp for schedule(static)
        for (int64_t n = 0; n < out; n += BLOCK) transpose_rows(weight + n * in, in, out - n, in, weights, n);
#pragma omp for schedule(static)
        for (int64_t top = 0; top < rows; top += step)
            own.product(x, in, top, std::min(rows, top + step), in, weights, out,
                        [=](int64_t r, int64_t n, Row sums) {
                            const Row more = bias ? load_both(bias + n, out - n) : Row{};
                            for (int64_t side : {0, 1}) {
                                const floats z = sums.sides[side] + more.sides[side];
                                sums.sides[side] = z < least ? floats{} + least : z;  // NaN stays
                            }
                            store_both(y + r * out + n, sums, out - n);
                        });
    }
}

// dx = dz W, dW += dz^T x and db += sum dz, where dz = dy, but 0 where y is not positive. Those that are
// null are not computed.
void linear_gradient(const Number* x /*[rows, in]*/, const Number* weight /*[out, in]*/,
                     const Number* y /*[rows, out] or null*/, const Number* dy /*[rows, out]*/,
                     Number* dx /*[rows, in] or null*/, float* dweight /*[out, in] or null*/,
                     float* dbias /*[out] or null*/, int64_t rows, int64_t in, int64_t out) {
    const Tiled weights(out, in), inputs(rows, in);
    const std::unique_ptr<Number[]> cut(y ? new Number[rows * out] : nullptr);
    const Number* dz = y ? cut.get() : dy;
#pragma omp parallel if (rows * in * out > GRAIN * LANES)
    {
        Workspace own;
        const int64_t step = rows_at_once(rows, out, in), block = rows_at_once(out, rows, in);
        const Tiled transposed(rows, block);
#pragma omp for schedule(static)
        for (int64_t r = 0; r < out; r += DEPTH) tile_rows(weight + r * in, in, out - r, in, weights, r);
        if (dweight) {
#pragma omp for schedule(static)
            for (int64_t r = 0; r < rows; r += DEPTH) tile_rows(x + r * in, in, rows - r, in, inputs, r);
        }
#pragma omp for schedule(static)
        for (int64_t top = 0; top < rows; top += step) {
            const int64_t bottom = std::min(rows, top + step), end = bottom * out;
            for (int64_t i = top * out; y && i < end; i += DEPTH) {
                const words positive = (words)((integers)load_words(y + i, end - i) > 0);
                store_words(cut.get() + i, load_words(dy + i, end - i) & positive, end - i);
            }
            if (dx)
                own.product(dz, out, top, bottom, out, weights, in, [=](int64_t r, int64_t n, const Row& sums) {
                    store_both(dx + r * in + n, sums, in - n);
                });
        }
        const int64_t trained = dweight || dbias ? out : 0;
#pragma omp for schedule(static)
        for (int64_t top = 0; top < trained; top += block) {
            const int64_t height = std::min(block, out - top);
            for (int64_t o = 0; o < height; o += BLOCK) {
                Row sums = {};
                transpose_columns(dz + top + o, out, rows, height - o, transposed, o, sums);
                if (dbias) add(dbias + top + o, sums, height - o);
            }
            if (dweight)
                own.product(transposed, height, inputs, in, [=](int64_t o, int64_t n, const Row& sums) {
                    add(dweight + (top + o) * in + n, sums, in - n);
                });
        }
    }
}

}  // extern "C"
