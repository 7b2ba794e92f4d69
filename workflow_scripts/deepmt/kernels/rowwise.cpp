// Row-wise operations of training and the attention of short sentences, each in one pass over memory.
//
// Activations are of the type NUMBER, float or bfloat16; sums and exponentials are float32.
// `compiled.py` builds this file at first use, once for each type; without a compiler, torch's
// operators compute the same equations. It reads the shape beside each pointer, and calls an operation
// only with tensors that have it; sizes come from these shapes. Leading dimensions count as one.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <omp.h>
#include <type_traits>
#include <vector>
#ifdef __AVX512BW__
#include <immintrin.h>
#endif

namespace {

constexpr int64_t LANES = 16;
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef uint16_t halves __attribute__((vector_size(2 * LANES)));
typedef uint8_t bytes __attribute__((vector_size(LANES)));
constexpr ints LANE = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr int64_t COLUMNS = 64;  // that a thread adds up at once, a cache line or two of each row
constexpr int64_t GRAIN = 1 << 14;  // values below which a second thread costs more than it saves

struct bfloat16 {
    uint16_t bits;
};

inline floats widen(floats values) { return values; }
inline floats widen(halves values) { return (floats)(__builtin_convertvector(values, words) << 16); }
inline halves rounded(floats values) {  // to the nearest, ties to even
    const words bits = (words)values;
    return __builtin_convertvector((bits + 0x7fff + ((bits >> 16) & 1)) >> 16, halves);
}

// The vector of 16 numbers of a type.
template <class T>
struct Vector;
template <>
struct Vector<float> {
    using type = floats;
};
template <>
struct Vector<bfloat16> {
    using type = halves;
};
template <>
struct Vector<uint8_t> {
    using type = bytes;
};

// The first `count` values of a vector in memory, with zeros after them; fewer than 16.
#ifdef __AVX512BW__
inline __mmask16 first(int64_t count) { return __mmask16((1u << count) - 1); }
inline bytes load_some(const uint8_t* from, int64_t count) {
    return (bytes)_mm_maskz_loadu_epi8(first(count), from);
}
inline halves load_some(const bfloat16* from, int64_t count) {
    return (halves)_mm256_maskz_loadu_epi16(first(count), from);
}
inline floats load_some(const float* from, int64_t count) {
    return (floats)_mm512_maskz_loadu_ps(first(count), from);
}
inline void store_some(bfloat16* to, halves values, int64_t count) {
    _mm256_mask_storeu_epi16(to, first(count), (__m256i)values);
}
inline void store_some(float* to, floats values, int64_t count) {
    _mm512_mask_storeu_ps(to, first(count), (__m512)values);
}
#else
template <class T>
inline typename Vector<T>::type load_some(const T* from, int64_t count) {
    typename Vector<T>::type values = {};
    std::memcpy(&values, from, count * sizeof(T));
    return values;
}
template <class T>
inline void store_some(T* to, typename Vector<T>::type values, int64_t count) {
    std::memcpy(to, &values, count * sizeof(T));
}
#endif

template <class T>
inline typename Vector<T>::type load(const T* from, int64_t count) {
    if (count < LANES) return load_some(from, count);
    typename Vector<T>::type values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

// Values i to i + 15 of a row; those from n on are 0.
template <class T>
inline floats read(const T* row, int64_t i, int64_t n) {
    return widen(load(row + i, n - i));
}

// The same, but those from n on are `rest`.
template <class T>
inline floats read(const T* row, int64_t i, int64_t n, float rest) {
    return LANE < int32_t(std::min(LANES, n - i)) ? read(row, i, n) : floats{} + rest;
}

inline void write(float* row, int64_t i, int64_t n, floats values) {
    if (n - i < LANES) return store_some(row + i, values, n - i);
    std::memcpy(row + i, &values, sizeof values);
}

inline void write(bfloat16* row, int64_t i, int64_t n, floats values) {
    const halves narrow = rounded(values);
    if (n - i < LANES) return store_some(row + i, narrow, n - i);
    std::memcpy(row + i, &narrow, sizeof narrow);
}

typedef NUMBER Number;

inline float value(const Number* x) { return widen(load_some(x, 1))[0]; }

inline float sum(floats values) {
    for (int apart : {8, 4, 2, 1}) values += __builtin_shuffle(values, LANE ^ apart);
    return values[0];
}

inline float largest(floats values) {
    for (int apart : {8, 4, 2, 1}) {
        const floats others = __builtin_shuffle(values, LANE ^ apart);
        values = others > values ? others : values;
    }
    return values[0];
}

// e^x for x <= 0, with a relative error of 2e-7; 0 below e^-87.
inline floats exp_negative(floats x) {
    constexpr float magic = 12582912.0f;  // 1.5 * 2^23 leaves round(x / ln 2) in the lowest bits
    const ints none = x < -87.0f;
    x = none ? floats{} - 87.0f : x;
    const floats shifted = x * 1.44269504f + magic, n = shifted - magic;
    const floats r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    floats p = r * (1 / 720.0f) + 1 / 120.0f;
    p = p * r + 1 / 24.0f;
    p = p * r + 1 / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    const floats power = (floats)((words)p + ((words)shifted << 23));
    return none ? floats{} : power;
}

// A well-mixed number for each counter and seed (the constants are those of lowbias32).
inline words mixed(words counter, uint32_t low, uint32_t high) {
    words h = counter + low;
    h ^= h >> 16;
    h *= 0x21f0aaadU;
    h ^= h >> 15;
    h ^= high;
    h *= 0xd35a2d97U;
    h ^= h >> 15;
    return h;
}

// Matrices of one head, as float32 in rows of whole vectors.
typedef std::vector<floats> Matrix;
constexpr int64_t ROWS = 4;  // of a product at once

inline int64_t vectors(int64_t values) { return (values + LANES - 1) / LANES; }

// Rows of `k` values, a distance apart in memory; the rest of the matrix is 0. Those `ahead`, which are
// read next, are fetched meanwhile.
void read_rows(const Number* x, int64_t distance, int64_t ahead, int64_t rows, int64_t k, Matrix& to) {
    const int64_t width = vectors(k);
    to.resize(vectors(rows) * LANES * width);
    for (int64_t r = 0; r < rows; r++) {
        __builtin_prefetch(x + r * distance + ahead);
        for (int64_t v = 0; v < width; v++) to[r * width + v] = read(x + r * distance, v * LANES, k);
    }
    std::fill(to.begin() + rows * width, to.end(), floats{});
}

void write_rows(const Matrix& x, int64_t distance, int64_t rows, int64_t k, Number* to) {
    const int64_t width = vectors(k);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t v = 0; v < width; v++) write(to + r * distance, v * LANES, k, x[r * width + v]);
}

// Swap the blocks of `D` beyond the diagonal in blocks of 2 D.
template <int D>
inline void swap_blocks(floats (&x)[LANES]) {
    const ints upper = LANE & D, lower = upper ^ D;
    for (int64_t i = 0; i < LANES; i++) {
        if (i & D) continue;
        const floats a = x[i], b = x[i + D];
        x[i] = __builtin_shuffle(a, b, LANE + (upper ? ints{} + int32_t(LANES) - D : ints{}));
        x[i + D] = __builtin_shuffle(a, b, LANE + (lower ? ints{} + D : ints{} + int32_t(LANES)));
    }
}

inline void transpose(floats (&block)[LANES]) {
    swap_blocks<8>(block);
    swap_blocks<4>(block);
    swap_blocks<2>(block);
    swap_blocks<1>(block);
}

// [rows, columns] -> [columns, rows], both in whole vectors.
void transpose(const Matrix& x, int64_t rows, int64_t columns, Matrix& to) {
    const int64_t width = vectors(columns), height = vectors(rows);
    to.resize(width * LANES * height);
    for (int64_t v = 0; v < width; v++)
        for (int64_t u = 0; u < height; u++) {
            floats block[LANES];
            for (int64_t i = 0; i < LANES; i++) block[i] = x[(u * LANES + i) * width + v];
            transpose(block);
            for (int64_t i = 0; i < LANES; i++) to[(v * LANES + i) * height + u] = block[i];
        }
}

template <int V>
inline void multiply_block(const float* a, int64_t row, int64_t column, const floats* b, floats* c,
                           int64_t k, int64_t width) {
    floats sums[ROWS][V] = {};
    for (int64_t i = 0; i < k; i++)
        for (int64_t r = 0; r < ROWS; r++)
            for (int64_t v = 0; v < V; v++) sums[r][v] += a[r * row + i * column] * b[i * width + v];
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t v = 0; v < V; v++) c[r * width + v] = sums[r][v];
}

