"""The learning rate of every system is chosen by one protocol, on dev alone."""

import math
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

import projects
from deepmt.base.errors import UserError
from deepmt.settings.corpora import load_corpora
from deepmt.settings.csv_lines import write_lines
from deepmt.study.papers import load, rows_of
from deepmt.study.plan import load_plan
from deepmt.study.rates import read_rates
from deepmt.study.resolve import resolve_trials
from deepmt.study.scale import load_scale
from deepmt.study.tuning import (
    STAGES,
    Trial,
    TrialResult,
    TunedSystem,
    Tuning,
    read_perplexities,
)
from projects import ROOT
from tiny import tiny_spec
from tiny_runs import run_here

TUNING = Tuning(
    systems={"one": TunedSystem(warmups=(100,)), "two": TunedSystem(warmups=(100, 200))},
    rates=(5e-4, 1e-3, 2e-3, 4e-3),
    share=0.25,
    finalists=2,
    longer_warmup=400,
)


def trained(system: str, perplexity) -> list[list[Trial]]:
    """Return the trials of all stages; the perplexity is a function of a trial."""
    dev, stages = {}, []
    for trials in TUNING.stages(system, dev):
        dev |= {trial: perplexity(trial) for trial in trials}
        stages.append(trials)
    assert len(stages) == STAGES
    return stages


@pytest.mark.parametrize("system", TUNING.systems)
def test_first_come_all_rates_and_warmups_with_a_share_of_the_updates(system: str) -> None:
    first, *_ = trained(system, lambda trial: trial.lr)
    assert {(t.lr, t.warmup) for t in first} == {
        (lr, warmup) for lr in TUNING.rates for warmup in TUNING.systems[system].warmups
    }
    assert {trial.share for trial in first} == {0.25}


@pytest.mark.parametrize(("best", "beyond"), [(5e-4, [2.5e-4]), (1e-3, []), (4e-3, [8e-3])])
def test_a_rate_beyond_is_tried_where_the_best_lies_at_an_edge(best: float, beyond: list) -> None:
    _, more, *_ = trained("two", lambda t: abs(math.log(t.lr / best)) + t.warmup / 1000)
    assert [(trial.lr, trial.warmup) for trial in more] == [(lr, 100) for lr in beyond]


@pytest.mark.parametrize("seed", range(20))
def test_the_best_trials_get_all_updates_and_their_best_a_longer_warmup(seed: int) -> None:
    draw = random.Random(seed)
    drawn = {}

    def perplexity(trial: Trial) -> float:
        return drawn.setdefault(trial, draw.choice([math.inf, draw.uniform(5, 50)]))

    *short, finals, longer = trained("two", perplexity)
    tried = sorted(perplexity(trial) for stage in short for trial in stage)
    kept = [perplexity(Trial(trial.lr, trial.warmup, 0.25)) for trial in finals]
    assert kept == tried[:2]
    assert {trial.share for trial in finals} == {1.0}
    best = min(finals, key=perplexity)
    assert longer == [Trial(best.lr / 2, 400), Trial(best.lr, 400)]
    everything = {*finals, *longer, *(t for stage in short for t in stage)}
    assert everything <= {*TUNING.possible("two")}


def test_a_system_may_have_rates_and_finalists_of_its_own() -> None:
    own = TunedSystem(warmups=(400,), rates=(1e-3, 2e-3, 4e-3), finalists=2)
    both = {"own": own, "other": TunedSystem(warmups=(400,))}
    tuning = Tuning(systems=both, rates=(2e-3, 4e-3, 8e-3), share=0.2, finalists=1)
    dev = {trial: 5e-4 / trial.lr for system in both for trial in tuning.possible(system)}
    found = {system: list(tuning.stages(system, dev)) for system in both}
    assert [trial.lr for trial in found["own"][0]] == [1e-3, 2e-3, 4e-3]
    assert [[t.lr for t in stage] for stage in found["own"][1:]] == [[8e-3], [8e-3, 4e-3], []]
    assert [[t.lr for t in stage] for stage in found["other"][1:]] == [[16e-3], [16e-3], []]
    assert {trial.warmup for trial in dev} == {400}


