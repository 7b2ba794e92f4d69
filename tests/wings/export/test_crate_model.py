"""A model of a crate translates any text with nothing but what came along."""

import io
import random
from dataclasses import asdict
from pathlib import Path

import pytest
from crates import bundle, clone, unpack, write_seed
from made_up import ROOT, plan_of, record, render

import job_files
from commands import translate as translate_text
from deepmt.base.files import write_json, write_text
from deepmt.decode.translate import TranslationArgs
from deepmt.model.weights import read_weights, write_weights
from deepmt.settings.spec import Spec
from jobs import encode, initialise, translate

ROW = "unified.t1.shallow-post"
WORDS = {"en": "the dog sees a small house".split(), "de": "der Hund sieht ein Haus".split()}


def encoded(root: Path, spec: Spec) -> Path:
    """A corpus of made-up lines, tokenised, segmented and encoded as the run's is."""
    raw, folder = root / "data/raw", root / "data/encoded" / spec.dataset
    draw = random.Random(1)
    for name, count in (("train", 80), ("dev", 4), ("test", 6)):
        for language, words in WORDS.items():
            lines = (" ".join(draw.choices(words, k=draw.randint(2, 6))) for _ in range(count))
            write_text(raw / f"{name}.{language}", "".join(f"{line}\n" for line in lines))
    write_json(raw / "counts.json", {})
    write_json(folder / "data.json", asdict(spec.data))
    encode.main(corpora_file=ROOT / "corpora.yaml", data=folder / "data.json", raw_dir=raw)
    return folder


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one untrained seed, and its translation of the test set."""
    root = clone(tmp_path_factory.mktemp("origin") / "project")
    spec = plan_of("unified").specs[ROW]
    dataset = encoded(root, spec)
    folder = write_seed(root, spec, record(spec, 1, ()))
    initialise.main(
        spec=folder.parent / "spec.json",
        dataset=dataset,
        seed=1,
        output=folder / "model.safetensors",
    )
    # Weights as they are drawn make the same word of every line; larger ones tell lines apart.
    drawn = read_weights(folder / "model.safetensors")
    write_weights(folder / "model.safetensors", {name: 8 * w for name, w in drawn.items()})
    job_files.outcome().write(folder / "outcome.json")
    translate.main(
        TranslationArgs(
            spec=folder.parent / "spec.json",
            dataset=dataset,
            model=folder / "model.safetensors",
            output=folder / "hyp.test.txt",
            report=folder / "decoding.test.json",
        ),
        seed=1,
        split="test",
        tokenised=folder / "hyp.test.tok.txt",
    )
    render(root, ("unified",))
    return root


@pytest.fixture(scope="module")
def there(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its crate, unpacked elsewhere."""
    folder = tmp_path_factory.mktemp("there")
    made = bundle(origin, ("unified",), folder / "crate.zip", models=(ROW,))
    return unpack(made, folder / "crate")


def typed(text: str) -> io.TextIOWrapper:
    """A standard input."""
    return io.TextIOWrapper(io.BytesIO(text.encode()))


def test_it_translates_own_text_as_it_did_at_home(
    origin: Path, there: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", typed((origin / "data/raw/test.en").read_text()))
    translate_text.main(root=there, threads=1)
    said = capsys.readouterr().out
    [expected] = there.glob("results/toy/runs/*/seed1/hyp.test.txt")
    assert said.endswith(expected.read_text())
    assert len(set(expected.read_text().splitlines())) > 1


def test_sentences_are_translated_as_the_test_set_is(
    origin: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (origin / "data/raw/test.en").read_text().replace(" ", "\u00a0 ").replace("\n", " \n")
    monkeypatch.setattr("sys.stdin", typed(f"{text}\n"))
    translate_text.main(root=origin, threads=1)
    [expected] = origin.glob("results/toy/runs/*/seed1/hyp.test.txt")
    assert capsys.readouterr().out == f"{expected.read_text()}\n"
    monkeypatch.setattr("sys.stdin", typed(text))
    translate_text.main(root=origin, threads=1, n_best=2)
    best = [line.split(" ||| ") for line in capsys.readouterr().out.splitlines()]
    assert [text for _, text, _ in best[::2]] == expected.read_text().splitlines()
    with pytest.raises(ValueError, match="--run: unknown run 'post-2"):
        translate_text.main(root=origin, threads=1, run="post-2")
    with pytest.raises(ValueError, match=r"no run has been trained: run `\./deepmt run"):
        translate_text.main(root=origin, threads=1, scale="multi30k")


def test_no_text_of_a_corpus_leaves(there: Path) -> None:
    sent = {path.name for path in (there / "data").rglob("*") if path.is_file()}
    assert sent == {"data.json", "manifest.json", "codes.joint", "vocab.en", "vocab.de"}