// c = a b: [m, k], [k, n] -> [m, n]. Elements of a lie `row` and `column` apart.
void multiply(const Matrix& a, int64_t row, int64_t column, const Matrix& b, Matrix& c, int64_t m, int64_t k,
              int64_t n) {
    const int64_t width = vectors(n);
    c.resize(vectors(m) * LANES * width);
    for (int64_t r = 0; r < m; r += ROWS) {
        const float* rows = reinterpret_cast<const float*>(a.data()) + r * row;
        int64_t v = 0;
        for (; v + 2 <= width; v += 2)
            multiply_block<2>(rows, row, column, b.data() + v, c.data() + r * width + v, k, width);
        if (v < width)
            multiply_block<1>(rows, row, column, b.data() + v, c.data() + r * width + v, k, width);
    }
}

// Sizes of attention, and the distances in memory of sentences, heads and positions.
struct Shape {
    int64_t sentences, heads, queries, keys, k;
    int64_t query_sentence, query_head, query_position;
    int64_t key_sentence, key_head, key_position;
};

// The attention of one head in float32 vectors. Weights and their gradients are [keys, queries]: a lane is a
// query.
struct Head {
    const Shape& s;
    const int64_t width = s.heads * s.k, columns = vectors(s.queries), row = columns * LANES;
    Matrix query, key, value, slopes, turned, weights, ds, sums;
    explicit Head(const Shape& shape) : s(shape) {}

