"""The golden values of docs/golden/ come out again."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from full_sizes import ROOT, UNIFIED
from safetensors.torch import load_file
from torch import Tensor

from deepmt.untrained.golden import SIZES, differences, first_model, golden
from deepmt.untrained.untrained_specs import methods, small
from docs import golden as script

FILES = ROOT / "docs/golden"
METHODS = methods(UNIFIED)
RENEW = "run `.venv/bin/python docs/golden.py`"


def test_every_method_has_golden_values_and_nothing_else_has() -> None:
    assert {path.stem for path in FILES.glob("*.json")} == METHODS.keys(), RENEW


@pytest.mark.parametrize("name", METHODS)
def test_golden_values_come_out_again(name: str) -> None:
    """Up to rounding at the first update; it grows with each one after."""
    written = json.loads((FILES / f"{name}.json").read_text())
    found = json.loads(json.dumps(golden(small(METHODS[name], SIZES))))
    assert differences(found, written) == [], RENEW


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"source": [[1]]}, "source: not as written"),
        ({"residual_weights": {"encoder": [2.0, 1.0], "decoder": []}}, "residual_weights encoder"),
        ({"residual_weights": {"encoder": [2.00003], "decoder": []}}, "residual_weights encoder 0"),
        ({"updates": [{"loss": 3.00000001}, {"loss": 2.0}]}, "updates 0 loss"),
        ({"updates": [{"loss": 3.0}, {"loss": 2.00001}]}, "updates 1 loss"),
    ],
)
def test_what_differs_beyond_rounding_is_named(change: dict[str, Any], where: str) -> None:
    written = {
        "settings": {},
        "source": [[3, 2]],
        "target": [[4, 2]],
        "deviations": {"a": [0.1]},
        "residual_weights": {"encoder": [2.0], "decoder": []},
        "updates": [{"loss": 3.0}, {"loss": 2.0}],
    }
    rounded = {"updates": [{"loss": 3.0 + 1e-12}, {"loss": 2.0 + 1e-8}]}
    assert differences(written | rounded, written) == []
    [found] = differences(written | change, written)
    assert found.startswith(where)


def test_only_what_is_new_or_differs_is_written(tmp_path: Path) -> None:
    rounded = (FILES / "pre.json").read_text().replace(" 0.1", " 0.10", 1) + " "
    (tmp_path / "pre.json").write_text(rounded)
    flags: dict[str, Any] = {"output": tmp_path, "root": ROOT}
    script.main(only=("pre", "post"), weights=tmp_path / "weights", **flags)
    assert (tmp_path / "pre.json").read_text() == rounded
    written = json.loads((tmp_path / "post.json").read_text())
    assert differences(written, json.loads((FILES / "post.json").read_text())) == []
    weights = load_file(tmp_path / "weights/post.safetensors")
    model = first_model(small(METHODS["post"], SIZES))
    assert torch.equal(weights["source.table.weight"], model.source.table.weight)
    with pytest.raises(ValueError, match="unknown method 'deepnrm'; did you mean 'deepnorm'"):
        script.main(only=("deepnrm",), **flags)


def loss_by_the_page(values: dict[str, Any], weights: dict[str, Tensor]) -> float:
    """The loss of a post-norm model, as docs/enter-a-method.md tells someone without our code."""
    source, target = torch.tensor(values["source"]), torch.tensor(values["target"])
    width, heads = 32, 4

    def linear(name: str, x: Tensor) -> Tensor:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(name: str, x: Tensor) -> Tensor:
        x = x - x.mean(-1, keepdim=True)
        scaled = x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def embedded(side: str, tokens: Tensor) -> Tensor:
        place = torch.arange(tokens.size(1), dtype=torch.double)[:, None]
        angles = place / 10000 ** (torch.arange(16, dtype=torch.double) / 15)
        position = torch.cat([angles.sin(), angles.cos()], 1)
        return weights[f"{side}.table.weight"][tokens] * width**0.5 + position

    def attention(name: str, query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Tensor:
        parts = [x.unflatten(-1, (heads, 8)).transpose(1, 2) for x in (query, key, value)]
        scores = parts[0] @ parts[1].transpose(2, 3) / 8**0.5
        mixed = scores.masked_fill(~seen, -torch.inf).softmax(-1) @ parts[2]
        return linear(f"{name}.f.out", mixed.transpose(1, 2).flatten(2))

    def layer(name: str, first: str, x: Tensor, seen: Tensor, encoded: Tensor | None) -> Tensor:
        of = f"{name}.{first}"
        fused = linear(f"{of}.f.query_key_value", x)
        x = norm(f"{of}.after", x + attention(of, *fused.split(width, -1), seen))
        if encoded is not None:
            of = f"{name}.cross"
            key, value = linear(f"{of}.f.key_value", encoded).split(width, -1)
            query = linear(f"{of}.f.query", x)
            x = norm(f"{of}.after", x + attention(of, query, key, value, no_padding))
        of = f"{name}.feed_forward"
        inner = linear(f"{of}.f.inner", x).relu()
        return norm(f"{of}.after", x + linear(f"{of}.f.outer", inner))

    no_padding = (source != 0)[:, None, None]
    encoded = embedded("source", source)
    for number in range(6):
        encoded = layer(f"encoder.layers.{number}", "attention", encoded, no_padding, None)
    shifted = torch.cat([torch.full_like(target[:, :1], 2), target[:, :-1]], 1)
    x, before = embedded("target", shifted), torch.ones(9, 9, dtype=torch.bool).tril()
    for number in range(6):
        x = layer(f"decoder.layers.{number}", "self_attention", x, before, encoded)
    logs = (x @ weights["target.table.weight"].T).log_softmax(-1)
    each = 0.9 * -logs.gather(-1, target[..., None])[..., 0] + 0.1 * -logs.mean(-1)
    return each[target != 0].mean().item()


def test_an_outsider_gets_the_first_loss_from_file_and_page_alone(tmp_path: Path) -> None:
    script.main(only=("post",), weights=tmp_path, output=tmp_path, root=ROOT)
    values = json.loads((FILES / "post.json").read_text())
    found = loss_by_the_page(values, load_file(tmp_path / "post.safetensors"))
    assert found == pytest.approx(values["updates"][0]["loss"], rel=1e-8)
