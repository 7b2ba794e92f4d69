"""Every number tells where it comes from, and what has changed since."""

import hashlib
import json
import lzma
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import invented
import made_up
import pytest
from rich.tree import Tree

import job_files
import recorded
from commands import explain as command
from deepmt.base.code_sums import training_code
from deepmt.base.files import write_hashed_json
from deepmt.measured.hypotheses import path_of
from deepmt.report.explain import explain
from deepmt.report.explain_judged import explain_judged
from deepmt.settings.method import defaults_of, modules_of
from deepmt.settings.spec import Spec

README = (made_up.ROOT / "README.md").read_text()
RESULTS = (made_up.ROOT / "docs/results.md").read_text()
BESIDE = RESULTS.partition("| first | ")[2].partition(" ")[0]
"""The ratio of the first system of the board to the baseline; a new seed may change it."""
ROW, PROBE = "liu2020.t3.c", "zhang2019.t1.base.enc.beta_ln"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return made_up.project(tmp_path)


def spec() -> Spec:
    return made_up.plan_of("liu2020").specs[ROW]


def put(root: Path, seed: int = 1, **changes: object) -> Path:
    """Put a record of the row in the archive."""
    path = root / "records/toy.jsonl"
    record = made_up.record(spec(), seed, ()) | changes
    with path.open("a") as lines:
        lines.write(invented.line(record))
    return path


def explained(root: Path, name: str, paper: str = "liu2020", scale: str = "toy") -> list[str]:
    plan = made_up.plan_of(paper, scale=scale)
    return list(lines_of(explain(name, plan, root, root / "results" / scale)))


def lines_of(tree: Tree) -> Iterator[str]:
    """Every line, from the top down."""
    yield str(tree.label)
    for child in tree.children:
        yield from lines_of(child)


def test_a_number_leads_to_each_seeds_record_by_file_and_line(root: Path) -> None:
    path = put(root, 1)
    put(root, 2)
    lines = explained(root, f"{ROW}.bleu")
    assert f"record of seed 1: {path}:1" in lines
    assert f"record of seed 2: {path}:2" in lines
    value = made_up.record(spec(), 2, ())["scores"]["test"]["bleu_tok"]["value"]
    assert f"seed 2: {value!r}" in lines


def test_a_setting_names_each_layer_that_sets_it_with_its_line(root: Path) -> None:
    [line] = [line for line in explained(root, ROW) if line.startswith("training.optimizer ")]
    setting, *layers = re.split(": | < ", line)
    assert setting == "training.optimizer adam"
    assert [layer.split(" (")[0] for layer in layers] == ["base radam", "scale toy adam"]
    for layer in layers:
        file, _, number = layer.partition(" (")[2].removesuffix(")").rpartition(":")
        assert "training.optimizer: " in Path(file).read_text().split("\n")[int(number) - 1]


def test_the_last_layer_of_every_setting_says_what_the_run_has(root: Path) -> None:
    lines = explained(root, "unified.t1.deep-pre", "unified", "multi30k-fair")
    start = next(n for n, line in enumerate(lines) if line.startswith("settings, "))
    said = [line for line in lines[start + 1 :] if " < " in line or line.startswith("method.")]
    assert all(line.split(": ")[0].split(" ", 1)[1] in line.split(" < ")[-1] for line in said)
    [rate] = [line for line in said if line.startswith("training.lr ")]
    assert [part.split()[0] for part in rate.split(": ")[1].split(" < ")] == [
        "base", "scale", "rates.csv",
    ]  # fmt: skip


def test_no_scale_sets_a_method(root: Path) -> None:
    lines = [line for line in explained(root, ROW) if line.startswith("method.")]
    assert lines
    assert not [line for line in lines if "scale" in line]


EARLY = {
    "update": 600, "target_tokens": 20, "train_seconds": 1.0, "core_seconds": 1.0,
    "averaged_updates": [600], "dev_perplexities": {}, "perplexities": {"dev": 38.125},
    "scores": {"dev": {"bleu": 15.2, "chrf": 36.0}}, "length_ratios": {"dev": 1.0},
}  # fmt: skip
NO_GIT = "unknown (fatal: not a git repository: /c++)"
STORED = hashlib.sha256(b"x\n").hexdigest()
RECORDED: list[tuple[dict[str, object], str]] = [
    ({"software": {"training_code": "0" * 16}}, "[changed] training code"),
    (
        {"hardware": {"name": "New GPU", "earlier": [{"name": "Old GPU"}, {"name": "Old GPU"}]}},
        "Hardware: New GPU; before that Old GPU",
    ),
    ({"hypotheses": dict.fromkeys(("dev", "test"), STORED)}, "hypotheses of dev, test: "),
    ({"commit": "abc"}, "[other] commit: abc"),
    ({"commit": "abc+"}, "[unknown] commit: abc+"),
    ({"commit": NO_GIT}, f"[unknown] commit: {NO_GIT}"),
]
"""What is in a record, and how the line begins that says so."""


