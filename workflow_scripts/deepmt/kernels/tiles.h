// Linear layers of bfloat16 numbers in tiles of AMX; sums are float32. `rowwise.cpp` includes this.
//
// A tile holds 16 rows of 64 bytes. One instruction adds A B to a tile of sums for 16 rows of A, each
// of 32 numbers, and a tile of B whose words hold pairs: B[2 k, n] beside B[2 k + 1, n].

#include <memory>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int64_t DEPTH = 2 * LANES;  // numbers in a row of A
constexpr int64_t SIDE = 2 * LANES;   // of the block of sums in four tiles
constexpr int64_t CACHED = 1 << 19;   // numbers that stay in the second cache
constexpr int64_t PAGE = 1 << 11;     // numbers; rows of whole pages share sets of the first cache
constexpr int64_t PERMIT = 0x1023, TILE_DATA = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA

struct alignas(64) TileSizes {
    uint8_t palette = 1, start = 0, reserved[14] = {};
    uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
const TileSizes SIZES;

inline int64_t quotient(int64_t n, int64_t unit) { return (n + unit - 1) / unit; }  // rounded up
inline int64_t rounded_up(int64_t n, int64_t unit) { return quotient(n, unit) * unit; }

inline __mmask32 first_pairs(int64_t count) {
    return count >= DEPTH ? ~0u : count > 0 ? (1u << count) - 1 : 0;
}
inline words load_pairs(const bfloat16* from, int64_t count) {
    return (words)_mm512_maskz_loadu_epi16(first_pairs(count), from);
}
// Numbers 2 j and numbers 2 j + 1 of pairs, and pairs of two such vectors.
inline floats even(words pairs) { return (floats)(pairs << 16); }
inline floats odd(words pairs) { return (floats)(pairs & 0xffff0000); }
inline words paired(floats even, floats odd) {
    const words order = (words)LANE | ((words)LANE + LANES) << 16;
    const __m512i both = (__m512i)_mm512_cvtne2ps_pbh((__m512)odd, (__m512)even);
    return (words)_mm512_permutexvar_epi16((__m512i)order, both);
}
inline void store_pairs(bfloat16* to, words pairs, int64_t count) {
    _mm512_mask_storeu_epi16(to, first_pairs(count), (__m512i)pairs);
}

inline void add(float* to, floats even, floats odd, int64_t count) {
    for (int64_t n = 0; n < std::min(SIDE, count); n += LANES) {
        const ints order = LANE / 2 + (LANE & 1) * 16 + int32_t(n / 2);
        __builtin_prefetch(to + SIDE + n, 1);  // the next columns come soon
        write(to, n, count, read(to, n, count) + __builtin_shuffle(even, odd, order));
    }
}

// A matrix B in columns of tiles, `depth` / 2 words high. Of every 32 columns, those of even numbers are
// in one tile and those of odd numbers in the next: then two rows are paired by shifts and masks alone.
struct Tiled {
    int64_t height;
    std::unique_ptr<words[]> values;
    Tiled(int64_t depth, int64_t width)
        : height(rounded_up(depth, DEPTH) / 2), values(new words[rounded_up(width, SIDE) / LANES * height]) {}
    words* even(int64_t n) const { return values.get() + n / LANES * height; }
    words* odd(int64_t n) const { return even(n + LANES); }
};

// 32 x 32 numbers of x as two tiles of B: even[k] pairs x[2 k, 2 n] with x[2 k + 1, 2 n].
inline void pair_rows(const bfloat16* x, int64_t distance, int64_t rows, int64_t columns, words* even,
                      words* odd) {
    for (int64_t k = 0; k < LANES; k++) {
        const bfloat16* row = x + 2 * k * distance;
        __builtin_prefetch(row + DEPTH * distance);
        __builtin_prefetch(row + (DEPTH + 1) * distance);
        const words low = 2 * k < rows ? load_pairs(row, columns) : words{};
        const words high = 2 * k + 1 < rows ? load_pairs(row + distance, columns) : words{};
        even[k] = (low & 0xffff) | high << 16;
        odd[k] = low >> 16 | (high & 0xffff0000);
    }
}

// 32 rows of x as rows of B.
void tile_rows(const bfloat16* x, int64_t distance, int64_t rows, int64_t columns, const Tiled& b, int64_t r) {
    for (int64_t n = 0; n < columns; n += SIDE)
        pair_rows(x + n, distance, rows, columns - n, b.even(n) + r / 2, b.odd(n) + r / 2);
}

// 32 columns of x as rows of A = x^T, and their sums.
void transpose_columns(const bfloat16* x, int64_t distance, int64_t rows, int64_t columns, const Tiled& a, int64_t n,
                  floats (&sums)[2]) {
    const __m512bh ones = (__m512bh)(words{} + 0x3f803f80);
    for (int64_t r = 0; r < rows; r += DEPTH) {
        words pairs[2][LANES];
        pair_rows(x + r * distance, distance, rows - r, columns, pairs[0], pairs[1]);
        for (int64_t side = 0; side < 2; side++) {
            floats tile[LANES];
            for (int64_t k = 0; k < LANES; k++) {
                tile[k] = (floats)pairs[side][k];
                sums[side] = (floats)_mm512_dpbf16_ps((__m512)sums[side], (__m512bh)pairs[side][k], ones);
            }
            transpose(tile);
            std::memcpy((side ? a.odd(n) : a.even(n)) + r / 2, tile, sizeof tile);
        }
    }
}

// 32 rows of x as columns of B = x^T.
void transpose_rows(const bfloat16* x, int64_t distance, int64_t rows, int64_t columns, const Tiled& b, int64_t n) {
    for (int64_t side = 0; side < 2; side++)
        for (int64_t k = 0; k < columns; k += DEPTH) {
            floats tile[LANES];
            for (int64_t i = 0; i < LANES; i++) {
                const int64_t r = 2 * i + side;
                tile[i] = (floats)(r < rows ? load_pairs(x + r * distance + k, columns - k) : words{});
            }
            transpose(tile);
            std::memcpy((side ? b.odd(n) : b.even(n)) + k / 2, tile, sizeof tile);
        }
}

// sums = A B, [32, 32]. Rows of A lie `row` bytes apart, its two halves `half`, its tiles `next`.
inline void multiply_tiles(const void* a, int64_t row, int64_t half, int64_t next, const Tiled& b, int64_t n,
                           float* sums) {
    const char *upper = static_cast<const char*>(a), *lower = upper + half;
    const words *even = b.even(n), *odd = b.odd(n);
    asm volatile("" ::: "memory");  // the compiler doesn't know that tiles read and write memory
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t k = 0; k < b.height; k += LANES, upper += next, lower += next) {
        _tile_loadd(4, upper, row);
        _tile_loadd(6, even + k, sizeof(words));
        _tile_loadd(7, odd + k, sizeof(words));
        _tile_loadd(5, lower, row);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, sums, 4 * SIDE);
    _tile_stored(1, sums + LANES, 4 * SIDE);
    _tile_stored(2, sums + LANES * SIDE, 4 * SIDE);
    _tile_stored(3, sums + LANES * SIDE + LANES, 4 * SIDE);
    asm volatile("" ::: "memory");
}

