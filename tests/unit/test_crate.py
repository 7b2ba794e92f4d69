"""A crate of made-up results: complete, described, and the same tables come out of it."""

import csv
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from crates import bundle, clone, render, take, train
from rocrate.rocrate import ROCrate
from shelf import ROOT, plan_of

import cells
from deepmt.export.crate_archive import METADATA

PAPERS = ("liu2020",)
FROM_RECORDS = "results/toy-records"


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seeds of every run of a paper, its sizes, and its tables."""
    root = clone(tmp_path_factory.mktemp("origin") / "project")
    train(root, plan_of(root, *PAPERS))
    shutil.copy(ROOT / "records/params.csv", root / "results/toy/params.csv")
    render(root, PAPERS)
    return root


@pytest.fixture(scope="module")
def made(origin: Path) -> Path:
    return bundle(origin, PAPERS, authors=("A. Author",))


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return clone(tmp_path / "there")


def graph(made: Path) -> dict[str, dict[str, Any]]:
    with zipfile.ZipFile(made) as archive:
        entities = json.loads(archive.read(METADATA))["@graph"]
    return {entity["@id"]: entity for entity in entities}


def lines(path: Path) -> list[dict[str, str]]:
    with path.open() as stream:
        return list(csv.DictReader(stream))


def rendered(root: Path) -> list[dict[str, str]]:
    """cells.csv of the shelf alone."""
    results = root / FROM_RECORDS
    output = results / "cells.csv"
    asked = {"scale": "toy", "papers": PAPERS, "rows": ("all",)}
    cells.main(cells.Args(**asked, results=results, output=output, root=root))
    return lines(output)


def test_every_record_comes_out_with_its_course(origin: Path, made: Path, there: Path) -> None:
    take(made, there)
    trained = [json.loads(p.read_text()) for p in origin.glob("results/toy/runs/*/*/record.json")]
    shelf = [json.loads(line) for line in (there / "records/toy.jsonl").open()]
    courses = [json.loads(line) for line in (there / "records/courses/toy.jsonl").open()]
    assert sorted(shelf, key=str) == sorted(trained, key=str)
    assert {(c["run"], c["seed"]) for c in courses} == {(r["run"], r["seed"]) for r in trained}


def test_cells_are_equal_but_for_who_measured_them(origin: Path, made: Path, there: Path) -> None:
    take(made, there)
    first, again = lines(origin / "results/toy/cells.csv"), rendered(there)
    changed = {(cell["status"], new["status"]) for cell, new in zip(first, again, strict=True)}
    assert {pair for pair in changed if pair[0] != pair[1]} == {("measured", "recorded")}
    for cell in (*first, *again):
        del cell["status"]
    assert again == first


def test_opened_files_are_those_of_the_project(origin: Path, made: Path, there: Path) -> None:
    folder = take(made, there)
    opened = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    del opened["environment.json"]
    assert all(path.read_bytes() == (origin / name).read_bytes() for name, path in opened.items())
    rendered = {f"results/toy/tables/{paper}.{end}" for paper in PAPERS for end in ("md", "tex")}
    others = {"results/toy/report.html", "results/toy/claims.csv", "requirements.lock"}
    assert rendered | others | {"papers/liu2020.yaml", "Snakefile"} <= opened.keys()


def test_a_second_crate_of_the_same_results_is_the_same(origin: Path, made: Path) -> None:
    first = made.read_bytes()
    assert bundle(origin, PAPERS, authors=("A. Author",)).read_bytes() == first


def test_translations_may_stay_at_home(origin: Path, made: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.zip"
    shutil.copy(made, kept)
    names = {"with": zipfile.ZipFile(kept).namelist()}
    names["without"] = zipfile.ZipFile(bundle(origin, PAPERS, hypotheses=False)).namelist()
    shutil.copy(kept, made)
    left_out = set(names["with"]) - set(names["without"])
    assert left_out == {name for name in names["with"] if "/hyp." in name} != set()


def test_metadata_follow_the_workflow_run_profile(made: Path) -> None:
    found = graph(made)
    assert found["./"]["mainEntity"] == {"@id": "Snakefile"}
    assert "ComputationalWorkflow" in found["Snakefile"]["@type"]
    assert found["./"]["license"] == {"@id": "https://spdx.org/licenses/Apache-2.0"}
    assert found["./"]["author"] == [{"@id": "#author/A.%20Author"}]
    assert found["#run"]["@type"] == "CreateAction"
    assert found["#run"]["instrument"] == {"@id": "Snakefile"}
    assert found["./"]["mentions"] == [{"@id": "#run"}]
    assert found["#corpus/toy.en-de"]["license"].startswith("Apache-2.0")
    articles = {e["identifier"] for e in found.values() if e["@type"] == "ScholarlyArticle"}
    assert articles == set(PAPERS)


def test_every_reference_leads_somewhere(made: Path) -> None:
    found = graph(made)

    def references(value: Any) -> list[str]:
        if isinstance(value, list):
            return [place for part in value for place in references(part)]
        if isinstance(value, dict):
            return [value["@id"]] if set(value) == {"@id"} else references([*value.values()])
        return []

    outside = {place for e in found.values() for place in references(e)} - found.keys()
    assert {place.split("/")[2] for place in outside} <= {
        "w3id.org", "doi.org", "snakemake.readthedocs.io",
    }  # fmt: skip


def test_the_library_reads_its_own_crate(made: Path) -> None:
    crate = ROCrate(made)
    assert crate.mainEntity.id == "Snakefile"
    assert len(crate.get_by_type("File")) == len(zipfile.ZipFile(made).namelist()) - 1


def test_opening_twice_adds_nothing(made: Path, there: Path, tmp_path: Path) -> None:
    take(made, there)
    before = (there / "records/toy.jsonl").read_bytes()
    take(made, there, folder=tmp_path / "again")
    assert (there / "records/toy.jsonl").read_bytes() == before
    with pytest.raises(ValueError, match="is there already: remove it"):
        take(made, there)


def with_another_score(path: Path) -> str:
    """Change one number of the first record of a shelf; returns the line."""
    first, *others = path.read_text().splitlines()
    record = json.loads(first)
    record["parameters"] += 1
    changed = json.dumps(record)
    path.write_text("".join(f"{line}\n" for line in (changed, *others)))
    return changed


def test_another_record_of_a_seed_stays_until_told_otherwise(made: Path, there: Path) -> None:
    shutil.rmtree(take(made, there))
    shelf = there / "records/toy.jsonl"
    whole = shelf.read_text()
    changed = with_another_score(shelf)
    with pytest.raises(ValueError, match=r"(?s)toy.jsonl:1: seed [12] of .* --replace takes"):
        take(made, there)
    assert changed in shelf.read_text()
    assert list((there / "results/crates").iterdir()) == []
    take(made, there, replace=True)
    assert shelf.read_text() == whole


def test_a_clone_with_other_settings_is_warned(
    made: Path, there: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (there / "scales").unlink()
    shutil.copytree(ROOT / "scales", there / "scales")
    scale = there / "scales/toy.yaml"
    scale.write_text(scale.read_text().replace("training.updates: ", "training.updates: 1"))
    take(made, there)
    said = capsys.readouterr().out
    assert "these settings differ from the crate's: scales/toy.yaml" in said
    assert "left out: " in said
    assert "no row has this spec at the toy scale" in said
    assert not (there / "records/toy.jsonl").exists()


def test_tables_older_than_their_records_are_not_bundled(tmp_path: Path) -> None:
    root = clone(tmp_path / "project")
    train(root, plan_of(root, *PAPERS))
    results = render(root, PAPERS)
    with (results / "cells.csv").open() as lines:
        shown = next(line["run"] for line in csv.DictReader(lines) if line["status"] == "measured")
    for record in results.glob(f"runs/{shown}/seed*/record.json"):
        record.unlink()
    with pytest.raises(ValueError, match=r"cells.csv and the records differ in \d+ cells"):
        bundle(root, PAPERS)
    (results / "claims.csv").unlink()
    with pytest.raises(ValueError, match=r"lacks claims.csv: run `snakemake`"):
        bundle(root, PAPERS)


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        ("liu2020.t3.x", r"no row or run .* did you mean liu2020.t3."),
        ("liu2020.t3.b", r"lacks .*seed1/model.safetensors, .*manifest.json: train it"),
    ],
)
def test_models_that_are_not_there_are_named(origin: Path, word: str, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        bundle(origin, PAPERS, models=(word,))


def test_settings_of_the_command_line_need_a_sign(origin: Path) -> None:
    import crate

    with pytest.raises(ValueError, match="--config: 'toy' must be key=value"):
        crate.main(crate.Args(config=("toy",), output=origin / "x.zip", root=origin))
