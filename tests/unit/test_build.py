from dataclasses import replace
from functools import cache
from itertools import combinations, cycle, product
from random import Random

import pytest
import torch
from safetensors.torch import load, save

from deepmt.data.vocabulary import EOS, PAD
from deepmt.decode.decoder_state import DecoderState
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.model.weights import load_weights, weights
from deepmt.settings.method import CHOICES, Method
from deepmt.settings.methods.transformer_options import Glorot
from deepmt.settings.spec import SpecError, make_spec
from deepmt.train.loss import SmoothedLoss
from tiny import random_sentences

PLAIN = Method()
VOCABULARY = 11
SIZE = {"layers": 2, "d_model": 8, "feed_forward": 12, "heads": 2}
SETTINGS = {
    **{f"encoder.{key}": value for key, value in SIZE.items()},
    **{f"decoder.{key}": value for key, value in SIZE.items()},
    "decoder.layers": 3,
    "data.corpus": "c",
    "data.source": "a",
    "data.target": "b",
    "data.shared_vocabulary": True,
    "training.updates": 9,
    "training.batch_tokens": 9,
    "training.lr": 1.0,
    "training.warmup": 1,
    "training.dropout": 0.0,
    "training.embedding_dropout": 0.0,
}
INPUTS = [
    {},
    *(
        {
            "method.layer_aggregation": "dlcl",
            "method.layer_aggregation.weights": weights,
            "method.layer_aggregation.norm": norm,
        }
        for weights, norm in product(["learned", "one", "average"], [True, False])
    ),
    *(
        {"method.layer_aggregation": name}
        for name in sorted(CHOICES["layer_aggregation"].keys() - {"previous", "dlcl"})
    ),
]
CODE_BASES = [
    {"model.tie": "target", "model.input_bias": True, "model.start": "zero"},
    {"model.tie": "all", "model.first_position": 2, "model.cross_fan": "fused"},
    {"model.tie": "none", "model.softmax_bias": True, "model.query_scale": "learned"},
]
"""As in Zhang 2019, Wang 2019 and Liu 2020, Bapna 2018; they take turns over the methods."""


def every_combination():
    """Every Transformer that differs from the plain one in up to three choices, legal or not.

    A method of two choices thus meets every other one.
    """
    code_base = cycle(CODE_BASES)
    variants = {
        key: [{f"method.{key}": name} for name in CHOICES[key] if name != getattr(PLAIN, key).name]
        for key in sorted(CHOICES.keys() - {"family", "layer_aggregation"})
    }
    variants |= {"inputs": INPUTS[1:], "encoder_residual": [{"method.encoder_residual": False}]}
    for count in range(4):
        for changed in combinations(variants, count):
            for parts in product(*(variants[key] for key in changed)):
                yield SETTINGS | next(code_base) | {k: v for part in parts for k, v in part.items()}


def read(settings):
    """The spec of some settings, or None and what is wrong with them."""
    try:
        return make_spec(settings), {}
    except SpecError as error:
        return None, error.problems


RESULTS = [read(settings) for settings in every_combination()]
OTHERS = [
    {"model.tie": "all", "data.shared_vocabulary": False},
    {"model.tie": "all", "model.input_bias": True, "decoder.d_model": 12},
    {"method.decoder_self_attention": "saan", "decoder.d_model": 12},
    {"method.family": "rnmt+", "method.norm": "pre", "model.cross_fan": "fused"},
    {"training.warmup": 10},
    {"method.family": "rnmt+", "training.optimizer": "muon"},
]
"""What no combination of methods breaks alone."""
LEGAL = [spec for spec, _ in RESULTS if spec is not None]
METHODS = {
    replace(spec.method, initialisation=Glorot()): spec
    for spec in Random(1).sample(LEGAL, len(LEGAL))
}
"""Each legal method with one of its initialisations."""


def pairs_of_choices(method):
    return set(combinations(vars(method).items(), 2))


def covering(methods):
    """The fewest methods, greedily, in which all pairs of choices occur that may be combined."""
    pairs = {method: pairs_of_choices(method) for method in methods}
    lacking = set().union(*pairs.values())
    while lacking:
        method = max(pairs, key=lambda each: len(pairs[each] & lacking))
        lacking -= pairs[method]
        yield method


RECURRENT = [
    read(
        SETTINGS
        | {"method.family": "rnmt+", "model.tie": "none", "model.softmax_bias": True}
        | {"encoder.layers": 4, "method.encoder_residual": residual}
        | {"method.encoder_output": output}
    )[0]
    for residual, output in product([True, False], ["top", "transparent"])
]
EACH_METHOD = [*(METHODS[method] for method in covering(METHODS)), *RECURRENT]
every_method = pytest.mark.parametrize(
    "number", range(len(EACH_METHOD)), ids=["-".join(spec.method.words) for spec in EACH_METHOD]
)


