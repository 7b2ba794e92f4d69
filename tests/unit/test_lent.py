"""Seeds away from the workflow: what is refused before anything starts, and which GPU each gets."""

from pathlib import Path

import pytest

import away
from deepmt.away.commands import seeds_asked_for
from deepmt.away.pool import Pool
from deepmt.away.ready import VISIBLE, broken_import, lent_gpus
from deepmt.config.settings import Plan, load_plan

ROOT = Path(__file__).parents[2]
ROW = "unified.t1.shallow-post"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the checkout, as it is run."""
    monkeypatch.chdir(ROOT)


def plan(**config: object) -> Plan:
    return load_plan(ROOT, {"papers": "unified", "rows": ROW, **config})


def refusal(*config: str, gpus: int = 0) -> str:
    args = away.Args(config=config, output=Path("back.tar.xz"), minutes=1, gpus=gpus)
    with pytest.raises(SystemExit) as stopped:
        away.main(args)
    return str(stopped.value)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("hardware=h2o0", "unknown hardware 'h2o0'; did you mean 'h200'"),
        ("from=records", "from=records trains nothing, so there is nothing to run: leave it out"),
        ("scale=paper", "rows=headline has nothing to train at the paper scale"),
    ],
)
def test_settings_with_nothing_to_run_are_refused(config: str, said: str) -> None:
    assert said in refusal("papers=unified", config)


@pytest.mark.usefixtures("here")
def test_gpus_that_were_not_lent_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,")
    said = refusal("papers=unified", f"rows={ROW}", gpus=2)
    assert "--gpus 2: CUDA_VISIBLE_DEVICES=5, names 1: ask for no more" in said


def test_seeds_take_turns_over_the_gpus_that_were_lent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-aa, 7,3")
    seen = []
    pool = Pool(
        at_once=1, gpus=lent_gpus(2), until=0, predicted=lambda seed: 1, done=lambda seed: None
    )
    monkeypatch.setattr(
        Pool, "_call", lambda self, command, given, log: seen.append(given[VISIBLE]) or 1
    )
    [seed] = seeds_asked_for(plan(), "cuda")
    for slot in range(3):
        pool._follow(seed, slot)
    assert seen == ["GPU-aa", "7", "GPU-aa"]


def test_without_a_word_of_the_lender_gpus_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert lent_gpus(2) == ["0", "1"]


def test_the_original_meteor_is_measured_where_it_is_asked_for(tmp_path: Path) -> None:
    jar = tmp_path / "meteor-1.5.jar"
    jar.touch()
    for given in ("", str(jar)):
        [seed] = seeds_asked_for(plan(meteor=given), "cpu")
        scoring = [step.flags for step in seed.steps() if step.script == "score"]
        assert all(("--meteor" in flags) == bool(given) for flags in scoring)
        assert all(flags[-2:] == ("--meteor", given) for flags in scoring if given)


def test_a_package_that_a_step_lacks_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert broken_import() == ""
    (tmp_path / "nltk.py").write_text("raise ModuleNotFoundError('no nltk here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert broken_import() == "ModuleNotFoundError: no nltk here"
