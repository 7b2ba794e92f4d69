"""papers: the four files carry every published value, and a wrong file says what is wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from full_sizes import PAPERS

from deepmt.data.members import open_member
from deepmt.settings.strict_yaml import StrictYamlError
from deepmt.study.papers import Paper, Row, load, rows_of_claims, settings_of

REFERENCE = Path(__file__).with_name("printed.tar.xz")
"""What the papers print, transcribed independently of papers/."""
KEYS = ("zhang2019", "wang2019", "bapna2018", "liu2020")


@pytest.fixture(scope="module", params=KEYS)
def paper(request: pytest.FixtureRequest) -> Paper:
    return PAPERS[request.param]


@pytest.fixture(scope="module")
def printed(paper: Paper) -> dict[str, Any]:
    return reference_of(paper.key)


def reference_of(key: str) -> dict[str, Any]:
    """What a paper prints; numbers are numbers."""
    loaded: dict[str, Any] = yaml.load(text_of(key), yaml.CSafeLoader)
    return loaded


def text_of(key: str) -> str:
    """The transcription of a paper."""
    with open_member(REFERENCE, f"{key}.yaml") as stream:
        return stream.read().decode()


def rows(paper: Paper) -> dict[str, Row]:
    return {row.id: row for table in paper.tables for row in table.rows}


def printed_rows(printed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (row for table in printed["tables"] for row in table["rows"])


def test_no_figure_is_missing(paper: Paper, printed: dict[str, Any]) -> None:
    assert len(paper.figures) == printed["counts"]["figures"]


def test_every_value_shows_the_printed_digits(paper: Paper, printed: dict[str, Any]) -> None:
    text = text_of(paper.key)
    as_text = {row["id"]: row["values"] for row in printed_rows(yaml.load(text, yaml.BaseLoader))}
    for table in paper.tables:
        for row in table.rows:
            for key, value in row.values.items():
                digits = row.decimals.get(key, table.columns[key].decimals)
                whole = as_text[row.id][key].removesuffix(".0") if digits == 0 else None
                shown = "null" if value is None else f"{value:.{digits}f}"
                assert shown == (whole or as_text[row.id][key]), (row.id, key)


def test_columns_and_statuses_are_the_printed_ones(paper: Paper, printed: dict[str, Any]) -> None:
    for ours, theirs in zip(paper.tables, printed["tables"], strict=True):
        assert ours.id == theirs["id"]
        assert list(ours.columns) == [column["key"] for column in theirs["columns"]]
        assert {row.id: row.status for row in ours.rows} == {
            row["id"]: row["status"] for row in theirs["rows"]
        }


def test_rows_share_a_system_where_they_share_an_experiment(
    paper: Paper, printed: dict[str, Any]
) -> None:
    ours = {row.id: row.system and f"{paper.key}-{row.system}" for row in rows(paper).values()}
    assert ours == {row["id"]: row["experiment"] for row in printed_rows(printed)}


def test_significance_is_the_printed_matrix(paper: Paper, printed: dict[str, Any]) -> None:
    for row in printed_rows(printed):
        assert rows(paper)[row["id"]].significance == row.get("significance", {})


def test_claims_are_the_printed_ones(paper: Paper, printed: dict[str, Any]) -> None:
    for ours, theirs in zip(paper.claims, printed["claims"], strict=True):
        assert (ours.id, ours.where) == (theirs["id"], theirs["where"])
        assert ours.statement == theirs["claim"]


def test_every_experiment_is_a_system_of_the_same_depth(
    paper: Paper, printed: dict[str, Any]
) -> None:
    for experiment in printed["experiments"]:
        name = experiment["key"].removeprefix(f"{paper.key}-")
        if name == "fren-backtranslation":  # implied by the paper, in no table
            continue
        settings = settings_of(paper, name)
        arch, corpus = experiment["arch"], experiment["task"].replace("+", "-")
        assert settings["encoder.layers"] == arch["enc_layers"], name
        assert settings["decoder.layers"] == arch["dec_layers"], name
        assert settings["data.corpus"] == corpus, name
        assert settings["method.norm"] == (arch.get("norm") or settings["method.norm"]), name


RECIPE = {
    "updates": "updates",
    "lr": "lr",
    "warmup": "warmup",
    "batch_tokens": "batch_tokens",
    "beta2": "beta2",
    "grad_clip": "clip",
    "dropout_residual": "dropout",
    "dropout_attention": "attention_dropout",
}


def test_recipes_are_the_printed_ones_wherever_one_is_printed(
    paper: Paper, printed: dict[str, Any]
) -> None:
    for experiment in printed["experiments"]:
        name = experiment["key"].removeprefix(f"{paper.key}-")
        if name not in paper.systems:
            continue
        settings, recipe = settings_of(paper, name), experiment.get("train", {})
        for theirs, ours in RECIPE.items():
            if recipe.get(theirs) is not None:
                assert settings[f"training.{ours}"] == recipe[theirs], (name, ours)
        if per_gpu := recipe.get("batch_tokens_per_gpu"):
            assert settings["training.batch_tokens"] == per_gpu * recipe["gpus"], name
        if beam := experiment.get("decode", {}).get("beam"):
            assert settings["decoding.beam"] == beam, name


def test_every_corpus_has_a_vocabulary(paper: Paper) -> None:
    used = {settings_of(paper, name)["data.corpus"] for name in paper.systems}
    assert used == set(paper.vocabulary)


def test_every_system_serves_a_row_a_figure_or_a_claim(paper: Paper) -> None:
    served = {row.system for row in rows(paper).values()}
    served |= {name for figure in paper.figures for name in figure.systems}
    served |= {row.system for row in rows_of_claims(paper)}
    served |= {system.get("from") for system in paper.systems.values()}
    served |= {name for probe in paper.probes.values() for name in probe.named.values()}
    other_readings = {"ende-base-12l-pre-dsinit", "ende-base-20l-pre-dsinit"}
    reverse = {"fren-backtranslation", "enzh-backtranslation"}
    assert set(paper.systems) - served <= other_readings | reverse


def test_a_paper_that_nobody_may_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.yaml"
    path.touch()

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(StrictYamlError, match=r"mine\.yaml: cannot be read: Permission denied"):
        load(path)
