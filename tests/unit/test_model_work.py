"""What a model holds and does in closed form is what torch counts."""

import pytest
import torch
from full_sizes import PAPERS, SCALE
from meta_counts import count
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from deepmt.kernels.fast_form import plain_forms
from deepmt.machines import model_work
from deepmt.machines.corpus_sizes import BatchShape
from deepmt.machines.model_work import work_of
from deepmt.model.build import build
from deepmt.settings.spec import make_spec
from deepmt.untrained.untrained_specs import full_size
from tiny import TINY, each_option, tiny_spec

WIDE = TINY | {
    f"{stack}.{key}": value
    for stack in ("encoder", "decoder")
    for key, value in {"layers": 3, "d_model": 128, "feed_forward": 512, "heads": 4}.items()
}
SPECS = each_option(WIDE)
BATCH = BatchShape(sentences=4, source=17, target=23, predictions=4 * 23)
TYPES = (900, 1100)


@pytest.mark.parametrize("method", SPECS)
def test_every_option_has_the_work_that_torch_counts(method: str) -> None:
    """Or else: state with the option what it adds: `keeps`, `keeps_inside`."""
    found, counted = work_of(SPECS[method], TYPES), count(SPECS[method], TYPES, BATCH)
    assert found.parameters == pytest.approx(counted.parameters, rel=0.01)
    assert 0.95 < found.flops(BATCH) / counted.flops < 1
    assert 0.95 < found.flops(BATCH, SPECS[method].decoding.beam) / counted.search_flops < 1
    assert 0.8 < found.values(BATCH) / counted.values < 1.25


@pytest.mark.parametrize(
    "changes",
    [
        {"model.tie": "none"},
        {"model.tie": "all", "data.shared_vocabulary": True},
        {"decoder.layers": 3, "encoder.d_model": 256, "encoder.feed_forward": 800},
        {"training.dropout": 0.0, "training.attention_dropout": 0.3},
        {"training.feed_forward_dropout": 0.3, "training.embedding_dropout": 0.0},
        {"decoding.beam": 7},
    ],
    ids=str,
)
def test_so_has_every_setting_that_changes_it(changes: dict[str, object]) -> None:
    spec = make_spec(WIDE | changes)
    found, counted = work_of(spec, (90, 90)), count(spec, (90, 90), BATCH)
    assert found.parameters == pytest.approx(counted.parameters, rel=0.01)
    assert 0.95 < found.flops(BATCH) / counted.flops < 1
    assert 0.95 < found.flops(BATCH, spec.decoding.beam) / counted.search_flops < 1
    assert found.values(BATCH) == pytest.approx(counted.values, rel=0.1)


@pytest.mark.parametrize(
    ("paper", "system"), [("zhang2019", "base"), ("liu2020", "ende-base-60l-12l-admin")]
)
def test_sizes_of_the_papers_are_exact_to_a_thousandth(paper: str, system: str) -> None:
    spec, types = full_size(PAPERS[paper], system, SCALE), (32768, 32768)
    counted = count(spec, types, BATCH).parameters
    assert work_of(spec, types).parameters == pytest.approx(counted, rel=0.001)


def test_a_family_without_a_closed_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_work, "FAMILIES", {})
    with pytest.raises(ValueError, match=r"method\.family=transformer has no closed form"):
        work_of(tiny_spec(), (9, 9))


def test_an_update_takes_three_times_the_flops_of_its_forward_pass() -> None:
    spec, types = make_spec(WIDE), 90
    model = build(spec, types, types).train()
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.1)
    source, target = (torch.randint(3, types, (4, n)) for n in (BATCH.source, BATCH.target))
    with plain_forms(), FlopCounterMode(display=False) as counter:
        model.output(model(source, target).flatten(0, 1)).sum().backward()
    forward = work_of(spec, (types, types)).flops(BATCH)
    assert 3 * forward == pytest.approx(counter.get_total_flops(), rel=0.05)
