"""What a model is and does is counted on the model itself, and shipped for the papers' systems."""

from functools import cache
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from deepmt.config.settings import load_plan
from deepmt.config.spec import Spec
from deepmt.estimate.counts import BatchShape, counts_of, key, shipped
from deepmt.estimate.model_counts import count, count_batches, counting
from deepmt.files import write_json
from deepmt.kernels.fast_form import plain_forms
from deepmt.metrics import parameters
from deepmt.model.build import build
from estimates import every_run
from tiny import tiny_spec

ROOT = Path(__file__).parents[2]
SAMPLE = sorted(shipped())[::60]
"""Entries of counts.csv that are counted again, most of them in the slow tests."""
BATCH = BatchShape(sentences=4, source=17, target=23, predictions=4 * 23)


@cache
def specs() -> dict[str, Spec]:
    return {key(spec): spec for spec in every_run(ROOT)}


def test_every_run_of_every_scale_ships_with_its_counts_and_nothing_else_does() -> None:
    """Or else: python workflow_scripts/estimates.py."""
    assert shipped().keys() == specs().keys()
    assert len(specs()) > 400


@pytest.mark.parametrize(
    "name", [SAMPLE[0], *(pytest.param(name, marks=pytest.mark.slow) for name in SAMPLE[1:])]
)
def test_what_is_shipped_is_what_the_model_says_today(name: str) -> None:
    """To within a few operations; or else: python workflow_scripts/estimates.py --anew."""
    found, today = vars(shipped()[name]), vars(count(specs()[name]))
    assert found["parameters"] == today["parameters"]
    assert found == pytest.approx(today, rel=0.02)


@pytest.mark.slow
def test_parameters_are_those_of_params_csv() -> None:
    scale = load_plan(ROOT, {"scale": "paper", "papers": "all", "rows": "all"})
    for spec in list(scale.every_run.values())[::50]:
        ours = count_batches(spec, (40, 40), BATCH, BATCH).parameters
        assert ours == parameters.count(spec, 40, 40), spec.run


def test_the_work_of_a_linear_layer_is_its_product_its_input_and_one_call() -> None:
    with torch.device("meta"):
        layer, x = nn.Linear(5, 3), torch.zeros(7, 5, requires_grad=True)
        with counting(layer) as work:
            layer(x)
    assert (work.calls, work.flops, work.values) == (1, 2 * 7 * 5 * 3, 7 * 5)


def test_weights_and_what_is_kept_twice_do_not_count_as_values() -> None:
    with torch.device("meta"):
        layer, x = nn.Linear(5, 5, bias=False), torch.zeros(7, 5, requires_grad=True)
        with counting(layer) as work:
            _ = layer(x) * layer(x), x.view(5, 7) @ x
    assert work.values == 3 * 7 * 5


def test_an_update_takes_three_times_the_flops_of_its_forward_pass() -> None:
    spec, types = tiny_spec(), 90
    model = build(spec, types, types).train()
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.1)
    source, target = (torch.randint(3, types, (4, n)) for n in (BATCH.source, BATCH.target))
    with plain_forms(), FlopCounterMode(display=False) as counter:
        model.output(model(source, target).flatten(0, 1)).sum().backward()
    forward = count_batches(spec, (types, types), BATCH, BATCH).flops
    assert 3 * forward == pytest.approx(counter.get_total_flops(), rel=0.03)


@pytest.mark.parametrize(
    "change",
    [{"decoder__layers": 3}, {"training__batch_tokens": 90}, {"training__device_tokens": 20},
     {"decoding__beam": 5},
     {"training__dropout": 0.0}, {"data__max_vocabulary": 700}],
    ids=str,
)  # fmt: skip
def test_what_changes_the_counts_changes_their_key(change: dict[str, object]) -> None:
    assert key(tiny_spec(**change)) != key(tiny_spec())
    assert count(tiny_spec(**change)) != count(tiny_spec())


@pytest.mark.parametrize(
    "change",
    [{"training__updates": 21}, {"training__dropout": 0.3}, {"training__lr": 1.0}],
    ids=str,
)
def test_what_does_not_keeps_it(change: dict[str, object]) -> None:
    assert key(tiny_spec(**change)) == key(tiny_spec())


def test_a_run_that_is_not_shipped_is_read_from_its_file(tmp_path: Path) -> None:
    spec = tiny_spec()
    path = tmp_path / "estimate.json"
    with pytest.raises(FileNotFoundError) as error:
        counts_of(spec, path)
    assert error.value.filename == str(path)  # by which Snakemake knows that it is not there yet
    write_json(path, vars(count(spec)))
    assert counts_of(spec, path) == count(spec)
    ours = next(iter(specs().values()))
    assert counts_of(ours, tmp_path / "none") == shipped()[key(ours)]
