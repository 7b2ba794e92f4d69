// The attention of one head in tiles, in bfloat16. `rowwise.cpp` includes this after `tiles.h`.

namespace {

// Weights, and the gradients of scores, are rows of `wide` numbers: the keys of one query.
struct TiledHead {
    const Shape& s;
    const int64_t width = s.heads * s.k, wide = rounded_up(s.keys, SIDE);
    const Tiled columns{s.k, s.keys}, keys{s.keys, s.k}, queries{s.queries, s.k}, turned{s.queries, s.keys};
    std::vector<floats> scores = std::vector<floats>(s.queries * wide / LANES);  // even, then odd keys of 32
    std::vector<bfloat16> weights = std::vector<bfloat16>(s.queries * wide), slopes = weights;
    Workspace own;
    explicit TiledHead(const Shape& shape) : s(shape) {}

    // Write sums to rows of y.
    auto into(bfloat16* y) const {
        return [y, width = width, k = s.k](int64_t r, int64_t n, floats even, floats odd) {
            store_pairs(y + r * width + n, paired(even, odd), k - n);
        };
    }

    void forward(const bfloat16* q, const bfloat16* k, const bfloat16* v, const uint8_t* mask, bfloat16* y,
                 float scale) {
        weigh(q, k, mask, scale);
        sum_keys(weights, v, y);
    }

    void backward(const bfloat16* q, const bfloat16* k, const bfloat16* v, const uint8_t* mask, const bfloat16* dy,
                  bfloat16* dq, bfloat16* dk, bfloat16* dv, float scale) {
        weigh(q, k, mask, scale);
        sum_queries(weights, dy, width, dv);
        differentiate(dy, v, scale);
        sum_keys(slopes, k, dq);
        sum_queries(slopes, q, s.query_position, dk);
    }

    // scores = x y^T for a row x of each query and a row y of each key.
    void multiply(const bfloat16* x, int64_t distance, const bfloat16* y) {
        for (int64_t n = 0; n < s.keys; n += SIDE)
            transpose_rows(y + n * s.key_position, s.key_position, s.keys - n, s.k, columns, n);
        const auto keep = [this](int64_t r, int64_t n, floats even, floats odd) {
            floats* to = &scores[(r * wide + n) / LANES];
            to[0] = even, to[1] = odd;
        };
        own.product(x, distance, 0, s.queries, s.k, columns, s.keys, keep);
    }

    // weights = softmax(scale q k^T) over the keys that the mask allows; without one, up to the query's.
    void weigh(const bfloat16* q, const bfloat16* k, const uint8_t* mask, float scale) {
        multiply(q, s.query_position, k);
        std::vector<ints> first(wide / LANES, ints{} + INT32_MAX);  // query that sees each key
        for (int64_t n = 0; n < s.keys; n++)
            if (!mask || mask[n]) first[n / SIDE * 2 + n % 2][n % SIDE / 2] = mask ? 0 : int32_t(n);
        for (int64_t r = 0; r < s.queries; r++) {
            floats *row = &scores[r * wide / LANES], top = floats{} - INFINITY, exps = {};
            for (int64_t v = 0; v < wide / LANES; v++) {
                row[v] = first[v] <= int32_t(r) ? row[v] * scale : floats{} - INFINITY;
                top = row[v] > top ? row[v] : top;
            }
            const float high = largest(top);
            for (int64_t v = 0; v < wide / LANES; v++) exps += row[v] = exp_negative(row[v] - high);
            const float inverse = 1 / sum(exps);
            for (int64_t n = 0; n < wide; n += SIDE, row += 2)
                store_pairs(&weights[r * wide + n], paired(row[0] * inverse, row[1] * inverse), SIDE);
        }
    }

    // slopes = scale p (dy v^T - sum_s p dy v^T) for weights p.
    void differentiate(const bfloat16* dy, const bfloat16* v, float scale) {
        multiply(dy, width, v);
        for (int64_t r = 0; r < s.queries; r++) {
            const floats* row = &scores[r * wide / LANES];
            floats dots = {};
            for (int64_t n = 0; n < wide; n += SIDE) {
                const words p = load_pairs(&weights[r * wide + n], SIDE);
                dots += even(p) * row[n / LANES] + odd(p) * row[n / LANES + 1];
            }
            const float dot = sum(dots);
            for (int64_t n = 0; n < wide; n += SIDE, row += 2) {
                const words p = load_pairs(&weights[r * wide + n], SIDE);
                const words ds = paired(even(p) * (row[0] - dot) * scale, odd(p) * (row[1] - dot) * scale);
                store_pairs(&slopes[r * wide + n], ds, SIDE);
            }
        }
    }

    // y = p x for a row x of each key.
    void sum_keys(const std::vector<bfloat16>& p, const bfloat16* x, bfloat16* y) {
        for (int64_t r = 0; r < s.keys; r += SIDE)
            tile_rows(x + r * s.key_position, s.key_position, s.keys - r, s.k, keys, r);
        own.product(p.data(), wide, 0, s.queries, wide, keys, s.k, into(y));
    }

    // y = p^T x for a row x of each query.
    void sum_queries(const std::vector<bfloat16>& p, const bfloat16* x, int64_t distance, bfloat16* y) {
        floats unused[2] = {};
        for (int64_t n = 0; n < s.keys; n += SIDE)
            transpose_columns(&p[n], wide, s.queries, SIDE, turned, n, unused);
        for (int64_t r = 0; r < s.queries; r += SIDE)
            tile_rows(x + r * distance, distance, s.queries - r, s.k, queries, r);
        own.product(turned, s.keys, queries, s.k, into(y));
    }
};

}  // namespace