def test_systems_of_groups_have_the_grid_of_all_but_those_with_their_own() -> None:
    own = {"one": TunedSystem(warmups=(100,))}
    tuning = replace(TUNING, systems=own, groups=("since",), warmups=(200,))
    assert tuning.grid("one").warmups == (100,)
    assert tuning.grid("other") == TunedSystem(warmups=(200,))
    with pytest.raises(ValueError, match="`groups` and `warmups` need each other"):
        replace(tuning, warmups=())


def test_the_rows_of_a_group_are_tuned_and_an_unknown_group_is_named() -> None:
    corpora = load_corpora(ROOT / "corpora.yaml")
    scale = load_scale(ROOT / "scales/multi30k-budget.yaml", corpora)
    paper = load(ROOT / "papers/unified.yaml")
    muon = [str(row.system) for row in rows_of(paper) if row.group == "Muon"]
    assert scale.tuning is not None
    assert muon
    assert not {*muon} & scale.tuning.systems.keys()
    assert {*muon} <= resolve_trials(lambda key: paper, scale, corpora).keys()
    wrong = replace(scale, tuning=replace(scale.tuning, groups=("Moun",)))
    with pytest.raises(ValueError, match=r"tuning.groups: unknown group 'Moun'.*'Muon'"):
        resolve_trials(lambda key: paper, wrong, corpora)


def test_a_short_trial_is_judged_at_its_end_alone() -> None:
    spec = tiny_spec(
        training__updates=100, training__divergence_patience=0.5, training__milestones=[20, 80]
    )
    short, whole = (Trial(2e-3, 20, share).spec(spec).training for share in (0.25, 1.0))
    assert (short.updates, short.divergence_patience, short.warmup) == (25, 1.0, 20)
    assert (whole.updates, whole.divergence_patience, whole.lr) == (100, 0.5, 2e-3)
    assert (short.milestones, whole.milestones) == ((), (20, 80))


def test_a_written_ranking_is_read_as_it_was(tmp_path: Path) -> None:
    lines = [
        TrialResult(
            system="one", stage=stage, lr=lr, warmup=100, share=share, outcome="finished",
            dev_perplexity=9 / lr, run="r", hardware="h", commit="c", chosen=chosen,
        )
        for stage, lr, share, chosen in (
            (1, 1e-3, 0.25, ""), (3, 1e-3, 1.0, ""), (3, 2e-3, 1.0, "yes")
        )
    ]  # fmt: skip
    path = tmp_path / "scale.rates.csv"
    write_lines(TrialResult, lines, path)
    assert read_perplexities(path) == {
        Trial(1e-3, 100, 0.25): 9000, Trial(1e-3, 100, 1.0): 9000, Trial(2e-3, 100, 1.0): 4500
    }  # fmt: skip
    assert read_rates(path).chosen == {"unified/one": {"training.lr": 2e-3, "training.warmup": 100}}
    assert read_rates(tmp_path / "none.csv").chosen == {}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"0.001", b"fast", r":2: lr: 'fast' should"),
        (b"yes", b"YES", r":2: chosen: .*'YES'"),
        (b"yes", b"yes,", r":2: 12 columns, not 11"),
        (b"9.0", b"nan", r":2: dev_perplexity: .* should be greater than or equal to 1"),
        (b"9.0", b"-5", r":2: dev_perplexity: '-5' should be greater than or equal to 1"),
        (b",1,", b",99,", r":2: stage: '99' should be less than or equal to 4"),
        (b"1.0", b"1.5", r":2: share: '1.5' should be less than or equal to 1"),
        (b"finished", b"won", r":2: outcome: 'won' should match pattern"),
        (b"one", b"../one", r":2: system: '../one' should match pattern"),
        (b"chosen", b"selected", r":1: the columns must be system, stage, "),
        (b"chosen", b"\xff\xfe", " is not a CSV file in UTF-8"),
    ],
)
def test_what_is_no_ranking_is_refused_with_its_line(
    tmp_path: Path, old: bytes, new: bytes, said: str
) -> None:
    columns = ",".join(TrialResult.__dataclass_fields__).encode()
    path = tmp_path / "scale.rates.csv"
    line = b"one,1,0.001,100,1.0,finished,9.0,r,h,c,yes"
    path.write_bytes(b"\n".join((columns, line)).replace(old, new))
    with pytest.raises(ValueError, match=re.escape(str(path)) + said) as caught:
        read_rates(path)
    assert "`snakemake tune` would not write this: restore it from git" in str(caught.value)


