"""Hours, memory and disk of what is left, and how it is shown."""

from pathlib import Path

import made_up
import pytest

import projects
from commands import plan
from deepmt.base.files import write_json
from deepmt.machines.corpus_sizes import lines_to_back_translate, lines_to_translate
from deepmt.machines.planned_runs import (
    PlannedRun,
    beyond_limit,
    machines_of,
    planned_runs,
    seeds_ahead,
    texts_ahead,
)
from deepmt.machines.seeds_ahead import SeedsAhead, path_in
from deepmt.study.config_file import read_overrides
from deepmt.study.plan import Plan
from deepmt.study.scored_points import points_of

ROOT = Path(__file__).parents[2]
ROWS = "unified.t1.shallow-post,unified.t1.deep-pre,zhang2019.t3.r12,liu2020.table4"
HARDWARE = """
laptop:
  title: Invented processor
  device: cpu
  name: Invented CPU
  memory_mb: 8000
  float32: 4.0e+10
  width: 64
  decode: 1.0
  start: 5.0
  basis: made up
card:
  title: Invented GPU
  device: cuda
  name: Invented GPU
  memory_mb: 40000
  float32: 1.0e+13
  width: 64
  decode: 1.5
  start: 20.0
  basis: made up
"""
"""Round numbers, so that tests depend on no machine."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (made_up.project(tmp_path) / "hardware.yaml").write_text(HARDWARE)
    return tmp_path


def asked(**config: str) -> Plan:
    wanted = {"papers": "unified,zhang2019,liu2020", "rows": ROWS, "hardware": "laptopx4"}
    return projects.plan(**{**wanted, "seeds": "1,2", **config})


def runs_of(root: Path, **config: str) -> dict[str, PlannedRun]:
    found = asked(**config)
    return planned_runs(found, root, machines_of(found, root))


def test_every_row_asked_for_belongs_to_exactly_one_run(root: Path) -> None:
    rows = [row for run in runs_of(root).values() for row in run.rows]
    assert sorted(rows) == sorted(asked().selected)


def test_hours_are_seconds_times_threads(root: Path) -> None:
    (run,) = runs_of(root, scale="multi30k", rows="unified.t1.deep-pre").values()
    found = asked(scale="multi30k", rows="unified.t1.deep-pre")
    corpus = found.corpora.corpus(run.cost.spec.data.corpus)
    points = points_of(found, run.cost.spec, {}).values()
    lines = [lines_to_translate(corpus, split) for splits in points for split in splits]
    seconds = run.cost.train_seconds + 5.0 + run.cost.search_seconds(sum(lines))
    assert run.hours == pytest.approx(2 * seconds * 2 / 3600)  # two seeds, two threads


def test_what_is_done_costs_nothing_more(root: Path) -> None:
    before = runs_of(root)
    name = next(iter(before))
    seeds = [root / f"results/toy/runs/{name}/seed{seed}" for seed in (1, 2)]
    for seed in seeds:
        write_json(seed / "outcome.json", {})
    trained = runs_of(root)
    ahead = seeds_ahead(machines_of(asked(), root), trained.values())
    assert {one.run for one in ahead.seeds} == before.keys() - {name}
    ahead.write(path_in(root / "results/toy"))
    assert SeedsAhead.in_results(root / "results/toy") == ahead
    assert (trained[name].trainings, before[name].trainings) == (0, 2)
    assert trained[name].sentences == before[name].sentences > 0
    for seed in seeds:
        write_json(seed / "record.json", {})
    after = runs_of(root)
    assert after[name].hours == 0 < trained[name].hours < before[name].hours
    assert all(after[other].hours == before[other].hours for other in before if other != name)


def test_a_text_is_encoded_once_and_before_it_is_trained_on(root: Path) -> None:
    runs = runs_of(root)
    ahead = texts_ahead(runs.values(), root)
    assert ahead == {run.cost.spec.dataset: run.cost.size for run in runs.values()}
    done, *others = ahead
    write_json(root / f"data/encoded/{done}/manifest.json", {})
    assert [*texts_ahead(runs.values(), root)] == others


def test_a_run_that_makes_text_for_another_is_planned_with_it(root: Path) -> None:
    found = asked(papers="all", rows="all")
    fed = [spec for spec in found.runs.values() if spec.data.corpus in found.reverse]
    runs = planned_runs(found, root, machines_of(found, root))
    assert fed
    for spec in fed:
        reverse = runs[runs[spec.run].reverse_run]
        assert reverse.run == found.reverse[spec.data.corpus].run
        assert reverse.trainings >= 1
        synthetic = found.corpora.corpus(spec.data.corpus).synthetic
        assert reverse.sentences >= lines_to_back_translate(synthetic, found.corpora)


def test_the_plan_fits_into_100_columns_and_has_a_line_for_each_run(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("papers=unified,zhang2019,liu2020", f"rows={ROWS}", "hardware=laptopx2")
    plan.main(root=root, config=words)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert not any("\x1b" in line for line in lines)
    for heading in ("Plan of", "Text of", "Papers", "Runs"):
        assert any(line.startswith(heading) for line in lines), heading
    table = (root / "results/toy/plan.csv").read_text().splitlines()
    assert len(table) == 1 + len(runs_of(root))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("scale=tyo",), "did you mean 'toy'"),
        (("hardware=lapdog",), "did you mean"),
        (("papers=zhang2019", "rows=zhang2019.t2.r1"), "these rows train nothing"),
        (("rows=[a",), r"--config: rows: not valid YAML: did not find"),
        (
            ("hardware=laptop", "scale=multi30k", "rows=unified.t1.shallow-post"),
            "takes 2 threads, which is more than 1",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(
    root: Path, words: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        plan.main(root=root, config=words)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("scale=paper", "paper"),
        ("number=2000", 2000),
        ("number=1e3", 1000.0),
        ("papers=zhang2019,liu2020", "zhang2019,liu2020"),
        ("seeds=[1, 2]", [1, 2]),
        ('rows="all"', "all"),
        ("mirror=a=b", "a=b"),
    ],
)
def test_settings_are_given_as_for_snakemake(text: str, value: object) -> None:
    assert read_overrides([text]) == {text.partition("=")[0]: value}


def test_what_outlasts_its_tries_is_said_with_the_gpus_that_would_do(root: Path) -> None:
    runs = runs_of(root, scale="paper", hardware="cardx8", rows="liu2020.table4")
    longest = max(runs.values(), key=lambda run: run.cost.wall_hours)
    hours = longest.cost.wall_hours
    assert not [*beyond_limit(runs.values(), hours / 2, 2)]
    [said] = beyond_limit([longest], hours / 4, 3)
    assert said.startswith(f"{longest.run} takes about {hours:,.0f} hours and gets 3 tries of")
    by_gpus = longest.cost.by_gpus
    assert said.endswith("or `gpu: 2`") == (by_gpus.get(2, hours) <= hours * 3 / 4)
    assert [*by_gpus] == [n for n in (1, 2, 4, 8) if n <= max(1, longest.cost.batches)]
