"""A file of translations is scored beside recorded systems, and never among them."""

import bz2
import gzip
import hashlib
import json
import lzma
from pathlib import Path
from types import ModuleType
from typing import Any

import invented
import made_up
import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest
from texts import OTHER_FORMS

from commands import score as score_file
from deepmt.data.raw_corpus import RawCorpus
from deepmt.judge.ranking import recorded_ranking
from deepmt.measured.hypotheses import path_of, write_hypotheses
from deepmt.measured.outside import entered

REFERENCE = ["Der Hund schläft im Garten.", "Ein Mann lacht laut über das Kind."]
ROW = "unified.t1.shallow-post"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with the text of a corpus and a record."""
    root = made_up.project(tmp_path)
    raw = root / "data/raw/toy.en-de"
    raw.mkdir(parents=True)
    (raw / "test.de").write_text("".join(f"{line}\n" for line in REFERENCE))
    RawCorpus(raw).describe({"test": 2}, ("de",))
    spec = made_up.plan_of("unified").specs[ROW]
    with (root / "records/toy.jsonl").open("w") as lines:
        lines.write(invented.line(made_up.record(spec, 1, ())))
    return root


def put(root: Path, lines: list[str]) -> Path:
    path = root / "mine.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def score(root: Path, lines: list[str], **flags: Any) -> None:
    score_file.main(hypotheses=put(root, lines), root=root, **flags)


def test_a_perfect_file_has_100_bleu(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(root, REFERENCE, corpus="toy.en-de")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["BLEU", "chrF", "TER"]
    assert lines[2].split() == [*"from outside, translations only".split(), "100.0", "100.0", "0.0"]
    assert lines[3].startswith("BLEU: BLEU|#:1|c:mixed|e:no|tok:13a")


def test_recorded_systems_follow_in_the_order_of_the_tables(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score(root, REFERENCE, corpus="toy.en-de", scale="toy")
    lines = capsys.readouterr().out.splitlines()
    known = made_up.record(made_up.plan_of("unified").specs[ROW], 1, ())["scores"]["test"]
    assert lines[4].startswith("2+2 post-norm, 1 seed")
    assert lines[4].split()[-3] == f"{known['bleu']['value']:.1f}"
    assert lines[5].startswith("BLEU: ")


def test_another_reference_needs_no_corpus(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = root / "other.ja"
    other.write_text("犬が庭で寝る。\n", encoding="utf-8")
    score(root, ["犬が庭で寝る。"], reference=other, language="ja")
    assert "tok:char" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["zh", "zho", "zh-CN", "zh_TW", "zho_Hans", "Chinese", "Chinese (Simplified)", "yue"]
)
def test_a_language_is_known_as_people_name_it(
    root: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    other = root / "other.zh"
    other.write_text("\u732b\u5728\u9662\u5b50\u91cc\u7761\u89c9\n", encoding="utf-8")
    score(root, ["\u72d7\u5728\u9662\u5b50\u91cc\u7761\u89c9"], reference=other, language=name)
    assert "tok:zh" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["jp", "no such language"])
def test_what_names_no_language_is_refused(root: Path, name: str) -> None:
    with pytest.raises(ValueError, match=f"--language {name}: names no language"):
        score(root, REFERENCE, reference=root / "mine.txt", language=name)


@pytest.mark.parametrize("line", OTHER_FORMS)
def test_other_forms_than_text_are_not_scored(root: Path, line: str) -> None:
    with pytest.raises(ValueError, match=rf"mine\.txt: is {OTHER_FORMS[line]}.*, not text"):
        score(root, [*map(line.format, REFERENCE), "</doc>"], corpus="toy.en-de")


def test_entities_are_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(root, ["Der Hund schl&auml;ft &amp; tr&#xe4;umt.", REFERENCE[1]], corpus="toy.en-de")
    assert "mine.txt: 1 lines have entities" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "flags", "message"),
    [
        (REFERENCE, {}, "give --corpus, or both --reference and --language"),
        (REFERENCE, {"corpus": "toy.en-fr"}, "unknown corpus 'toy.en-fr'"),
        (
            REFERENCE,
            {"corpus": "toy.en-de", "split": "dev"},
            r"unknown split 'dev' \(allowed: test",
        ),
        (REFERENCE, {"corpus": "multi30k.en-de"}, "build the text: ./deepmt run --cores 1"),
        (REFERENCE[:1], {"corpus": "toy.en-de"}, "has 1 lines"),
        (["Der Hu@@ nd", ""], {"corpus": "toy.en-de"}, "mine.txt, line 1: is cut into subwords"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    root: Path, lines: list[str], flags: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        score(root, lines, **flags)


@pytest.mark.parametrize("module", [gzip, bz2, lzma])
def test_a_compressed_file_is_called_so(root: Path, module: ModuleType) -> None:
    packed = put(root, REFERENCE)
    packed.write_bytes(module.compress(packed.read_bytes()))
    with pytest.raises(ValueError, match=r"mine\.txt: is compressed"):
        score_file.main(hypotheses=packed, corpus="toy.en-de", root=root)


def test_scale_needs_a_corpus(root: Path) -> None:
    with pytest.raises(ValueError, match="--scale has systems of a --corpus"):
        score(root, REFERENCE, reference=root / "mine.txt", language="de", scale="toy")


LONG = [f"Satz {i} hat {i * i} Wörter und endet hier" for i in range(12)]
THEIRS = [line.replace("Wörter und", "Worte") if i % 3 else line for i, line in enumerate(LONG)]
MINE = [line.replace("endet", "ist") if i % 4 else line for i, line in enumerate(LONG)]


def keep(root: Path, *rows: str, bleu: float = 0.0) -> None:
    """Records of rows, the best one first; of seed 2 alone, the translation is kept."""
    raw = root / "data/raw/toy.en-de"
    put(root, LONG).rename(raw / "test.de")
    RawCorpus(raw).describe({"test": len(LONG)}, ("de",))
    metrics = {"bleu": BLEU(), "chrf": CHRF()}
    values = {key: one.corpus_score(THEIRS, [LONG]).score for key, one in metrics.items()}
    text = "".join(f"{line}\n" for line in THEIRS)
    digest = hashlib.sha256(text.encode()).hexdigest()
    lines = []
    for below, row in enumerate(rows):
        spec = made_up.plan_of("unified").specs[row]
        for seed, kept in ((1, {}), (2, {"test": digest})):
            record = made_up.record(spec, seed, ()) | {"hypotheses": kept}
            for key, value in values.items():
                lower = 0 if kept else 3 * below
                record["scores"]["test"][key]["value"] = value + bleu * (key == "bleu") - lower
            lines.append(invented.line(record))
        write_hypotheses({"test": THEIRS}, spec.run, 2, root / "records")
    (root / "records/toy.jsonl").write_text("".join(lines))


def test_the_difference_from_a_recorded_system_has_its_interval_over_sentences(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(root, ROW)
    score(root, MINE, corpus="toy.en-de", scale="toy")
    lines = capsys.readouterr().out.splitlines()[-6:]
    assert lines[0].startswith(f"difference from {ROW}, seed 2 (")
    assert lines[-1].endswith("are over sentences of test: other seeds are left out")
    for shown, metric, line in (("BLEU", BLEU(), lines[1]), ("chrF", CHRF(), lines[3])):
        named = [("theirs", THEIRS), ("mine", MINE)]
        theirs, mine = PairedTest(named, {shown: metric}, [LONG], "bs", 1000)()[1].popitem()[1]
        draw = np.random.default_rng(12345)
        found = []
        for sample in draw.choice(12, size=(1000, 12)):
            a, b = (
                metric.corpus_score([text[i] for i in sample], [[LONG[i] for i in sample]]).score
                for text in (MINE, THEIRS)
            )
            found.append(a - b)
        low, high = np.percentile(found, [2.5, 97.5])
        assert line == (
            f"{shown} {mine.score - theirs.score:+.1f} ({low:+.1f} to {high:+.1f}),"
            f" p {mine.p_value:.3f}"
        )
    assert lines[2].startswith("  BLEU|#:1|bs:1000|rs:12345|c:mixed")


@pytest.mark.parametrize(
    ("against", "tested"), [("", "deep-pre"), ("shallow-post", "shallow-post")]
)
def test_the_row_of_best_bleu_is_tested_or_a_named_one(
    root: Path, capsys: pytest.CaptureFixture[str], against: str, tested: str
) -> None:
    keep(root, "unified.t1.deep-pre", ROW)
    score(root, MINE, corpus="toy.en-de", scale="toy", against=against and f"unified.t1.{against}")
    assert f"difference from unified.t1.{tested}, seed 2" in capsys.readouterr().out


def test_without_recorded_translations_no_difference_is_tested(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score(root, REFERENCE, corpus="toy.en-de", scale="toy")
    [*_, last] = capsys.readouterr().out.splitlines()
    assert last == "no difference is tested: no system of toy has its translations recorded"
    with pytest.raises(ValueError, match=f"{ROW}: no row with recorded translations, as are: none"):
        score(root, REFERENCE, corpus="toy.en-de", scale="toy", against=ROW)


def test_against_needs_a_scale(root: Path) -> None:
    with pytest.raises(ValueError, match="--against names a row of a --scale"):
        score(root, REFERENCE, corpus="toy.en-de", against=ROW)


def test_a_reference_that_has_changed_since_is_refused(root: Path) -> None:
    keep(root, ROW, bleu=1.0)
    with pytest.raises(ValueError, match=r"test\.de: gives .* BLEU where .*toy\.jsonl:2 has"):
        score(root, MINE, corpus="toy.en-de", scale="toy")


def test_a_seed_trained_here_is_compared_by_its_own_file(root: Path) -> None:
    keep(root, ROW)
    archive = root / "records/toy.jsonl"
    record = json.loads(archive.read_text().splitlines()[1])
    seed = root / "results/toy/runs" / record["run"] / "seed2"
    seed.mkdir(parents=True)
    (seed / "record.json").write_text(json.dumps(record))
    archive.write_text("")
    path_of(root / "records", record["run"], 2).unlink()
    with pytest.raises(ValueError, match=r"seed2/hyp\.test\.txt cannot be read"):
        score(root, MINE, corpus="toy.en-de", scale="toy")
    (seed / "hyp.test.txt").write_text("".join(f"{line}\n" for line in THEIRS))
    score(root, MINE, corpus="toy.en-de", scale="toy")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([line.lower() for line in REFERENCE], "has no capital letter"),
        ([line.replace(".", " .") for line in REFERENCE], "looks tokenised"),
        (REFERENCE, ""),
    ],
)
def test_a_file_in_another_form_than_the_reference_is_warned_of(
    root: Path, capsys: pytest.CaptureFixture[str], lines: list[str], said: str
) -> None:
    score(root, lines, corpus="toy.en-de")
    told = capsys.readouterr().out
    assert said in told if said else "warning" not in told


def test_scores_and_translations_are_kept_for_the_page(root: Path) -> None:
    score(root, REFERENCE, corpus="toy.en-de", enter="them", output=root / "scores.json")
    written = json.loads((root / "scores.json").read_text())["scores"]
    [kept] = entered(root / "records", {"toy.en-de"})
    assert kept.scores["bleu"].value == written["bleu"]["value"] == pytest.approx(100)
    assert list(kept.translations) == REFERENCE
    assert not list(entered(root / "records", {"another"}))
    assert recorded_ranking(root, "toy").outside == [kept]
    with pytest.raises(ValueError, match=r"them\.toy\.en-de\.test\.json is there already"):
        score(root, REFERENCE, corpus="toy.en-de", enter="them")
    reference = root / "data/raw/toy.en-de/test.de"
    with pytest.raises(ValueError, match="--enter keeps translations of a --corpus"):
        score(root, REFERENCE, reference=reference, language="de", enter="them")
