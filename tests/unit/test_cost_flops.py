"""Parameters and FLOPs from a spec alone are those of the model that is built from it."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from deepmt.config.corpora import load_corpora
from deepmt.config.method import CHOICES, Method, make_method
from deepmt.config.methods.dlcl_options import Dlcl
from deepmt.config.settings import load_papers, load_scale, resolve_all
from deepmt.config.spec import Model, Spec, Stack
from deepmt.estimate.flops import flops_of_update, model, parameters
from deepmt.estimate.work import Shape
from deepmt.metrics.parameters import count
from deepmt.model.build import build
from tiny import tiny_spec

ROOT = Path(__file__).parents[2]
CORPORA = load_corpora(ROOT / "corpora.yaml")
PAPERS = load_papers(ROOT / "papers", ("unified", "zhang2019", "wang2019", "bapna2018", "liu2020"))
SENTENCES, SOURCE, TARGET = 4, 17, 23
SIZES = {
    "encoder": Stack(layers=3, d_model=32, feed_forward=96, heads=4),
    "decoder": Stack(layers=2, d_model=32, feed_forward=64, heads=2),
}
CODE_BASES = [
    Model(tie="target", input_bias=True, start="zero"),
    Model(tie="all"),
    Model(tie="none", softmax_bias=True, query_scale="learned"),
]


def methods() -> list[Method]:
    """Every legal one, and RNMT+."""
    keys = sorted(CHOICES.keys() - {"family", "initialisation"})
    found = [
        make_method(**dict(zip(keys, names, strict=True)), initialisation=initialisation)
        for *names, initialisation in product(*(CHOICES[key] for key in keys), ["glorot", "admin"])
    ]
    found += [make_method(layer_aggregation=Dlcl(weights="average", norm=False))]
    outputs = CHOICES["encoder_output"]
    found += [make_method(family="rnmt+", encoder_output=output) for output in outputs]
    return [method for method in found if not method.excluded()]


def small(method: Method, code_base: Model) -> Spec:
    return replace(tiny_spec(), method=method, model=code_base, **SIZES)


@pytest.mark.parametrize("scale", ["toy", "paper"])
def test_parameters_are_those_of_every_model_that_is_built(scale: str) -> None:
    specs, _ = resolve_all(PAPERS, load_scale(ROOT / f"scales/{scale}.yaml", CORPORA), CORPORA)
    architectures = {(s.encoder, s.decoder, s.method, s.model): s for s in specs.values()}
    assert len(architectures) > 80
    for spec in architectures.values():
        types = (501, 501) if spec.model.tie == "all" else (501, 703)
        assert parameters(spec, types) == count(spec, *types), spec.run


@pytest.mark.parametrize("code_base", CODE_BASES, ids=lambda model: model.tie)
def test_parameters_of_every_method_are_those_built(code_base: Model) -> None:
    for method in methods():
        spec = small(method, code_base)
        assert parameters(spec, (40, 40)) == count(spec, 40, 40), method


def measured_flops(spec: Spec, types: int) -> int:
    """What torch counts in an update without padding."""
    built = build(spec, types, types).train()
    for parameter in built.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    source, target = (torch.randint(3, types, (SENTENCES, n)) for n in (SOURCE, TARGET))
    with FlopCounterMode(display=False) as counter:
        built.output(built(source, target).flatten(0, 1)).sum().backward()
    return counter.get_total_flops()


# A norm or a weighted skip multiplies nothing: all 58 methods take a minute, these some seconds.
COUNTED = [
    method for method in methods() if method.norm.name == "pre" or method.family.name == "rnmt+"
]


@pytest.mark.parametrize("method", COUNTED, ids=lambda method: "-".join(method.names.values()))
def test_flops_are_those_that_torch_counts(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    # Unknown to torch's counter: oneDNN's product on AMD's processors, fused attention on any.
    monkeypatch.setattr("deepmt.kernels.fused_attention.FEW_QUERIES", TARGET)
    monkeypatch.setattr("deepmt.kernels.onednn_linear.mkl_is_slow", lambda: False)
    spec = small(method, Model())
    shape = Shape(sentences=SENTENCES, source=SOURCE, target=TARGET, predictions=SENTENCES * TARGET)
    ours = flops_of_update(model(spec, (90, 90), shape))
    assert ours == pytest.approx(measured_flops(spec, 90), rel=0.03)
