"""The parts of `deepmt.model`, one function each: trained parameters and work of the way forward.

D is the width of a stack, F of its feed-forward sublayer, H its heads, K = D / H.
"""

from deepmt.config.spec import Spec, Stack
from deepmt.estimate.work import Shape, Work, chosen, linear, vectors


def feed_forward(rows: float, size: Stack) -> Work:
    """max(0, x W_1 + b_1) W_2 + b_2."""
    inner = linear(rows, size.d_model, size.feed_forward)
    return inner + linear(rows, size.feed_forward, size.d_model) + vectors(0, 0, calls=2)


def softmax_attention(rows: float, keys: float, size: Stack) -> Work:
    """softmax(Q K^T / sqrt(K)) V, projections apart: every row sees `keys` positions."""
    products = 2 * rows * keys * size.d_model
    return Work(0, products, 3 * rows * size.d_model + 2 * rows * keys * size.heads, 10)


def query_scale(spec: Spec, size: Stack) -> Work:
    """One learned factor a channel of a head, or none."""
    return Work(size.d_model // size.heads if spec.model.query_scale == "learned" else 0)


def self_attention(rows: float, keys: float, spec: Spec, size: Stack) -> Work:
    """[Q; K; V] in one projection, and W_o."""
    width = size.d_model
    projections = linear(rows, width, 3 * width) + linear(rows, width, width)
    return projections + softmax_attention(rows, keys, size) + query_scale(spec, size)


def cross_attention(shape: Shape, spec: Spec) -> Work:
    """Q of the target, [K; V] of the memory, and W_o."""
    size, width, rows = spec.decoder, spec.decoder.d_model, shape.target_rows
    memory = linear(shape.source_rows, spec.encoder.d_model, 2 * width)
    own = linear(rows, width, width) * 2
    seen = softmax_attention(rows, shape.source, size)
    return memory + own + seen + query_scale(spec, size)


def average_attention(rows: float, width: int) -> Work:
    """AAN: a cumulative mean and the gate, 2D -> 2D."""
    return linear(rows, 2 * width, 2 * width) + vectors(rows, 4 * width, calls=8)


def simplified_average_attention(rows: float, width: int) -> Work:
    """SAAN: the W_v of cross-attention once more, and a cumulative mean."""
    return Work(0, rows * width * width, 2 * rows * width, 4)


def sublayer(f: Work, rows: float, spec: Spec, size: Stack) -> Work:
    """f in its norm (gain and bias), dropout and skip, which ADMIN weighs by a vector."""
    width = size.d_model
    around = vectors(rows, 2 * width, parameters=2 * width, calls=3)
    skips = {"identity": Work(), "omega": vectors(rows, width, parameters=width)}
    return f + around + chosen(spec, "residual", skips)


def inputs(rows: float, spec: Spec, size: Stack) -> Work:
    """What the layers of a stack read, and its final norm."""
    norm = vectors(rows, size.d_model, parameters=2 * size.d_model)
    final = {"post": Work(), "pre": norm, "lingvo": Work()}
    dlcl = spec.method.layer_aggregation.name == "dlcl"
    read = combination(rows, spec, size) if dlcl else Work()
    return chosen(spec, "norm", final) + read


def combination(rows: float, spec: Spec, size: Stack) -> Work:
    """DLCL: sums over all earlier layers."""
    width, depth = size.d_model, size.layers
    weights = {"learned": (depth + 1) ** 2, "one": 0, "average": 0}
    options = spec.method.layer_aggregation
    learned = weights[options.weights]
    sums = Work(learned, rows * width * (depth + 1) * (depth + 2) / 2, 0, 4 * (depth + 1))
    norms = vectors(rows, width, parameters=2 * width) * (depth * options.norm)
    return sums + vectors(rows, 3 * width, calls=0) * (depth + 1) + norms


def mixture(rows: float, readers: int, layers: int, width: int) -> Work:
    """Transparent attention: every reader's sum over the layers of the encoder."""
    number = readers * layers
    return Work(number, rows * width * number, rows * width * (readers + layers), 3 + readers)


def embedding(rows: float, width: int) -> Work:
    """Scaled vectors with positions; the tables are counted by the model."""
    return vectors(rows, width, calls=5)


def lstm(rows: float, inputs: int, width: int, *, directions: int = 1) -> Work:
    """[x; m] W, 4D wide, layer-normalised gates: gain and bias of 4D; steps are counted apart."""
    kernel = linear(rows, inputs + width, 4 * width, bias=False)
    return (kernel + vectors(rows, 18 * width, parameters=8 * width)) * directions


def additive_attention(shape: Shape, spec: Spec) -> Work:
    """softmax(v . tanh(A k + B q)) k: the key map, the query map, A and B by head, v."""
    size, width = spec.decoder, spec.decoder.d_model
    head, rows = width // size.heads, shape.target_rows
    of_source = linear(shape.source_rows, spec.encoder.d_model, width)
    of_query = linear(rows, width, width)
    by_head = Work(2 * head * head, (shape.source_rows + rows) * width * head, 2 * rows * width, 2)
    pairs = rows * shape.source
    return of_source + of_query + by_head + Work(head, 2 * pairs * width, 2 * pairs * width)
