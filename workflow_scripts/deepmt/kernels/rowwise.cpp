// Row-wise operations of training, each in one pass over memory, and the attention of a search.
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

// As many as a register holds: of longer vectors, g++ compares and shuffles number by number.
#if defined __AVX512BW__
constexpr int64_t LANES = 16;
#elif defined __AVX2__
constexpr int64_t LANES = 8;
#else
constexpr int64_t LANES = 4;
#endif
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef float four __attribute__((vector_size(16)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef uint16_t halves __attribute__((vector_size(2 * LANES)));
typedef uint8_t bytes __attribute__((vector_size(LANES)));
#if defined __AVX512BW__
constexpr ints LANE = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif defined __AVX2__
constexpr ints LANE = {0, 1, 2, 3, 4, 5, 6, 7};
#else
constexpr ints LANE = {0, 1, 2, 3};
#endif
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

// The vector of LANES numbers of a type.
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

// The first `count` values of a vector in memory, with zeros after them; fewer than LANES.
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

// Values i to i + LANES - 1 of a row; those from n on are 0.
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
    for (int apart = LANES / 2; apart; apart /= 2) values += __builtin_shuffle(values, LANE ^ apart);
    return values[0];
}

// The sums of four vectors.
inline four sums(const floats* x) {
    constexpr int HALF = LANES / 2, QUARTER = LANES / 4;
    const ints halves = LANE % HALF + LANE / HALF * LANES;
    const ints quarters = LANE % QUARTER + LANE / QUARTER % 2 * HALF + LANE / HALF * LANES;
    const floats a = __builtin_shuffle(x[0], x[1], halves) + __builtin_shuffle(x[0], x[1], halves + HALF);
    const floats b = __builtin_shuffle(x[2], x[3], halves) + __builtin_shuffle(x[2], x[3], halves + HALF);
    floats c = __builtin_shuffle(a, b, quarters) + __builtin_shuffle(a, b, quarters + QUARTER);
    for (int apart = QUARTER / 2; apart; apart /= 2) c += __builtin_shuffle(c, LANE ^ apart);
    return four{c[0], c[QUARTER], c[HALF], c[HALF + QUARTER]};
}

inline float largest(floats values) {
    for (int apart = LANES / 2; apart; apart /= 2) {
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

// 0 or `kept`: which values dropout leaves, and their factor. LANES values of a counter each.
struct Mask {
    int64_t dropped;
    float kept;
    int64_t seed;
    floats of(int64_t counter) const {
        if (!dropped) return floats{} + 1;
        const words bits = mixed((words)LANE + uint32_t(counter), uint32_t(seed), uint32_t(seed >> 32));
        return (bits >> 16) >= uint32_t(dropped) ? floats{} + kept : floats{};
    }
};

// c = a b with a_ik at a[i down + k across]; rows of b and c have `wide` numbers, whole vectors.
inline void multiply(const float* a, int64_t down, int64_t across, const float* b, int64_t wide, float* c,
                     int64_t rows, int64_t depth) {
    constexpr int64_t TOGETHER = 8;  // rows whose sums stay in registers; the last one fills up
    for (int64_t first = 0; first < rows; first += TOGETHER) {
        const float* row[TOGETHER];
        for (int64_t r = 0; r < TOGETHER; r++) row[r] = a + std::min(first + r, rows - 1) * down;
        for (int64_t i = 0; i < wide; i += LANES) {
            floats sums[TOGETHER] = {};
            for (int64_t k = 0; k < depth; k++) {
                const floats values = read(b + k * wide, i, wide);
#pragma GCC unroll 8
                for (int64_t r = 0; r < TOGETHER; r++) sums[r] += row[r][k * across] * values;
            }
#pragma GCC unroll 8
            for (int64_t r = 0; r < TOGETHER; r++)
                if (first + r < rows) write(c + (first + r) * wide, i, wide, sums[r]);
        }
    }
}

// Four rows of four numbers become columns.
inline void transpose(const float* x, int64_t wide, float* y, int64_t long_) {
    four rows[4];
    for (int r = 0; r < 4; r++) std::memcpy(&rows[r], x + r * wide, sizeof rows[r]);
    typedef int32_t order __attribute__((vector_size(16)));
    constexpr order LOW = {0, 4, 1, 5}, HIGH = {2, 6, 3, 7}, FIRST = {0, 1, 4, 5}, SECOND = {2, 3, 6, 7};
    const four a = __builtin_shuffle(rows[0], rows[1], LOW), b = __builtin_shuffle(rows[2], rows[3], LOW);
    const four c = __builtin_shuffle(rows[0], rows[1], HIGH), d = __builtin_shuffle(rows[2], rows[3], HIGH);
    const four columns[4] = {__builtin_shuffle(a, b, FIRST), __builtin_shuffle(a, b, SECOND),
                             __builtin_shuffle(c, d, FIRST), __builtin_shuffle(c, d, SECOND)};
    for (int r = 0; r < 4; r++) std::memcpy(y + r * long_, &columns[r], sizeof columns[r]);
}

// One head of one sentence, in float32: rows of a matrix are padded with zeros to whole vectors.
struct Head {
    int64_t queries, keys, width, wide = up(width), long_ = up(keys);
    std::vector<float> q = matrix(queries, wide), k = matrix(keys, wide), v = matrix(keys, wide),
                       across = matrix(width, long_), weights = matrix(queries, long_),
                       slopes = matrix(queries, long_), y = matrix(std::max(queries, keys), wide);

    static int64_t up(int64_t n) { return (n + LANES - 1) / LANES * LANES; }
    static std::vector<float> matrix(int64_t rows, int64_t wide) {
        return std::vector<float>(up(rows) * wide);
    }

    // Rows that lie `apart` in memory.
    void read_rows(const Number* from, int64_t apart, int64_t rows, std::vector<float>& to) const {
        for (int64_t r = 0; r < rows; r++)
            for (int64_t i = 0; i < width; i += LANES)
                write(&to[r * wide], i, wide, read(from + r * apart, i, width));
    }
    void write_rows(Number* to, int64_t apart, int64_t rows) const {
        for (int64_t r = 0; r < rows; r++)
            for (int64_t i = 0; i < width; i += LANES)
                write(to + r * apart, i, width, read(&y[r * wide], i, wide));
    }

    // products = rows x^T: [queries, width], [keys, width] -> [queries, keys].
    void by_keys(const std::vector<float>& rows, const std::vector<float>& x, std::vector<float>& products) {
        for (int64_t s = 0; s < keys; s += 4)
            for (int64_t i = 0; i < width; i += 4) transpose(&x[s * wide + i], wide, &across[i * long_ + s], long_);
        multiply(rows.data(), wide, 1, across.data(), long_, products.data(), queries, width);
    }
    // y = a x: [queries, keys], [keys, width] -> [queries, width].
    void over_keys(const std::vector<float>& a, const std::vector<float>& x) {
        multiply(a.data(), long_, 1, x.data(), wide, y.data(), queries, keys);
    }
    // y = a^T x: [queries, keys], [queries, width] -> [keys, width].
    void over_queries(const std::vector<float>& a, const std::vector<float>& x) {
        multiply(a.data(), 1, long_, x.data(), wide, y.data(), keys, queries);
    }
};

}  // namespace

extern "C" {

// y = x m scale; m is 0 where 16 random bits are below `dropped`. Values i and i + 16 share 32.
void dropout(const Number* x /*[n]*/, Number* y /*[n]*/, int64_t n, int64_t dropped, float scale,
             int64_t seed) {
    constexpr int64_t APART = 16;
    const uint32_t low = uint32_t(seed), high = uint32_t(seed >> 32), limit = uint32_t(dropped);
#pragma omp parallel for schedule(static) if (n > GRAIN)
    for (int64_t block = 0; block < n; block += 2 * APART)
        for (int64_t i = block; i < std::min(block + APART, n); i += LANES) {
            const words bits = mixed((words)LANE + uint32_t(i - block / 2), low, high);
            const floats first = (bits & 0xffff) >= limit ? floats{} + scale : floats{};
            write(y, i, n, read(x, i, n) * first);
            if (i + APART < n) {
                const floats second = (bits >> 16) >= limit ? floats{} + scale : floats{};
                write(y, i + APART, n, read(x, i + APART, n) * second);
            }
        }
}

// y = y + b, or max(0, y + b).
void add_bias(Number* y /*[rows, columns]*/, const Number* bias /*[columns]*/, int64_t rows, int64_t columns,
              int64_t rectify) {
    const float least = rectify ? 0 : -INFINITY;
#pragma omp parallel for schedule(static) if (rows * columns > GRAIN)
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < columns; i += LANES) {
            const floats sums = read(y + r * columns, i, columns) + read(bias, i, columns);
            write(y + r * columns, i, columns, sums < least ? floats{} + least : sums);
        }
}

// db = db + sum_rows dz, where dz is dy, but 0 where y, if given, was cut to 0.
void bias_gradient(const Number* dy /*[rows, columns]*/, const Number* y /*[rows, columns] or null*/,
                   Number* dz /*[rows, columns] or null*/, float* db /*[columns]*/, int64_t rows, int64_t columns) {
    constexpr int64_t TOGETHER = 8, BLOCK = 32;  // vectors, and rows, whose sums stay in registers
#pragma omp parallel for schedule(static) if (rows * columns > GRAIN)
    for (int64_t first = 0; first < columns; first += TOGETHER * LANES)
        for (int64_t block = 0; block < rows; block += BLOCK) {
            floats sums[TOGETHER] = {};
            for (int64_t r = block; r < std::min(block + BLOCK, rows); r++)
#pragma GCC unroll 8
                for (int64_t j = 0; j < TOGETHER; j++) {
                    const int64_t i = first + j * LANES;
                    if (i >= columns) break;
                    floats slope = read(dy + r * columns, i, columns);
                    if (y) slope = read(y + r * columns, i, columns) > 0 ? slope : floats{};
                    if (dz) write(dz + r * columns, i, columns, slope);
                    sums[j] += slope;
                }
#pragma GCC unroll 8
            for (int64_t j = 0; j < TOGETHER; j++)
                if (const int64_t i = first + j * LANES; i < columns)
                    write(db, i, columns, read(db, i, columns) + sums[j]);
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

// y = softmax(q k^T scale) v over the entries that each query may see, for few queries of many sentences, as
// in a search. The key of an entry and its value, which follows, are read once for TOGETHER queries, and not at
// all if none of these may see them. `rows` of the mask is `queries`, or 1 if all see the same.
void attend(const Number* query /*[batch, queries, heads, width]*/,
            const Number* entries /*[batch, room, both, heads, width]*/,
            const uint8_t* mask /*[batch, rows, seen]*/, Number* y /*[batch, queries, heads, width]*/,
            int64_t batch, int64_t heads, int64_t queries, int64_t room, int64_t both, int64_t rows,
            int64_t seen, int64_t width, float scale) {
    constexpr int64_t TOGETHER = 4;  // queries whose sums stay in registers; the last one fills up
    constexpr int64_t AHEAD = 8;     // entries fetched before their turn: caches outgrow those of a processor
    const int64_t row = heads * width, entry = both * row;
#pragma omp parallel if (batch * heads * queries * seen > GRAIN / LANES)
    {
        std::vector<int64_t> open(seen);
        std::vector<float> hidden(seen * TOGETHER), scores(heads * seen * TOGETHER);
#pragma omp for schedule(static)
        for (int64_t sentence = 0; sentence < batch; sentence++) {
            const Number* own = entries + sentence * room * entry;
            for (int64_t first = 0; first < queries; first += TOGETHER) {
                const Number* q[TOGETHER];
                const uint8_t* allowed[TOGETHER];
                for (int64_t b = 0; b < TOGETHER; b++) {
                    const int64_t t = std::min(first + b, queries - 1);
                    q[b] = query + (sentence * queries + t) * row;
                    allowed[b] = mask + (sentence * rows + t % rows) * seen;
                }
                int64_t count = 0;
                for (int64_t s = 0; s < seen; s++) {
                    bool any = false;
                    for (int64_t b = 0; b < TOGETHER; b++) {
                        any |= allowed[b][s];
                        hidden[count * TOGETHER + b] = allowed[b][s] ? 0 : -INFINITY;
                    }
                    open[count] = s;
                    count += any;
                }
                const int64_t n = count * TOGETHER;
                for (int64_t j = 0; j < count; j++) {
                    const Number* next = own + open[std::min(j + AHEAD, count - 1)] * entry;
                    for (int64_t i = 0; i < entry; i += LANES) __builtin_prefetch(next + i, 0, 2);
                    const Number* key = own + open[j] * entry;
                    for (int64_t h = 0; h < heads; h++) {
                        floats dots[TOGETHER] = {};
                        for (int64_t i = 0; i < width; i += LANES) {
                            const floats k = read(key + h * width, i, width);
                            for (int64_t b = 0; b < TOGETHER; b++)
                                dots[b] += k * read(q[b] + h * width, i, width);
                        }
                        const four found = sums(dots);
                        std::memcpy(&scores[h * n + j * TOGETHER], &found, sizeof found);
                    }
                }
                for (int64_t h = 0; h < heads; h++) {
                    float* weights = &scores[h * n];
                    floats high = floats{} - INFINITY, exps = {};
                    for (int64_t i = 0; i < n; i += LANES) {
                        const floats x = read(weights, i, n) * scale + read(hidden.data(), i, n, -INFINITY);
                        write(weights, i, n, x);
                        high = x > high ? x : high;
                    }
                    for (int apart = LANES / 2; apart >= TOGETHER; apart /= 2) {  // the same query
                        const floats others = __builtin_shuffle(high, LANE ^ apart);
                        high = others > high ? others : high;
                    }
                    for (int64_t i = 0; i < n; i += LANES) {
                        const floats x = exp_negative(read(weights, i, n, -INFINITY) - high);
                        write(weights, i, n, x);
                        exps += x;
                    }
                    for (int apart = LANES / 2; apart >= TOGETHER; apart /= 2)
                        exps += __builtin_shuffle(exps, LANE ^ apart);
                    const floats inverse = 1 / exps;
                    const Number* value = own + row + h * width;
                    for (int64_t i = 0; i < width; i += LANES) {
                        floats context[TOGETHER] = {};
                        for (int64_t j = 0; j < count; j++) {
                            const floats v = read(value + open[j] * entry, i, width);
                            for (int64_t b = 0; b < TOGETHER; b++) context[b] += v * weights[j * TOGETHER + b];
                        }
                        for (int64_t b = 0; b < TOGETHER; b++)
                            write(y + (q[b] - query) + h * width, i, width, context[b] * inverse[b]);
                    }
                }
            }
        }
    }
}

// weights = softmax(q k^T scale) over the keys that a sentence's mask allows, 0 elsewhere, and y = (weights m) v;
// without a mask, query t sees keys up to t. Queries are the first of `parts`, keys and values the last two of
// `both`. m is drawn as `Mask` says.
void attention(const Number* query /*[batch, queries, parts, heads, width]*/,
               const Number* entries /*[batch, keys, both, heads, width]*/,
               const uint8_t* mask /*[batch, keys] or null*/, Number* weights /*[batch, heads, queries, keys]*/,
               Number* y /*[batch, queries, heads, width]*/, int64_t batch, int64_t heads, int64_t queries,
               int64_t keys, int64_t parts, int64_t both, int64_t width, float scale, int64_t dropped,
               float kept, int64_t seed) {
    const int64_t row = heads * width;
    const Mask m{dropped, kept, seed};
#pragma omp parallel if (batch * row * queries * keys > GRAIN * LANES)
    {
        Head head{queries, keys, width};
#pragma omp for schedule(static)
        for (int64_t n = 0; n < batch * heads; n++) {
            const int64_t sentence = n / heads, h = n % heads * width;
            const Number* key = entries + (sentence * keys * both + both - 2) * row + h;
            head.read_rows(query + sentence * queries * parts * row + h, parts * row, queries, head.q);
            head.read_rows(key, both * row, keys, head.k);
            head.read_rows(key + row, both * row, keys, head.v);
            head.by_keys(head.q, head.k, head.weights);
            for (int64_t t = 0; t < queries; t++) {
                float* own = &head.weights[t * head.long_];
                floats top = floats{} - INFINITY, exps = {};
                for (int64_t i = 0; i < keys; i += LANES) {
                    ints seen = LANE <= int32_t(t - i);
                    if (mask) seen = __builtin_convertvector(load(mask + sentence * keys + i, keys - i), words) != 0;
                    const floats scaled = read(own, i, head.long_) * scale;
                    const floats values = seen ? scaled : floats{} - INFINITY;
                    top = values > top ? values : top;
                    write(own, i, head.long_, values);
                }
                const float high = largest(top);
                for (int64_t i = 0; i < keys; i += LANES) {
                    const floats values = exp_negative(read(own, i, head.long_) - high);
                    exps += values;
                    write(own, i, head.long_, values);
                }
                const float inverse = 1 / sum(exps);
                Number* stored = weights + (n * queries + t) * keys;
                for (int64_t i = 0; i < keys; i += LANES) {
                    const floats values = read(own, i, head.long_) * inverse;
                    write(stored, i, keys, values);
                    write(own, i, head.long_, values * m.of((n * queries + t) * head.long_ + i));
                }
            }
            head.over_keys(head.weights, head.v);
            head.write_rows(y + sentence * queries * row + h, row, queries);
        }
    }
}

// With g = (dy v^T) m: ds = weights (g - sum_s weights_s g_s) scale, dq = ds k, dk = ds^T q, dv = (weights m)^T dy.
void attention_gradient(const Number* query /*[batch, queries, parts, heads, width]*/,
                        const Number* entries /*[batch, keys, both, heads, width]*/,
                        const Number* weights /*[batch, heads, queries, keys]*/,
                        const Number* dy /*[batch, queries, heads, width]*/,
                        Number* dquery /*[batch, queries, parts, heads, width]*/,
                        Number* dentries /*[batch, keys, both, heads, width]*/, int64_t batch, int64_t heads,
                        int64_t queries, int64_t keys, int64_t parts, int64_t both, int64_t width, float scale,
                        int64_t dropped, float kept, int64_t seed) {
    const int64_t row = heads * width;
    const Mask m{dropped, kept, seed};
#pragma omp parallel if (batch * row * queries * keys > GRAIN * LANES)
    {
        Head head{queries, keys, width};
        std::vector<float> slope = head.q;
#pragma omp for schedule(static)
        for (int64_t n = 0; n < batch * heads; n++) {
            const int64_t sentence = n / heads, h = n % heads * width;
            const int64_t first = sentence * queries * parts * row + h;
            const int64_t key = (sentence * keys * both + both - 2) * row + h;
            head.read_rows(query + first, parts * row, queries, head.q);
            head.read_rows(entries + key, both * row, keys, head.k);
            head.read_rows(entries + key + row, both * row, keys, head.v);
            head.read_rows(dy + sentence * queries * row + h, row, queries, slope);
            head.by_keys(slope, head.v, head.slopes);
            for (int64_t t = 0; t < queries; t++) {
                const Number* stored = weights + (n * queries + t) * keys;
                float *own = &head.weights[t * head.long_], *slopes = &head.slopes[t * head.long_];
                floats dots = {};
                for (int64_t i = 0; i < keys; i += LANES) {
                    const floats mask = m.of((n * queries + t) * head.long_ + i), w = read(stored, i, keys);
                    const floats g = read(slopes, i, head.long_) * mask;
                    dots += w * g;
                    write(own, i, head.long_, w * mask);
                    write(slopes, i, head.long_, g);
                }
                const float dot = sum(dots);
                for (int64_t i = 0; i < keys; i += LANES) {
                    const floats centred = read(slopes, i, head.long_) - dot;
                    write(slopes, i, head.long_, read(stored, i, keys) * centred * scale);
                }
            }
            head.over_keys(head.slopes, head.k);
            head.write_rows(dquery + first, parts * row, queries);
            head.over_queries(head.slopes, head.q);
            head.write_rows(dentries + key, both * row, keys);
            head.over_queries(head.weights, slope);
            head.write_rows(dentries + key + row, both * row, keys);
        }
    }
}

}  // extern "C"