// One thread's sums: those being added up, and those of the block before, which are used meanwhile, as
// tiles and vectors are units of their own.
struct Workspace {
    alignas(64) float sums[2][SIDE * SIDE];
    int64_t current = 0, row = 0, column = 0, rows_left = 0;
    std::vector<bfloat16> rows;
    Workspace() { _tile_loadconfig(&SIZES); }
    ~Workspace() { _tile_release(); }

    // Call use(r, n, even, odd) for each row of the newest sums, with those of even and of odd columns.
    template <class Use>
    void finish(Use use) {
        const float* from = sums[1 - current];
        for (int64_t i = 0; i < std::min(SIDE, rows_left); i++)
            use(row + i, column, read(from + i * SIDE, 0, LANES), read(from + i * SIDE, LANES, SIDE));
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

    // Call use(r, n, even, odd) for each 32 numbers of rows top to bottom - 1 of x B; x has `depth` columns.
    template <class Use>
    void product(const bfloat16* x, int64_t distance, int64_t top, int64_t bottom, int64_t depth, const Tiled& b,
                 int64_t columns, Use use) {
        const int64_t tiles = rounded_up(depth, DEPTH), wide = tiles + (tiles % PAGE ? 0 : DEPTH);
        const bool copied = depth % DEPTH || distance % PAGE == 0;
        const int64_t whole = copied ? top : bottom - (bottom - top) % SIDE;  // the rest is copied
        rows.resize(rounded_up(bottom - whole, SIDE) * wide);
        for (int64_t r = whole; r < bottom; r++) {
            bfloat16* copy = rows.data() + (r - whole) * wide;
            std::memcpy(copy, x + r * distance, 2 * depth);
            std::fill(copy + depth, copy + tiles, bfloat16{});
        }
        for (int64_t n = 0; n < columns; n += SIDE)
            for (int64_t r = top; r < bottom; r += SIDE) {
                const bfloat16* a = r < whole ? x + r * distance : rows.data() + (r - whole) * wide;
                const int64_t row = 2 * (r < whole ? distance : wide);
                multiply(r, bottom - r, a, row, LANES * row, 2 * DEPTH, b, n, use);
            }
        finish(use);
    }

    // The same for rows 0 to height - 1 of A B, where `transpose_columns` has made A.
    template <class Use>
    void product(const Tiled& a, int64_t height, const Tiled& b, int64_t columns, Use use) {
        const int64_t half = sizeof(words) * a.height, next = sizeof(words) * LANES;
        const auto ordered = [=](int64_t r, int64_t n, floats even, floats odd) {
            const int64_t i = r % SIDE, row = r - i + 2 * (i % LANES) + i / LANES;
            if (row < height) use(row, n, even, odd);
        };
        for (int64_t n = 0; n < columns; n += SIDE)
            for (int64_t r = 0; r < height; r += SIDE)
                multiply(r, SIDE, a.even(r), sizeof(words), half, next, b, n, ordered);
        finish(ordered);
    }
};

// Rows of A that a thread takes at once: few if B [depth, columns] stays in the second cache, else as
// many as do, and the same number for each thread.
inline int64_t rows_at_once(int64_t rows, int64_t depth, int64_t columns) {
    if (depth * columns <= CACHED) return SIDE;
    const int64_t own = quotient(std::max(rows, SIDE), omp_get_num_threads());
    return rounded_up(quotient(own, quotient(own, std::max(CACHED / 2 / depth, SIDE))), SIDE);
}

}  // namespace