    // weights = softmax(scale q k^T) over the keys that the mask allows; without one, up to the query's.
    void weigh(const Number* q, const Number* k, const Number* v, const uint8_t* mask, float scale) {
        read_rows(q, s.query_position, s.query_sentence, s.queries, s.k, query);
        read_rows(k, s.key_position, s.key_sentence, s.keys, s.k, key);
        read_rows(v, s.key_position, s.key_sentence, s.keys, s.k, value);
        transpose(query, s.queries, s.k, turned);
        multiply(key, vectors(s.k) * LANES, 1, turned, weights, s.keys, s.k, s.queries);
        for (int64_t at = 0; at < columns; at++) {
            floats top = floats{} - INFINITY, exps = {};
            for (int64_t i = 0; i < s.keys; i++) {
                floats& x = weights[i * columns + at];
                if (mask)
                    x = mask[i] ? x * scale : floats{} - INFINITY;
                else
                    x = LANE >= int32_t(i - at * LANES) ? x * scale : floats{} - INFINITY;
                top = x > top ? x : top;
            }
            for (int64_t i = 0; i < s.keys; i++) {
                floats& x = weights[i * columns + at];
                exps += x = exp_negative(x - top);
            }
            for (int64_t i = 0; i < s.keys; i++) weights[i * columns + at] /= exps;
        }
    }

    void forward(const Number* q, const Number* k, const Number* v, const uint8_t* mask, Number* y, float scale) {
        weigh(q, k, v, mask, scale);
        multiply(weights, 1, row, value, sums, s.queries, s.keys, s.k);
        write_rows(sums, width, s.queries, s.k, y);
    }

    void backward(const Number* q, const Number* k, const Number* v, const uint8_t* mask, const Number* dy,
                  Number* dq, Number* dk, Number* dv, float scale) {
        weigh(q, k, v, mask, scale);
        read_rows(dy, width, s.queries * width, s.queries, s.k, slopes);
        multiply(weights, row, 1, slopes, sums, s.keys, s.queries, s.k);
        write_rows(sums, width, s.keys, s.k, dv);
        transpose(slopes, s.queries, s.k, turned);
        multiply(value, vectors(s.k) * LANES, 1, turned, ds, s.keys, s.k, s.queries);
        for (int64_t left = 0; left < columns; left++) {
            floats dots = {};
            for (int64_t at = left; at < s.keys * columns; at += columns) dots += ds[at] * weights[at];
            for (int64_t at = left; at < s.keys * columns; at += columns)
                ds[at] = weights[at] * (ds[at] - dots) * scale;
        }
        multiply(ds, 1, row, key, sums, s.queries, s.keys, s.k);
        write_rows(sums, width, s.queries, s.k, dq);
        multiply(ds, row, 1, query, sums, s.keys, s.queries, s.k);
        write_rows(sums, width, s.keys, s.k, dk);
    }
};

}  // namespace

#ifdef __AVX512BF16__
#include "tiles.h"
#include "tiled_attention.h"
#endif

