"""Printed times and speeds: what is measured, beside what, and how it enters the tables."""

import time
from dataclasses import replace
from pathlib import Path

import invented
import pandas as pd
import pytest
import torch
from full_sizes import PAPERS, TINY
from torch import nn

from deepmt.base.errors import UserError
from deepmt.data.vocabulary import PAD
from deepmt.decode.beam import Hypothesis
from deepmt.decode.precision import Bfloat16Linear
from deepmt.judge.cells import all_cells
from deepmt.measured.untrained_values import read_speed
from deepmt.settings.spec import Decoding
from deepmt.train.execution import ExecutionConfig
from deepmt.untrained import speed, speed_lines
from deepmt.untrained.bare_trainer import BareTrainer
from deepmt.untrained.newstest import (
    SENTENCES,
    TARGET_TOKENS_A_STEP,
    batches_to_decode,
    batches_to_train,
    source_lengths,
    target_lengths,
)
from deepmt.untrained.speed import Architecture, Effort, Machine, Timing, decode, forced, in_turn
from deepmt.untrained.speed_lines import lines
from deepmt.untrained.speed_rows import UNITS, comparisons
from deepmt.untrained.untrained_specs import full_size

ZHANG, WANG = PAPERS["zhang2019"], PAPERS["wang2019"]
MACHINE = Machine(device="cpu", name="Abacus", threads=1)
SMALL = Effort(batches=1, steps=1, rounds=2)
TYPES = (40, 50)


def tokens(batches):
    return sum(batch.target_tokens for batch in batches)


def test_all_batches_hold_the_whole_set_in_order_of_length() -> None:
    batches = batches_to_decode(86, TYPES)
    assert sum(len(batch.source) for batch in batches) == SENTENCES == 2737
    lengths = torch.cat([(batch.source != PAD).sum(1) for batch in batches])
    assert lengths.tolist() == source_lengths().tolist() == sorted(source_lengths())


def test_the_set_has_the_tokens_of_a_public_log() -> None:
    # fairseq: 86,008 tokens for all 3,003 sentences; 2,737 of them have 57,579 of 62,688 words.
    expected = 86_008 * 57_579 / 62_688
    assert target_lengths(source_lengths()).sum() == pytest.approx(expected, rel=0.05)


def test_a_step_takes_nearly_1000_target_tokens() -> None:
    found = [batch.target_tokens for batch in batches_to_train(5, TYPES)]
    assert all(0.9 * TARGET_TOKENS_A_STEP < count <= TARGET_TOKENS_A_STEP for count in found)


def printing(paper):
    """Rows that print at least one time, speed or ratio of these."""
    return {
        row.id
        for table in paper.tables
        for row in table.rows
        for key, column in table.columns.items()
        if column.measure in UNITS and row.values.get(key) is not None
    }


@pytest.mark.parametrize("paper", [ZHANG, WANG], ids=["zhang2019", "wang2019"])
def test_every_row_that_prints_one_is_measured_once(paper) -> None:
    rows = [e.row for group in comparisons(paper) for e in group if e.table != "wang2019.fig4"]
    assert sorted(rows) == sorted(printing(paper))


def test_what_a_row_is_compared_with_takes_turns_with_it() -> None:
    for group in comparisons(ZHANG) + comparisons(WANG):
        assert {entry.reference for entry in group} <= {entry.system for entry in group}


def test_figure_4_has_its_systems_with_speeds_and_ratios() -> None:
    [figure] = [group for group in comparisons(WANG) if group[0].table == "wang2019.fig4"]
    assert len({entry.system for entry in figure}) == 7
    assert {entry.measures for entry in figure} == {("tokens_per_s", "tokens_per_s_ratio")}


def test_systems_take_turns_and_each_comes_first_once() -> None:
    order: list[str] = []
    works = {name: [lambda name=name: order.append(name)] for name in "abc"}
    assert all(len(seconds) == 3 for seconds in in_turn(works, 3, time.perf_counter).values())
    assert "".join(order) == "abc" + "abc" + "bca" + "cab"


def built(system: str) -> nn.Module:
    torch.manual_seed(1)
    return speed.build(full_size(ZHANG, system, TINY), *TYPES)


@pytest.mark.parametrize("system", ["ende-base-6l-post", "ende-base-6l-post-matt"])
@pytest.mark.parametrize("length", [2, 7, 40])
def test_every_translation_has_the_length_that_is_forced(system: str, length: int) -> None:
    source = batches_to_decode(1, TYPES)[0].source[:5]
    found = speed.beam_search(built(system), source, forced(Decoding(), length))
    assert [len(hypothesis.tokens) + 1 for hypothesis in found] == [length] * 5


def test_a_search_that_stops_early_is_not_timed(monkeypatch) -> None:
    source = batches_to_decode(1, TYPES)[0].source[:2]
    monkeypatch.setattr(speed, "beam_search", lambda *_: [Hypothesis([5] * n, 0.0) for n in (8, 9)])
    with pytest.raises(UserError, match=r"forced to 10 tokens but returned \[9, 10\]"):
        decode(nn.Identity(), source, forced(Decoding(), 10))


