"""Word F1 by frequency and BLEU by length, in compare-mt's buckets."""

from dataclasses import replace
from pathlib import Path

import pytest
from made_up_runs import data_of, figure_of, write_run
from texts import texts_of

import job_files
from deepmt.base.files import sha256, write_json
from deepmt.data.manifest import SplitSizes
from deepmt.report.figures.figure_files import Drawn, make
from deepmt.scores.breakdown import Bucket, by_frequency, by_length
from deepmt.scores.tokenised_bleu import MultiBleu

SYSTEMS = "enfr-base-6l-6l-default", "enfr-base-60l-12l-admin"
OTHER = "ADMIN 60L-12L"


def named(buckets: list[Bucket]) -> dict[str, Bucket]:
    return {bucket.bucket: bucket for bucket in buckets}


def test_f1_of_a_bucket_is_of_words_that_occur_so_often_in_training() -> None:
    found = named(
        by_frequency(
            texts_of(["das Haus das Boot", "neu"], ["das Haus am See", "alt"]),
            {"das": 2000, "Haus": 3, "am": 50, "See": 3, "Boot": 3},
        )
    )
    assert found[">=1000"].value == pytest.approx(100 * 2 * 1 / (1 + 2))  # one of two "das"
    assert found["3"].value == pytest.approx(100 * 2 * 1 / (2 + 2))
    assert (found["<1"].value, found["<1"].count) == (0.0, 1)
    assert (found["[10,100)"].value, found["[10,100)"].count) == (0.0, 1)
    assert (found["2"].value, found["2"].count) == (None, 0)


def test_sentences_are_sorted_by_the_length_of_their_reference() -> None:
    short, long = "a b c d e", " ".join(f"w{i}" for i in range(25))
    found = named(by_length(texts_of([short, "nichts davon", long], [short, short, long])))
    assert [(b.bucket, b.count) for b in found.values() if b.count] == [("<10", 2), ("[20,30)", 1)]
    expected = MultiBleu().corpus_score([short, "nichts davon"], [[short, short]]).score
    assert found["<10"].value == pytest.approx(expected)
    assert found["[20,30)"].value == pytest.approx(100)
    assert found["[30,40)"].value is None


def test_a_bucket_without_a_common_four_gram_scores_nothing() -> None:
    found = named(by_length(texts_of(["a b c x"], ["a b c d"])))
    assert found["<10"].value == 0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A system of Liu's Figure 3 translated two sentences, and the other one was not run."""
    data = data_of("liu2020", tmp_path)
    row = data.row(SYSTEMS[0])
    spec = data.results.specs[row.id]
    write_run(tmp_path, spec.run, 1, data, diverged=False)
    texts = {"test": ["das Haus am See", "alt"], "train": ["das Haus"] * 20}
    for folder in (f"encoded/{spec.dataset}/tok", f"raw/{spec.data.corpus}"):
        for split, lines in texts.items():
            write(tmp_path / "data" / folder / f"{split}.{spec.data.target}", lines)
    write_json(tmp_path / "data/raw" / spec.data.corpus / "counts.json", {})
    splits = dict.fromkeys(texts, SplitSizes(sentences=0, tokens={}, unknown={}))
    described = job_files.manifest(splits=splits)
    described.write(tmp_path / f"data/encoded/{spec.dataset}/manifest.json")
    seed = tmp_path / "runs" / spec.run / "seed1"
    for name in ("hyp.test.tok.txt", "hyp.test.txt"):
        write(seed / name, ["das Haus das Boot", "neu"])
    sums = {path.name: sha256(path) for path in seed.glob("hyp.*")}
    job_files.decoded("test", sha256=sums).write(seed / "decoding.test.json")
    return tmp_path


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def drawn(root: Path) -> Drawn:
    figure, data = figure_of("liu2020.fig3", root)
    return make(figure, replace(data, root=root))


def test_the_figure_shows_translated_systems_and_says_what_was_not_run(root: Path) -> None:
    found = drawn(root)
    own = found.points.dropna(subset="y")
    words = own[own.panel == "(a) by frequency"].set_index("x")
    assert words.y["10–99"] == pytest.approx(100 * 2 * 2 / (3 + 2))  # "das Haus das" of two
    assert words.note["10–99"] == "2 words"
    assert set(own.seed) == {"1"}
    assert set(own.panel) == {"(a) by frequency", "(b) by length"}
    assert found.missing == [
        f"(a) by frequency, {OTHER}: not run",
        f"(b) by length, {OTHER}: not run",
    ]


def test_a_second_time_no_word_is_counted(root: Path) -> None:
    found = drawn(root)
    [training] = root.glob("data/encoded/*/tok/train.*")
    training.unlink()
    assert drawn(root).points.equals(found.points)
    [kept] = root.glob("breakdowns/*.json")
    kept.unlink()
    assert any(str(training) in why for why in drawn(root).missing)