namespace {

// Where a head of a sentence begins: its queries, its keys and values, the sentence's mask, and its
// results for queries and for keys, which are [B, T or S, H, K].
struct Place {
    int64_t query, key, mask, to_query, to_key;
};

template <class Form, class Use>
void each_head_in(const Shape& s, Use use) {
    const int64_t heads = s.sentences * s.heads, width = s.heads * s.k;
#pragma omp parallel if (heads * s.queries * s.k > GRAIN)
    {
        Form head(s);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < heads; i++) {
            const int64_t b = i / s.heads, h = i % s.heads, to = h * s.k;
            use(head, Place{b * s.query_sentence + h * s.query_head, b * s.key_sentence + h * s.key_head,
                            b * s.keys, b * s.queries * width + to, b * s.keys * width + to});
        }
    }
}

// Call use(head, place) for each head of each sentence.
template <class Use>
void each_head(const Shape& s, int64_t tiled, Use use) {
#ifdef __AVX512BF16__
    if (tiled) return each_head_in<TiledHead>(s, use);
#endif
    each_head_in<Head>(s, use);
}

}  // namespace

extern "C" {

// y = x m scale; m is 0 where 16 random bits are below `dropped`. Values i and i + 16 share 32.
void dropout(const Number* x /*[n]*/, Number* y /*[n]*/, int64_t n, int64_t dropped, float scale,
             int64_t seed) {
    const uint32_t low = uint32_t(seed), high = uint32_t(seed >> 32), limit = uint32_t(dropped);
#pragma omp parallel for schedule(static) if (n > GRAIN)
    for (int64_t i = 0; i < n; i += 2 * LANES) {
        const words bits = mixed((words)LANE + uint32_t(i / 2), low, high);
        const floats first = (bits & 0xffff) >= limit ? floats{} + scale : floats{};
        write(y, i, n, read(x, i, n) * first);
        if (i + LANES < n) {
            const floats second = (bits >> 16) >= limit ? floats{} + scale : floats{};
            write(y, i + LANES, n, read(x, i + LANES, n) * second);
        }
    }
}

// y = omega x + f for one omega per column.
void weighted_residual(const Number* x /*[rows, width]*/, const Number* f /*[rows, width]*/,
                       const float* omega /*[width]*/, Number* y /*[rows, width]*/, int64_t rows,
                       int64_t width) {
#pragma omp parallel for schedule(static) if (rows * width > GRAIN)
    for (int64_t r = 0; r < rows * width; r += width)
        for (int64_t i = 0; i < width; i += LANES)
            write(y + r, i, width, read(omega, i, width) * read(x + r, i, width) + read(f + r, i, width));
}

// dx = omega dy, domega += sum of rows of dy x. Each thread adds up columns of its own.
void weighted_residual_gradient(const Number* x /*[rows, width]*/, const Number* dy /*[rows, width]*/,
                                const float* omega /*[width]*/, Number* dx /*[rows, width]*/,
                                float* domega /*[width]*/, int64_t rows, int64_t width) {
#pragma omp parallel for schedule(static) if (rows * width > GRAIN)
    for (int64_t left = 0; left < width; left += COLUMNS) {
        floats sums[COLUMNS / LANES] = {};
        const int64_t right = std::min(left + COLUMNS, width);
        for (int64_t r = 0; r < rows * width; r += width)
            for (int64_t i = left; i < right; i += LANES) {
                const floats slope = read(dy + r, i, width);
                write(dx + r, i, width, slope * read(omega, i, width));
                sums[(i - left) / LANES] += slope * read(x + r, i, width);
            }
        for (int64_t i = left; i < right; i += LANES)
            write(domega, i, width, read(domega, i, width) + sums[(i - left) / LANES]);
    }
}

// y = sum_k w_k x_k for rows x_k.
void weighted_sum(const Number* x /*[rows, width]*/, const float* weights /*[rows]*/,
                  Number* y /*[width]*/, int64_t rows, int64_t width) {
#pragma omp parallel for schedule(static) if (rows * width > GRAIN)
    for (int64_t i = 0; i < width; i += LANES) {
        floats total = {};
        for (int64_t k = 0; k < rows; k++) total += read(x + k * width, i, width) * weights[k];
        write(y, i, width, total);
    }
}

// loss = -(1 - e) log p_gold - e/V sum_v log p_v and nll = -log p_gold with log p = x - log_sum.
void cross_entropy(const Number* logits /*[rows, types]*/, const int64_t* gold /*[rows]*/,
                   float* loss /*[rows]*/, float* nll /*[rows]*/, float* log_sum /*[rows]*/,
                   int64_t rows, int64_t types, float epsilon) {
#pragma omp parallel for schedule(static) if (rows * types > GRAIN)
    for (int64_t r = 0; r < rows; r++) {
        const Number* x = logits + r * types;
        floats top = floats{} - INFINITY, exps = {}, sums = {};
        for (int64_t i = 0; i < types; i += LANES) {
            const floats values = read(x, i, types, -INFINITY);
            top = values > top ? values : top;
        }
        const float high = largest(top);
        for (int64_t i = 0; i < types; i += LANES) {
            exps += exp_negative(read(x, i, types, -INFINITY) - high);
            sums += read(x, i, types);
        }
        log_sum[r] = high + std::log(sum(exps));
        nll[r] = log_sum[r] - value(x + gold[r]);
        loss[r] = (1 - epsilon) * nll[r] + epsilon * (log_sum[r] - sum(sums) / float(types));
    }
}

// dx = (p - e/V - (1 - e) 1_gold) g.
void cross_entropy_gradient(const Number* logits /*[rows, types]*/, const int64_t* gold /*[rows]*/,
                            const float* log_sum /*[rows]*/, const float* gradient /*[rows]*/,
                            Number* dx /*[rows, types]*/, int64_t rows, int64_t types, float epsilon) {
#pragma omp parallel for schedule(static) if (rows * types > GRAIN)
    for (int64_t r = 0; r < rows; r++) {
        const Number* x = logits + r * types;
        const float g = gradient[r], base = epsilon / float(types), total = log_sum[r];
        const int64_t right = gold[r];
        for (int64_t i = 0; i < types; i += LANES) {
            floats slope = exp_negative(read(x, i, types) - total) - base;
            if (right - i >= 0 && right - i < LANES)
                slope -= LANE == int32_t(right - i) ? floats{} + (1 - epsilon) : floats{};
            write(dx + r * types, i, types, slope * g);
        }
    }
}

// y = softmax(x scale) over the keys that a sentence's mask allows; 0 elsewhere. Without a mask, query t
// sees keys up to t.
void softmax(const Number* x /*[batch, heads, queries, keys]*/, const uint8_t* mask /*[batch, keys] or null*/,
             Number* y /*[batch, heads, queries, keys]*/, int64_t batch, int64_t heads, int64_t queries,
             int64_t keys, float scale) {
    const int64_t rows = batch * heads * queries;
#pragma omp parallel if (rows * keys > GRAIN)
    {
        std::vector<floats> row((keys + LANES - 1) / LANES);
#pragma omp for schedule(static)
        for (int64_t r = 0; r < rows; r++) {
            const int64_t t = r % queries;
            const uint8_t* allowed = mask + r / (heads * queries) * keys;
            floats top = floats{} - INFINITY, exps = {};
            for (int64_t i = 0; i < keys; i += LANES) {
                ints seen = LANE <= int32_t(t - i);
                if (mask)
                    seen = __builtin_convertvector(load(allowed + i, keys - i), words) != 0;
                const floats scaled = read(x + r * keys, i, keys) * scale;
                const floats values = seen ? scaled : floats{} - INFINITY;
                top = values > top ? values : top;
                row[i / LANES] = values;
            }
            const float high = largest(top);
            for (floats& values : row) exps += values = exp_negative(values - high);
            const float inverse = 1 / sum(exps);
            for (int64_t i = 0; i < keys; i += LANES)
                write(y + r * keys, i, keys, row[i / LANES] * inverse);
        }
    }
}

// dx = y (dy - sum_s y_s dy_s) scale.
void softmax_gradient(const Number* y /*[rows, keys]*/, const Number* dy /*[rows, keys]*/,
                      Number* dx /*[rows, keys]*/, int64_t rows, int64_t keys, float scale) {
#pragma omp parallel for schedule(static) if (rows * keys > GRAIN)
    for (int64_t r = 0; r < rows; r++) {
        const Number *weights = y + r * keys, *slopes = dy + r * keys;
        floats dots = {};
        for (int64_t i = 0; i < keys; i += LANES)
            dots += read(weights, i, keys) * read(slopes, i, keys);
        const float dot = sum(dots);
        for (int64_t i = 0; i < keys; i += LANES) {
            const floats centred = read(slopes, i, keys) - dot;
            write(dx + r * keys, i, keys, read(weights, i, keys) * centred * scale);
        }
    }
}

// y = softmax(scale q k^T) v for each head of each sentence; y is [B, T, H, K], the mask [B, S].
void attention(const Number* query, const Number* key, const Number* value, const uint8_t* mask /*[] or null*/,
               Number* y, const Shape* shape, float scale, int64_t tiled) {
    each_head(*shape, tiled, [=](auto& head, const Place& at) {
        const uint8_t* allowed = mask ? mask + at.mask : nullptr;
        head.forward(query + at.query, key + at.key, value + at.key, allowed, y + at.to_query, scale);
    });
}

// The gradients of `attention`, each [B, T or S, H, K]: with p = softmax(scale q k^T), dv = p^T dy and
// ds = scale p (dy v^T - sum_s p dy v^T), dq = ds k and dk = ds^T q.
void attention_gradient(const Number* query, const Number* key, const Number* value,
                        const uint8_t* mask /*[] or null*/, const Number* dy, Number* dquery, Number* dkey, Number* dvalue, const Shape* shape,
                        float scale, int64_t tiled) {
    each_head(*shape, tiled, [=](auto& head, const Place& at) {
        const uint8_t* allowed = mask ? mask + at.mask : nullptr;
        head.backward(query + at.query, key + at.key, value + at.key, allowed, dy + at.to_query,
                      dquery + at.to_query, dkey + at.to_key, dvalue + at.to_key, scale);
    });
}

// y = (x - mean) / sqrt(variance + e) gain + bias.
void layer_norm(const Number* x /*[rows, width]*/, const float* gain /*[width]*/,
                const float* bias /*[width]*/, Number* y /*[rows, width]*/, float* means /*[rows]*/,
                float* inverses /*[rows]*/, int64_t rows, int64_t width, float epsilon) {
#pragma omp parallel for schedule(static) if (rows * width > GRAIN)
    for (int64_t r = 0; r < rows; r++) {
        const Number* row = x + r * width;
        floats sums = {}, squares = {};
        for (int64_t i = 0; i < width; i += LANES) sums += read(row, i, width);
        const float mean = sum(sums) / float(width);
        for (int64_t i = 0; i < width; i += LANES) {
            const floats centred = read(row, i, width, mean) - mean;
            squares += centred * centred;
        }
        const float inverse = 1 / std::sqrt(sum(squares) / float(width) + epsilon);
        for (int64_t i = 0; i < width; i += LANES) {
            const floats normed = (read(row, i, width) - mean) * inverse;
            write(y + r * width, i, width,
                  normed * read(gain, i, width) + read(bias, i, width));
        }
        means[r] = mean;
        inverses[r] = inverse;
    }
}

// With n = (x - mean) / sqrt(variance + e) and h = dy gain: dx = (h - mean(h) - n mean(h n)) /
// sqrt(variance + e), dgain = sum dy n, dbias = sum dy. The last two are [blocks, D], to be added
// up: fixed blocks of rows, so that the number of threads does not change the sums.
void layer_norm_gradient(const Number* x /*[rows, width]*/, const Number* dy /*[rows, width]*/,
                         const float* gain /*[width]*/, const float* means /*[rows]*/,
                         const float* inverses /*[rows]*/, Number* dx /*[rows, width]*/,
                         float* dgain /*[blocks, width]*/, float* dbias /*[blocks, width]*/, int64_t rows,
                         int64_t width, int64_t blocks) {
#pragma omp parallel for schedule(static) if (rows * width > GRAIN)
    for (int64_t block = 0; block < blocks; block++) {
        float *own_gain = dgain + block * width, *own_bias = dbias + block * width;
        for (int64_t r = rows * block / blocks; r < rows * (block + 1) / blocks; r++) {
            const Number *row = x + r * width, *slopes = dy + r * width;
            const float mean = means[r], inverse = inverses[r];
            floats sums = {}, products = {};
            for (int64_t i = 0; i < width; i += LANES) {
                const floats slope = read(slopes, i, width);
                const floats normed = (read(row, i, width) - mean) * inverse;
                const floats h = slope * read(gain, i, width);
                sums += h;
                products += h * normed;
                write(own_gain, i, width, read(own_gain, i, width) + slope * normed);
                write(own_bias, i, width, read(own_bias, i, width) + slope);
            }
            const float a = sum(sums) / float(width), b = sum(products) / float(width);
            for (int64_t i = 0; i < width; i += LANES) {
                const floats normed = (read(row, i, width) - mean) * inverse;
                const floats h = read(slopes, i, width) * read(gain, i, width);
                write(dx + r * width, i, width, (h - a - normed * b) * inverse);
            }
        }
    }
}

}  // extern "C"