def test_milestones_are_said_with_what_was_measured_there(root: Path) -> None:
    scale = "multi30k-budget"
    long = made_up.plan_of("unified", scale=scale).specs["unified.t6.tfixup"]
    record = made_up.record(long, 1, (), scale) | {"milestones": [EARLY]}
    (root / f"records/{scale}.jsonl").write_text(invented.line(record))
    lines = explained(root, long.run, "unified", scale)
    assert "after 600 updates, dev: perplexity 38.12, chrF 36.00, BLEU 15.20" in lines


def test_seeds_that_the_mean_leaves_out_are_marked_with_the_reason(root: Path) -> None:
    row = "unified.t1.deep-pre"
    found = made_up.plan_of("unified").specs[row]
    low = {measure: {"value": 1.0, "signature": ""} for measure in ("bleu", "chrf")}
    stopped = {"update": 9, "reason": "the loss is not finite"}
    changes: dict[int, dict[str, object]] = {
        1: {},
        2: {"scores": {"test": low}},
        3: {"outcome": "diverged", "failure": stopped, "updates": 9, "scores": {}},
    }
    records = [made_up.record(found, seed, ()) | own for seed, own in changes.items()]
    (root / "records/toy.jsonl").write_text("".join(map(invented.line, records)))
    lines = explained(root, f"{row}.bleu", "unified")
    value = records[0]["scores"]["test"]["bleu"]["value"]
    assert {line for line in lines if line.startswith("seed ")} == {
        f"seed 1: {value!r}",
        "seed 2: 1.0; left out, ended below 5 BLEU",
        "seed 3: left out, diverged at update 9",
    }
    rates = [line for line in explained(root, f"{row}.rate", "unified") if "left out" in line]
    assert not rates


def test_what_a_record_holds_is_said_and_what_has_changed_since(root: Path) -> None:
    for seed, (changes, _) in enumerate(RECORDED, 1):
        put(root, seed, **changes)
        if "hypotheses" in changes:
            text = json.dumps({"dev": ["x"], "test": ["x"]}).encode()
            path = path_of(root / "records", spec().run, seed)
            path.parent.mkdir()
            path.write_bytes(lzma.compress(text))
    today = training_code(modules_of(spec().method), defaults_of(spec().method))
    put(root, len(RECORDED) + 1, software={"training_code": today})
    lines = explained(root, spec().run)
    for said in (*(said for _, said in RECORDED), "[same] training code"):
        assert [line for line in lines if line.startswith(said)], said


@pytest.mark.parametrize(("now", "state"), [("1", "same"), ("2", "changed")])
def test_data_that_has_changed_since_is_named(root: Path, now: str, state: str) -> None:
    put(root, data={"dataset": spec().dataset, "note": "", "sha256": {"ids/a": "1"}})
    manifest = root / "data/encoded" / spec().dataset / "manifest.json"
    manifest.parent.mkdir(parents=True)
    write_hashed_json(manifest, {"sha256": {"ids/a": now}})
    [line] = [line for line in explained(root, ROW) if str(manifest) in line]
    assert line.startswith(f"[{state}] data: ")


def test_a_cell_that_was_not_run_names_the_command(root: Path) -> None:
    lines = explained(root, f"{ROW}.bleu")
    assert "no record yet" in lines
    assert f"made by: ./deepmt run --cores all --config scale=toy rows={ROW}" in lines
    lines = explained(root, f"{ROW}.bleu", scale="multi30k")
    assert "not run: the multi30k scale has no corpus for wmt14-en-fr" in lines
    assert f"to run it: ./deepmt run --cores all --config scale=paper rows={ROW}" in lines


@pytest.mark.parametrize(
    ("row", "scales"),
    [
        ("unified.t1.deep-ds-init", [("multi30k-budget", "2"), ("multi30k-fair", "1")]),
        ("unified.t8.post-loss-pairs", [("multi30k-budget", "2")]),
    ],
)
def test_a_row_without_records_here_names_the_scales_that_have_some(
    root: Path, row: str, scales: list[tuple[str, str]]
) -> None:
    """Also where it cannot be run, as Table 8 on the toy corpus."""
    for scale, seeds in {"multi30k-budget": (1, 2), "multi30k-fair": (3,)}.items():
        if found := made_up.plan_of("unified", scale=scale).specs.get(row):
            records = [made_up.record(found, seed, (), scale) for seed in seeds]
            (root / f"records/{scale}.jsonl").write_text("".join(map(invented.line, records)))
    [line] = [line for line in explained(root, row, "unified") if "--scale" in line]
    assert re.findall(r"--scale (\S+) \((\d) seeds?\)", line) == scales
    assert not [line for line in explained(root, row, "unified", scales[0][0]) if "--scale" in line]