def test_a_bare_trainer_makes_real_updates_and_leaves_no_file(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    [batch] = batches_to_train(1, TYPES)
    spec = full_size(ZHANG, "ende-base-6l-post", TINY)
    trainer = BareTrainer(spec, TYPES, batch, ExecutionConfig(precision="float32"))
    before = [p.clone() for p in trainer.model.parameters()]
    assert trainer.update(batch) > 0
    assert all((p != old).any() for p, old in zip(trainer.model.parameters(), before, strict=True))
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def zhang():
    """Lines of Zhang 2019 by row and measure, if merged attention took half the time."""

    def timing(architecture: Architecture) -> Timing:
        share = 0.5 if architecture.method.decoder_layer.name == "merged" else 1.0
        seconds = [share, 2 * share]
        return Timing(sentence=seconds, token=seconds, step=seconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            speed_lines, "time_in_turn", lambda specs, *_, **__: {a: timing(a) for a in specs}
        )
        return {(line.row, line.measure): line for line in lines(ZHANG, TINY, SMALL, MACHINE)}


def test_speed_ups_pair_the_rounds(zhang) -> None:
    found = zhang["zhang2019.t3.r04", "decode_speedup"]
    assert (found.ours, found.spread) == (2.0, 0.0)


def test_a_sample_is_scaled_to_the_set_and_says_so(zhang) -> None:
    found = zhang["zhang2019.t3.r01", "decode_s"]
    assert found.ours == 1.5 * SENTENCES
    assert "Abacus, 1 threads" in found.note
    assert "32 sentences in batches" in found.note
    assert "scaled to 2,737" in found.note


@pytest.mark.slow
def test_a_system_built_like_its_reference_has_the_ratio_1_and_no_rounds(zhang) -> None:
    for row in ("zhang2019.t3.r01", "zhang2019.t3.r03", "zhang2019.t3.r08"):
        found = zhang[row, "train_step_speedup"]
        assert (found.ours, found.rounds, found.note) == (1.0, 0, speed_lines.BY_DEFINITION)
        assert zhang[row, "train_step_s"].rounds == 2


def test_table_5_is_measured_from_end_to_end(tmp_path: Path) -> None:
    wang = replace(WANG, figures=(), vocabulary={"wmt16-en-de": (50, 50)})
    found = pd.DataFrame(lines(wang, TINY, SMALL, MACHINE))
    assert (found.ours > 0).all()
    assert found.measure.tolist() == ["tokens_per_s", "tokens_per_s_ratio"] * 3
    found.to_csv(tmp_path / "speed.csv", index=False)
    assert len(read_speed(tmp_path / "speed.csv")) == 6


def test_models_are_timed_in_the_precision_of_the_machine() -> None:
    spec = full_size(ZHANG, "ende-base-6l-post-matt", TINY)
    machine = replace(MACHINE, precision="bfloat16")
    [search] = speed.decoding(spec, TYPES, batches_to_decode(1, TYPES), machine)
    assert any(isinstance(layer, Bfloat16Linear) for layer in search.args[0].modules())
    [update] = speed.updates(spec, TYPES, 1, machine)
    assert update.func.__self__.updater.dtype == torch.bfloat16


SPEEDS = """row,measure,ours,spread,rounds,note
p.r1,decode_s,99.5,0.5,3,on an abacus
p.r1,decode_speedup,1.5,0.01,3,on an abacus
p.r2,decode_speedup,1.0,,0,1 by definition
"""


@pytest.fixture
def speeds(tmp_path: Path):
    """Cells of the invented paper with a printed time and ratio, by row and column."""
    (tmp_path / "speed.csv").write_text(SPEEDS)
    ratio = replace(invented.COLUMNS["decode_s"], key="ratio", unit="ratio", better="higher")
    ratio = replace(ratio, measure="decode_speedup")
    rows = [replace(row, values={"decode_s": 12.5, "ratio": 1.54}) for row in invented.ROWS[:2]]
    [table] = invented.PAPER.tables
    table = replace(table, columns=table.columns | {"ratio": ratio}, rows=tuple(rows))
    found = all_cells(
        [replace(invented.PAPER, tables=(table,))],
        invented.results(tmp_path, **invented.untrained(read_speed(tmp_path / "speed.csv"))),
    )
    return {(cell.row, cell.column): cell for cell in found}


def test_a_time_is_shown_with_its_machine_and_not_compared(speeds) -> None:
    cell = speeds["p.r1", "decode_s"]
    assert (cell.ours, cell.spread, cell.note) == (99.5, 0.5, "on an abacus")
    assert cell.verdict == "not-comparable"


def test_a_ratio_is_judged_at_any_scale(speeds) -> None:
    assert speeds["p.r1", "ratio"].verdict == "reproduced"


def test_a_ratio_that_could_not_differ_is_not_judged(speeds) -> None:
    cell = speeds["p.r2", "ratio"]
    assert (cell.ours, cell.verdict) == (1.0, "not-comparable")
