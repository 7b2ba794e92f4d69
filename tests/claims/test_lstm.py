"""The recurrent parts of RNMT+ against plain loops in float64."""

import math

import pytest
import torch

from deepmt.model.additive_attention import AdditiveAttention
from deepmt.model.lstm import CELL_LIMIT, Lstm
from deepmt.model.residual import NoResidual
from deepmt.model.rnmt_plus import RecurrentEncoderLayer, reversed_order

EPSILON = 1e-3  # large, so that forgetting it shows


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def normalised(values):
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / len(values)
    return [(v - mean) / math.sqrt(variance + EPSILON) for v in values]


def cell(read, c, kernel, scale, bias):
    """m' and c' from [x; m] and c, one number at a time."""
    width = len(c)
    p = [sum(r * row[k] for r, row in zip(read, kernel, strict=True)) for k in range(4 * width)]
    gates = [normalised(p[g * width : (g + 1) * width]) for g in range(4)]
    q = [
        [v * (1 + s) + b for v, s, b in zip(*gate, strict=True)]
        for gate in zip(gates, scale, bias, strict=True)
    ]
    new = [
        sigmoid(f) * old + sigmoid(i) * math.tanh(g) for i, f, _, g, old in zip(*q, c, strict=True)
    ]
    new = [max(-CELL_LIMIT, min(CELL_LIMIT, v)) for v in new]
    return [sigmoid(o) * v for o, v in zip(q[2], new, strict=True)], new


def layer(xs, kernel, scale, bias):
    """m_1..m_T of one sentence."""
    m = c = [0.0] * len(bias[0])
    out = []
    for x in xs:
        m, c = cell([*x, *m], c, kernel, scale, bias)
        out.append(m)
    return out


def lstm(d_input, d_hidden, directions=1):
    torch.manual_seed(d_input)
    module = Lstm(d_input, d_hidden, EPSILON, directions=directions).double()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    return module


def weights(module, direction):
    return [p[direction].tolist() for p in (module.kernel, module.scale, module.bias)]


@pytest.mark.parametrize("directions", [1, 2])
def test_the_cell_is_its_equation(directions):
    module = lstm(3, 5, directions)
    x = torch.randn(directions, 6, 2, 3).double()
    with torch.no_grad():
        ours = module(x)
    for n in range(directions):
        for b in range(2):
            loops = layer(x[n, :, b].tolist(), *weights(module, n))
            torch.testing.assert_close(ours[n, :, b].tolist(), loops, rtol=0, atol=1e-12)


def test_the_cell_state_stays_within_ten():
    module = lstm(3, 4)
    torch.nn.init.constant_(module.bias, 9.0)  # all gates open: c grows by about 1 a step
    x = torch.randn(1, 30, 1, 3).double()
    assert float(module(x).detach().max()) == pytest.approx(CELL_LIMIT, rel=1e-2)
    assert float(module(x).detach().max()) <= CELL_LIMIT


def test_gradients_of_the_recurrence_are_those_of_finite_differences():
    module = lstm(2, 3, directions=2)
    x = torch.randn(2, 4, 2, 2).double().requires_grad_()

    def run(x, *parameters):
        names = [name for name, _ in module.named_parameters()]
        return torch.func.functional_call(module, dict(zip(names, parameters, strict=True)), (x,))

    assert torch.autograd.gradcheck(run, (x, *module.parameters()))


def test_the_second_direction_reads_each_sentence_from_its_own_end():
    module = lstm(3, 4, directions=2)
    x = torch.randn(2, 6, 3).double()
    real = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    with torch.no_grad():
        ours = RecurrentEncoderLayer(module, NoResidual(), dropout=0.0)(x, reversed_order(real))
    for row, length in ((0, 6), (1, 4)):
        sentence = x[row, :length].tolist()
        forth = layer(sentence, *weights(module, 0))
        back = layer(sentence[::-1], *weights(module, 1))[::-1]
        loops = [f + b for f, b in zip(forth, back, strict=True)]
        torch.testing.assert_close(ours[row, :length].tolist(), loops, rtol=0, atol=1e-12)


def test_additive_attention_is_its_equation():
    torch.manual_seed(2)
    attention = AdditiveAttention(d_model=6, d_memory=5, heads=2, dropout=0.0).double()
    m, memory = torch.randn(1, 3, 6).double(), torch.randn(1, 4, 5).double()
    mask = torch.tensor([True, True, True, False])[None, None, None]
    a, b, v = (w.weight for w in (attention.of_key, attention.of_query, attention.score))
    with torch.no_grad():
        ours = attention(m, *attention.project(memory), mask)[0]
        keys, queries = attention.source(memory)[0, :3], attention.query(m)[0]
        for t, query in enumerate(queries):
            for part in (slice(0, 3), slice(3, 6)):
                scores = [float(v[0] @ torch.tanh(a @ k[part] + b @ query[part])) for k in keys]
                total = sum(math.exp(s) for s in scores)
                shares = [math.exp(s) / total for s in scores]
                context = sum(w * k[part] for w, k in zip(shares, keys, strict=True))
                torch.testing.assert_close(ours[t, part], context, rtol=0, atol=1e-12)