def test_a_number_without_training_leads_to_its_file_and_target(root: Path) -> None:
    path = root / "records/probes/table1.csv"
    path.parent.mkdir()
    path.write_bytes((made_up.ROOT / "records/probes/table1.csv").read_bytes())
    job_files.list_hashes(root / "records")
    lines = explained(root, f"{PROBE}.self", paper="zhang2019")
    assert [line for line in lines if line.endswith("Taken from records/probes/table1.csv.")]
    assert "made by: ./deepmt run --cores all probes --config scale=toy" in lines


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "liu2020.t3.z",
            "no paper prints the row or cell 'liu2020.t3.z'; did you mean 'liu2020.t3",
        ),
        ("liu2020.c01", "liu2020.c01 is a claim"),
        ("liu2020.c99", "did you mean 'liu2020.c"),
        ("104", "'104': name a row or cell, such as .* a system"),
        ("liu2020.t3.c.blue", "liu2020.t3.c has no column 'blue'; did you mean 'bleu'"),
    ],
)
def test_an_unknown_cell_is_an_error_that_names_the_nearest(root, name, message) -> None:
    with pytest.raises(ValueError, match=message):
        explained(root, name)


def test_the_script_needs_no_torch_and_breaks_no_line(root: Path, tmp_path: Path) -> None:
    """As a pipe reads it, where torch cannot be imported."""
    put(root)
    (tmp_path / "stub/torch").mkdir(parents=True)
    (tmp_path / "stub/torch/__init__.py").write_text("raise ImportError('torch')")
    script = made_up.ROOT / "workflow_scripts/commands/explain.py"
    found = subprocess.run(
        [sys.executable, script, f"{ROW}.bleu", f"--root={root}"],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "stub"), "COLUMNS": "40"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert f"─ run {spec().run}\n" in found.stdout
    assert "\x1b" not in found.stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "12+12 pre-norm",
            r"seed 5: perplexity [\d.]+, BLEU [\d.]+ on test, .*records/multi30k-budget",
        ),
        ("unified.q1", r"12\+12 pre-norm against 3\+3 pre-norm: worse in perplexity and chrF"),
        ("BLEU -1.7", r"12\+12 pre-norm against 3\+3 pre-norm: worse in perplexity and chrF"),
        ("1.112", r"ratio 1.112 \(.*\): exp of the mean over pairs"),
        (BESIDE, rf"beside the baseline: {BESIDE} \("),
        ("0.573", r"12\+12 DLCL pre-norm against 12\+12 pre-norm.*\n.*f3.*\n.*ratio 0.573"),
        (
            "1.449",
            r"both on dev at equal core seconds\n.*seed 5\n(.*records.*\n|.*seed .\n)+.*rule",
        ),
        ("231 of their 545", r"231 of the 545 numbers .*\n.*bapna2018: params.csv"),
        ("190 of the papers' 191 BLEU scores", r"run: .* wu2021.t1.text-only.bleu --scale wu2021"),
    ],
)
def test_what_readme_says_leads_to_records(
    name: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "RecordedScale", lambda _, scale: recorded.RECORDED[scale])
    command.main(cell=name, root=recorded.RECORDED.root)
    assert re.search(said, capsys.readouterr().out)


def test_each_ratio_and_difference_of_readme_is_printed_where_it_leads() -> None:
    ranking = recorded.RECORDED[command.BOARD].ranking
    text = " ".join(README.split())
    numbers = re.findall(r"(?:BLEU [+-]\d+\.\d|\d\.\d{3}) \([^)]+ to [^)]+\)", text)
    assert len(numbers) >= 7
    for number in (said for one in numbers for said in (one, one.partition(" (")[0])):
        found = explain_judged(number, ranking)
        assert found, number
        assert all(any(number in line for line in lines_of(one)) for one in found.children), number


def test_a_label_finds_its_rows_with_the_commands_that_explain_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command.main(cell="weights as Transformers draws them", root=made_up.ROOT)
    printed = capsys.readouterr().out
    for norm in ("post", "pre"):
        row = f"unified.t8.{norm}-draws-huggingface"
        assert f"./deepmt explain {row} --scale multi30k-budget" in printed


def test_a_mistyped_label_is_an_error_that_names_the_nearest(root: Path) -> None:
    with pytest.raises(ValueError, match="did you mean 'weights as Transformers draws them'"):
        explained(root, "weights as transformer draws them", "unified")


def test_a_label_without_a_record_has_a_command_as_well(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command.main(cell="BITEXT", root=root)
    assert "no record yet: ./deepmt explain unified.t2.bitext\n" in capsys.readouterr().out


def test_a_name_without_settings_finds_the_system_that_readme_shows() -> None:
    ranking = recorded.RECORDED[command.BOARD].ranking
    found = explain_judged("12+12 t-fixup", ranking)
    assert found
    assert {str(one.label) for one in found.children} >= {
        "12+12 T-Fixup",
        "12+12 T-Fixup, dropout 0.2",
    }
    [bleu] = re.findall(r"\| \[T-Fixup\].*? \| .*? \| (.*?) \|", README)
    assert [line for line in lines_of(found) if "stands for 12+12 T-Fixup" in line and bleu in line]


@pytest.mark.parametrize("name", ["1 of 545", "545 of 231", "10 of 19"])
def test_another_count_is_unknown_and_not_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "RecordedScale", lambda _, scale: recorded.RECORDED[scale])
    with pytest.raises(ValueError, match="'231 of 545' and '190 of 191'"):
        command.main(cell=name, root=recorded.RECORDED.root)