extern "C" {

// Ask Linux for the use of tiles: 0 if it is given.
int64_t request_tiles() { return syscall(SYS_arch_prctl, PERMIT, TILE_DATA); }

// y = x W^T + b, or max(0, y): x [rows, in], W [out, in].
void linear(const bfloat16* x, const bfloat16* weight, const bfloat16* bias, bfloat16* y, int64_t rows,
            int64_t in, int64_t out, int64_t rectify) {
    const Tiled weights(in, out);
    const float least = rectify ? 0 : -INFINITY;
#pragma omp parallel if (rows * in * out > GRAIN * LANES)
    {
        Workspace own;
        const int64_t step = rows_at_once(rows, in, out);
#pragma omp for schedule(static)
        for (int64_t n = 0; n < out; n += SIDE) transpose_rows(weight + n * in, in, out - n, in, weights, n);
#pragma omp for schedule(static)
        for (int64_t top = 0; top < rows; top += step)
            own.product(x, in, top, std::min(rows, top + step), in, weights, out,
                        [=](int64_t r, int64_t n, floats low, floats high) {
                            if (bias) {
                                const words pairs = load_pairs(bias + n, out - n);
                                low += even(pairs), high += odd(pairs);
                            }
                            low = low < least ? floats{} + least : low;  // NaN stays
                            high = high < least ? floats{} + least : high;
                            store_pairs(y + r * out + n, paired(low, high), out - n);
                        });
    }
}

// dx = dz W, dW += dz^T x and db += sum dz, where dz = dy, but 0 where y is not positive.
void linear_gradient(const bfloat16* x, const bfloat16* weight, const bfloat16* y, const bfloat16* dy,
                     bfloat16* dx, float* dweight, float* dbias, int64_t rows, int64_t in, int64_t out) {
    const Tiled weights(out, in), inputs(rows, in);
    const std::unique_ptr<bfloat16[]> cut(y ? new bfloat16[rows * out] : nullptr);
    const bfloat16* dz = y ? cut.get() : dy;
#pragma omp parallel if (rows * in * out > GRAIN * LANES)
    {
        Workspace own;
        const int64_t step = rows_at_once(rows, out, in), block = rows_at_once(out, rows, in);
        const Tiled transposed(rows, block);
#pragma omp for schedule(static)
        for (int64_t r = 0; r < out; r += SIDE) tile_rows(weight + r * in, in, out - r, in, weights, r);
#pragma omp for schedule(static)
        for (int64_t r = 0; r < rows; r += SIDE) tile_rows(x + r * in, in, rows - r, in, inputs, r);
#pragma omp for schedule(static)
        for (int64_t top = 0; top < rows; top += step) {
            const int64_t bottom = std::min(rows, top + step), end = bottom * out;
            for (int64_t i = top * out; y && i < end; i += DEPTH) {
                const __m512i outputs = (__m512i)load_pairs(y + i, end - i);
                const __mmask32 kept = _mm512_cmpgt_epi16_mask(outputs, _mm512_setzero_si512());
                store_pairs(cut.get() + i, (words)_mm512_maskz_loadu_epi16(kept, dy + i), end - i);
            }
            if (dx)
                own.product(dz, out, top, bottom, out, weights, in,
                            [=](int64_t r, int64_t n, floats low, floats high) {
                                store_pairs(dx + r * in + n, paired(low, high), in - n);
                            });
        }
#pragma omp for schedule(static)
        for (int64_t top = 0; top < out; top += block) {
            const int64_t height = std::min(block, out - top);
            for (int64_t o = 0; o < height; o += SIDE) {
                floats sums[2] = {};
                transpose_columns(dz + top + o, out, rows, height - o, transposed, o, sums);
                if (dbias) add(dbias + top + o, sums[0], sums[1], height - o);
            }
            own.product(transposed, height, inputs, in,
                        [=](int64_t o, int64_t n, floats low, floats high) {
                            add(dweight + (top + o) * in + n, low, high, in - n);
                        });
        }
    }
}

}  // extern "C"
