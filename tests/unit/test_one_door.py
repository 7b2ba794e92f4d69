"""No job reads a file of a dataset or of raw text but through the class that compares its hash."""

import ast
import io
import json
import random
import re
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import invented
import pytest

import job_files
from commands import score as score_file
from commands import translate as translate_text
from deepmt.base.files import write_hashed_json, write_text
from deepmt.data.dataset import Dataset
from deepmt.data.raw_corpus import RawCorpus
from deepmt.measured.encoded_corpora import read_datasets
from deepmt.settings.seed_folder import SeedFolder
from deepmt.train.execution import ExecutionConfig
from deepmt.train.run import train
from projects import ROOT
from tiny import tiny_spec
from tiny_runs import SCRIPTS, new_run, run_here

SPEC = tiny_spec(
    data__corpus="toy.en-de",
    data__merges=20,
    data__threshold=1,
    data__joint=False,
    decoding__max_length=8,
)
TEXTS = """\
monolingual:
  text.de: {language: de, title: T, licence: none, citation: none, corpus: toy.en-de, split: train}
"""
WORDS = {"en": "the dog sees a small house".split(), "de": "der Hund sieht ein Haus".split()}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a tiny corpus, encoded, and the seed of a run without an outcome."""
    root = tmp_path_factory.mktemp("project")
    for name in ("config.yaml", "scales", "corpora.yaml", "papers", "hardware.yaml", "corpora"):
        (root / name).symlink_to(ROOT / name)
    texts = (ROOT / "corpora.yaml").read_text().replace("\nmonolingual:\n", f"\n{TEXTS}")
    write_text(root / "texts.yaml", texts)
    draw, raw = random.Random(1), RawCorpus(root / "data/raw/toy.en-de")
    pairs = {"train": 60, "dev": 5, "test": 5}
    for split, count in pairs.items():
        for language, words in WORDS.items():
            lines = (" ".join(draw.choices(words, k=draw.randint(2, 6))) for _ in range(count))
            write_text(raw.folder / f"{split}.{language}", "".join(f"{line}\n" for line in lines))
    made = {"synthetic_pairs": 1, "bitext_pairs": 59, "reverse": {"run": "r", "seed": 1}}
    raw.describe(pairs, SPEC.data.languages, synthetic=made)
    write_text(dataset(root) / "data.json", json.dumps(asdict(SPEC.data)))
    encode(root)
    run = seed(root)
    new_run(run.spec.parent, dataset(root), SPEC)
    run.path.mkdir()
    (run.spec.parent / "init.safetensors").rename(run.init)
    run.model.write_bytes(run.init.read_bytes())
    record = invented.record_of(SPEC, 1, perplexities={"dev": 9.0})
    write_hashed_json(run.record, record)
    job_files.outcome().write(run.path / "reverse.json")
    text = RawCorpus(root / "data/monolingual/news")
    write_text(text.folder / "text.en", "the dog\n")
    text.describe({"text": 1}, ("en",))
    translate(root)
    score(root)
    return root


def dataset(root: Path) -> Path:
    return root / "data/encoded" / SPEC.dataset


def seed(root: Path) -> SeedFolder:
    return SeedFolder.of(root / "results/toy", SPEC.run, 1)


def flags(root: Path, **more: object) -> list[object]:
    given = {"spec": seed(root).spec, "dataset": dataset(root), "model": seed(root).model} | more
    return [word for key, value in given.items() for word in (f"--{key}", value)]


def encode(root: Path) -> None:
    told = ["--raw-dir", root / "data/raw/toy.en-de", "--data", dataset(root) / "data.json"]
    run_here("jobs.encode", "--corpora-file", root / "corpora.yaml", *told)


def initialise(root: Path) -> None:
    told = ["--spec", seed(root).spec, "--dataset", dataset(root), "--seed", 1]
    run_here("jobs.initialise", *told, "--output", seed(root).path / "again.safetensors")


def trained(root: Path) -> None:
    from deepmt.train.run_paths import RunPaths

    run = seed(root)
    paths = RunPaths(spec=run.spec, dataset=dataset(root), init=run.init, output=run.outcome)
    train(paths, seed=1, execution=ExecutionConfig())
    run.outcome.unlink()


def translate(root: Path) -> None:
    run = seed(root)
    outputs = {"output": run.hypotheses("test"), "tokenised": run.tokenised("test")}
    outputs |= {"report": run.decoded("test"), "seed": 1, "split": "test"}
    run_here("jobs.translate", *flags(root, **outputs))


def score(root: Path) -> None:
    output = seed(root).scored("test")
    run_here("jobs.score", "--dataset", dataset(root), "--split", "test", "--output", output)


def record(root: Path) -> None:
    run = seed(root)
    named = {"spec": run.spec, "outcome": run.path / "reverse.json", "scores": run.scored("test")}
    named |= {"manifest": dataset(root) / "manifest.json", "scale": "toy", "seed": 1}
    named |= {"synthetic": root / "data/raw/toy.en-de/counts.json", "output": run.path / "r.json"}
    run_here("jobs.record", *(word for key, x in named.items() for word in (f"--{key}", x)))


def back_translate(root: Path) -> None:
    run = seed(root)
    outputs = {"output": "back.txt", "lengths": "lengths.npy", "report": "back.json"}
    told = {key: run.path / name for key, name in outputs.items()}
    told |= {"text": root / "data/monolingual/news/text.en", "outcome": run.path / "reverse.json"}
    run_here("jobs.back_translate", *flags(root, **told, shard=0, shards=1, seed=1))


def export(root: Path) -> None:
    pytest.importorskip("ctranslate2", reason="ctranslate2 is not installed")
    pytest.importorskip("wings.export", reason="the wing is not there")
    told = {"to": "ctranslate2", "scores": seed(root).scored("test"), "title": "t"}
    output = seed(root).path / "export"
    run_here("wings.export.__main__", *flags(root, **told, licence="CC0", output=output))


def translate_own(root: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"the dog\n")))
        patch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO()))
        translate_text.main(root=root, threads=1)


def describe(root: Path) -> None:
    assert len(read_datasets(root / "data", [SPEC.dataset])) == 4


def monolingual(root: Path) -> None:
    told = ["--corpora-file", root / "texts.yaml", "--text", "text.de"]
    told += ["--sources", root / "data/raw/toy.en-de/counts.json"]
    run_here("jobs.monolingual", *told, "--output", root / "text/counts.json")


def score_own(root: Path) -> None:
    text = seed(root).hypotheses("test")
    score_file.main(hypotheses=text, corpus="toy.en-de", root=root)


def crate(root: Path) -> None:
    assert len(Dataset(dataset(root)).for_translation) == 8


Job = Callable[[Path], None]
JOBS: list[Job] = [
    encode, initialise, trained, translate, score, record, back_translate, export, translate_own,
    describe, monolingual, score_own, crate,
]  # fmt: skip
OPENED: list[Path] = []
"""The files that this process opened, if it is asked to list them."""
LISTING = False


def listen(event: str, given: tuple[Any, ...]) -> None:
    if LISTING and event == "open" and isinstance(given[0], str | bytes | Path):
        OPENED.append(Path(str(given[0])))


sys.addaudithook(listen)


def read_by(job: Job, root: Path) -> set[Path]:
    """The files below data/ that a job opens, and that were there before."""
    global LISTING
    before = {path for path in (root / "data").rglob("*") if path.is_file()}
    OPENED.clear()
    LISTING = True
    try:
        job(root)
    finally:
        LISTING = False
    return before & set(OPENED)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.__name__)
def test_a_flipped_bit_of_any_file_that_a_job_reads_is_refused_by_name(
    root: Path, job: Job
) -> None:
    read = read_by(job, root)
    if job is encode:  # what it writes itself is read by none before
        read = {path for path in read if "raw/toy.en-de" in str(path)}
    assert read
    for path in sorted(read):
        content = path.read_bytes()
        place = len(content) // 2
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}\b"):
            job(root)
        path.write_bytes(content)


DOORS = ("deepmt/data/dataset.py", "deepmt/data/raw_corpus.py")
WRITERS = (
    "jobs/encode.py",
    *(f"deepmt/data/{x}.py" for x in ("encode_text", "subword", "training_sample")),
)
ONLY_NAME_THE_FOLDER = (
    "commands/translate.py",
    "deepmt/report/changes.py",
    "deepmt/machines/planned_runs.py",
)
FOLDERS = ("dataset", "raw", "raw_dir", "bitext")
"""What code calls the folder of a dataset, or of raw text."""
FILES = re.compile(r"(^|/)(tok|ids)(/|$)|(^|/)(vocab|codes|pieces)\.|^(words|data|counts)\.json$")
OWN_HASH = "manifest.json"
"""A file that every reader checks."""


def goes_around(source: str, *, may_name_folder: bool = False) -> list[int]:
    """The lines that make the path of a file of a dataset or raw text, or of its folder.

    A folder is named only to open one of the two classes.
    """
    tree = ast.parse(source)
    opened = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Dataset", "RawCorpus")
        for inner in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            parts = [x.value for x in ast.walk(node.right) if isinstance(x, ast.Constant)]
            texts = [part for part in parts if isinstance(part, str)]
            left = ast.unparse(node.left).rpartition(".")[2]
            folder = any(text.startswith(("data/encoded", "data/raw")) for text in texts)
            file = left in FOLDERS and texts != [OWN_HASH]
            file |= any(FILES.search(text) for text in texts)
            if id(node) not in opened and (file or (folder and not may_name_folder)):
                found.append(node.lineno)
    return found


def test_no_code_makes_the_path_of_a_file_but_the_two_classes_and_the_writers() -> None:
    files = {str(path.relative_to(SCRIPTS)): path for path in SCRIPTS.rglob("*.py")}
    found = [
        f"{name}:{line}"
        for name, path in files.items()
        if name not in (*DOORS, *WRITERS)
        for line in goes_around(path.read_text(), may_name_folder=name in ONLY_NAME_THE_FOLDER)
    ]
    assert found == []


@pytest.mark.parametrize(
    "reader",
    [
        'Vocabulary.load(args.dataset / f"vocab.{language}")',
        "load_segmenter(settings, self.dataset.joinpath, x), read_lines(dataset / name)",
        'root / "data/raw" / corpus / f"{split}.{target}"',
        'open(root / f"data/encoded/{spec.dataset}/tok/train.{target}")',
        'EncodedText.open(folder / "ids", "train", "en")',
        'shutil.copyfile(folder / f"codes.{code}", output)',
        'read_json(folder / "words.json", hashed=False)',
    ],
)
def test_a_reader_that_goes_around_is_found(reader: str) -> None:
    assert goes_around(reader)
    assert not goes_around("Dataset(args.dataset).pair('test'), RawCorpus(root / 'data/raw' / x)")