def test_escapes_of_a_ranking_reach_no_terminal(tmp_path: Path) -> None:
    path = tmp_path / "scale.rates.csv"
    columns = ",".join(TrialResult.__dataclass_fields__)
    path.write_text(f"{columns}\none,1,0.001,100,1.0,finished,inf,r,h\x1b[31m,c\x1b,yes\n")
    [line] = read_rates(path).lines
    assert (line.hardware, line.commit) == (r"h\x1b[31m", r"c\x1b")


SETTINGS = ("config.yaml", "corpora.yaml", "corpora", "papers", "scales")
RANKED = ROOT / "scales/multi30k-budget.rates.csv"


@pytest.mark.parametrize(
    ("pattern", "new"),
    [
        (r"\n[^\n]*,1,[^\n]*", ""),
        (r"\n([^\n]*,3,[^\n]*)", r"\n\1\n\1"),
        (r"\n([^\n]*,)1\.0(,finished[^\n]*,yes)", r"\n\g<1>0.5\2"),
        (r"\n([\w-]+,)3,", r"\n\g<1>4,"),
        (r"(\n[\w-]+,1,)0\.", r"\g<1>1."),
    ],
    ids=["a trial less", "a trial twice", "share", "stage", "rate"],
)
@pytest.mark.parametrize("scale", ["multi30k-budget", "multi30k-half"])
def test_a_stage_has_all_its_trials_and_no_others(
    tmp_path: Path, scale: str, pattern: str, new: str
) -> None:
    root = projects.copy(tmp_path, *SETTINGS)
    path = root / "scales" / RANKED.name
    text, found = re.subn(pattern, new, path.read_text(), count=1)
    assert found
    path.write_text(text)
    with pytest.raises(
        UserError, match=rf"{re.escape(str(path))}: stage \d of \S+ has other trials"
    ):
        load_plan(root, {"scale": scale, "papers": "unified"})
    load_plan(root, {"scale": "toy", "papers": "unified"})


def test_rates_that_lead_nowhere_are_not_no_rates(tmp_path: Path) -> None:
    root = projects.copy(tmp_path, *SETTINGS)
    path = root / "scales" / RANKED.name
    path.unlink()
    path.symlink_to("moved.csv")
    with pytest.raises(UserError, match=r"multi30k-budget.rates.csv: No such file"):
        load_scale(root / "scales/multi30k-budget.yaml", load_corpora(root / "corpora.yaml"))


def test_only_systems_that_are_named_need_all_trials(tmp_path: Path) -> None:
    given = "--scale", "multi30k-budget", "--output", tmp_path / "rates.csv", "--root", ROOT
    with pytest.raises(ValueError, match=r"deep-keel with lr=0\.001 and warmup=400 has no record"):
        run_here("jobs.tune", "--systems", "deep-keel", *given)
    with pytest.raises(ValueError, match=r"--systems: unknown system 'deep-kel'.*'deep-keel'"):
        run_here("jobs.tune", "--systems", "deep-kel", *given)
    run_here("jobs.tune", "--systems", "shallow-post", *given)
    assert "unified/deep-keel" not in read_rates(tmp_path / "rates.csv").chosen


@pytest.mark.parametrize(
    ("rows", "tuned"),
    [
        ("unified.t6.tfixup", ["deep-tfixup"]),
        ("unified.t1.deep-admin,unified.t1.shallow-ds-init", ["deep-admin"]),
        ("unified.t1.shallow-ds-init", []),
    ],
)
def test_rows_asked_for_by_id_are_tuned_alone(rows: str, tuned: list[str]) -> None:
    overrides = {"scale": "multi30k-budget", "papers": "unified"}
    assert load_plan(ROOT, overrides | {"rows": rows}).tuned == tuned
    every = load_plan(ROOT, overrides)
    assert every.tuned == list(every.trials)