torch.manual_seed(1)
SOURCE, TARGET = (random_sentences(VOCABULARY, *lengths) for lengths in ((5, 3), (4, 4)))


def initialised(spec):
    model = build(spec, VOCABULARY, VOCABULARY)
    initialise_(model, spec, lambda: (SOURCE, TARGET))
    return model


@cache
def random_model(number):
    """In float64, initialised and then disturbed, so that no 0 or 1 hides an error."""
    torch.manual_seed(number)
    model = initialised(EACH_METHOD[number])
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    return model.double().eval()


RULES = {
    rule
    for options in CHOICES.values()
    for one in options.values()
    for rule in one().excludes(LEGAL[0])
} | LEGAL[0].excludes.keys()


@pytest.mark.parametrize("rule", sorted(RULES))
def test_each_combination_that_makes_no_sense_is_refused(rule):
    others = [read(SETTINGS | changes) for changes in OTHERS]
    assert any(rule in problems.get("", "") for _, problems in RESULTS + others)


def test_every_legal_method_starts_with_a_finite_loss():
    for spec in METHODS.values():
        model = initialised(spec)
        loss = SmoothedLoss(0.1, "token")(model.output, model(SOURCE, TARGET), TARGET)
        assert loss.isfinite()


def test_every_illegal_combination_is_refused_with_a_reason():
    reasons = [problems[""] for spec, problems in RESULTS if spec is None]
    assert {rule for reason in reasons for rule in reason.split("; ")} <= RULES


@every_method
def test_rows_that_change_places_go_on_from_what_they_become(number):
    """First without a change, then after changes, when a sentence has ended, and at the end."""
    model, draw = random_model(number), torch.Generator().manual_seed(number)
    memory = model.encode(SOURCE)
    sentences, beam = len(SOURCE), 3
    state, past = DecoderState(model, memory, beam, 11), torch.full((sentences, beam, 1), EOS)
    for step in range(11):
        if step == 6:  # the first sentence has ended
            state.keep([1])
            memory, past, sentences = model.encode(SOURCE[1:]), past[1:], 1
        logits = state.step(past[:, :, -1].flatten()).view(sentences, beam, -1)
        for b in range(beam) if step in (0, 1, 5, 6, 10) else ():
            target = torch.nn.functional.pad(past[:, b, 1:], (0, 1), value=EOS)
            alone = model.output(model.decode(memory, target))[:, -1]
            torch.testing.assert_close(logits[:, b], alone, rtol=0, atol=1e-9)
        origin = torch.randint(0, beam, (sentences, beam), generator=draw)
        state.reorder(origin)
        token = torch.randint(3, VOCABULARY, (sentences, beam, 1), generator=draw)
        past = torch.cat([past.gather(1, origin[:, :, None].expand_as(past)), token], 2)


@every_method
def test_no_state_sees_its_own_or_a_later_target(number):
    model, changed = random_model(number), TARGET.clone()
    changed[:, 2:] = 3 + (TARGET[:, 2:] + 1) % (VOCABULARY - 3)
    before, after = model(SOURCE, TARGET), model(SOURCE, changed)
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.allclose(before[:, 3], after[:, 3])


@every_method
def test_padding_is_invisible(number):
    model = random_model(number)
    wider = torch.nn.functional.pad(SOURCE, (0, 3), value=PAD)
    alone = model(SOURCE[1:, :3], TARGET[1:])
    torch.testing.assert_close(model(wider, TARGET)[1:], alone, rtol=0, atol=1e-9)


@every_method
def test_every_trained_parameter_has_a_gradient(number):
    model = random_model(number)
    model.zero_grad()
    SmoothedLoss(0.1, "token")(model.output, model(SOURCE, TARGET), TARGET).backward()
    trained = {name: p.grad for name, p in model.named_parameters() if p.requires_grad}
    lazy = [name for name, grad in trained.items() if grad is None or not grad.abs().max() > 0]
    assert lazy == []


@every_method
def test_saving_and_loading_is_exact(number):
    model = random_model(number).float()
    again = build(EACH_METHOD[number], VOCABULARY, VOCABULARY).eval()
    load_weights(again, load(save(weights(model))))
    assert torch.equal(again(SOURCE, TARGET), model(SOURCE, TARGET))
    model.double()
