// The attention of one head in tiles. `rowwise.cpp` includes this after `tiles.h`.

namespace {

// Weights, and the gradients of scores, are rows of `wide` numbers: the keys of one query.
struct TiledHead {
    const Shape& s;
    const int64_t width = s.heads * s.k, wide = rounded_up(s.keys, BLOCK);
    const Tiled columns{s.k, s.keys}, keys{s.keys, s.k}, queries{s.queries, s.k}, turned{s.queries, s.keys};
    std::vector<floats> scores = std::vector<floats>(s.queries * wide / LANES);  // a side, then the other
    std::vector<Number> weights = std::vector<Number>(s.queries * wide), slopes = weights;
    Workspace own;
    explicit TiledHead(const Shape& shape) : s(shape) {}

    // Write sums to rows of y.
    auto into(Number* y) const {
        return [y, width = width, k = s.k](int64_t r, int64_t n, const Row& sums) {
            store_both(y + r * width + n, sums, k - n);
        };
    }

    void forward(const Number* q, const Number* k, const Number* v, const uint8_t* mask, Number* y,
                 float scale) {
        weigh(q, k, mask, scale);
        sum_keys(weights, v, y);
    }

    void backward(const Number* q, const Number* k, const Number* v, const uint8_t* mask, const Number* dy,
                  Number* dq, Number* dk, Number* dv, float scale) {
        weigh(q, k, mask, scale);
        sum_queries(weights, dy, width, dv);
        differentiate(dy, v, scale);
        sum_keys(slopes, k, dq);
        sum_queries(slopes, q, s.query_position, dk);
    }

    // scores = x y^T for a row x of each query and a row y of each key.
    void multiply(const Number* x, int64_t distance, const Number* y) {
        for (int64_t n = 0; n < s.keys; n += BLOCK)
            transpose_rows(y + n * s.key_position, s.key_position, s.keys - n, s.k, columns, n);
        const auto keep = [this](int64_t r, int64_t n, const Row& sums) {
            std::copy(sums.sides, sums.sides + 2, &scores[(r * wide + n) / LANES]);
        };
        own.product(x, distance, 0, s.queries, s.k, columns, s.keys, keep);
    }

    // weights = softmax(scale q k^T) over the keys that the mask allows; without one, up to the query's.
    void weigh(const Number* q, const Number* k, const uint8_t* mask, float scale) {
        multiply(q, s.query_position, k);
        std::vector<ints> first(wide / LANES, ints{} + INT32_MAX);  // query that sees each key
        for (int64_t n = 0; n < s.keys; n++)
            if (!mask || mask[n]) first[n / BLOCK * 2 + side_of(n)][lane_of(n)] = mask ? 0 : int32_t(n);
        for (int64_t r = 0; r < s.queries; r++) {
            floats *row = &scores[r * wide / LANES], top = floats{} - INFINITY, exps = {};
            for (int64_t v = 0; v < wide / LANES; v++) {
                row[v] = first[v] <= int32_t(r) ? row[v] * scale : floats{} - INFINITY;
                top = row[v] > top ? row[v] : top;
            }
            const float high = largest(top);
            for (int64_t v = 0; v < wide / LANES; v++) exps += row[v] = exp_negative(row[v] - high);
            const float inverse = 1 / sum(exps);
            for (int64_t n = 0; n < wide; n += BLOCK, row += 2)
                store_both(&weights[r * wide + n], {row[0] * inverse, row[1] * inverse}, BLOCK);
        }
    }

    // slopes = scale p (dy v^T - sum_s p dy v^T) for weights p.
    void differentiate(const Number* dy, const Number* v, float scale) {
        multiply(dy, width, v);
        for (int64_t r = 0; r < s.queries; r++) {
            const floats* row = &scores[r * wide / LANES];
            floats dots = {};
            for (int64_t n = 0; n < wide; n += BLOCK) {
                const Row p = load_both(&weights[r * wide + n], BLOCK);
                dots += p.sides[0] * row[n / LANES] + p.sides[1] * row[n / LANES + 1];
            }
            const float dot = sum(dots);
            for (int64_t n = 0; n < wide; n += BLOCK, row += 2) {
                Row slope = load_both(&weights[r * wide + n], BLOCK);
                for (int64_t side : {0, 1}) slope.sides[side] *= (row[side] - dot) * scale;
                store_both(&slopes[r * wide + n], slope, BLOCK);
            }
        }
    }

    // y = p x for a row x of each key.
    void sum_keys(const std::vector<Number>& p, const Number* x, Number* y) {
        for (int64_t r = 0; r < s.keys; r += DEPTH)
            tile_rows(x + r * s.key_position, s.key_position, s.keys - r, s.k, keys, r);
        own.product(p.data(), wide, 0, s.queries, wide, keys, s.k, into(y));
    }

    // y = p^T x for a row x of each query.
    void sum_queries(const std::vector<Number>& p, const Number* x, int64_t distance, Number* y) {
        Row unused = {};
        for (int64_t n = 0; n < s.keys; n += BLOCK)
            transpose_columns(&p[n], wide, s.queries, BLOCK, turned, n, unused);
        for (int64_t r = 0; r < s.queries; r += DEPTH)
            tile_rows(x + r * distance, distance, s.queries - r, s.k, queries, r);
        own.product(turned, s.keys, queries, s.k, into(y));
    }
};

}  // namespace
