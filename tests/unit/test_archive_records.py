"""The archive in git holds one record of each run and seed."""

import errno
import json
import os
import threading
from pathlib import Path

import pytest
from invented import record

from commands.archive import main
from deepmt.base.errors import UserError
from deepmt.base.files import sha256, write_hashed_json
from deepmt.base.locks import locked
from deepmt.measured import record_archive as archive
from deepmt.measured.hypotheses import read_hypotheses
from deepmt.measured.seed_entry import SeedEntry
from deepmt.measured.seed_files import read_seeds

WRONG = {
    "no line": b"",
    "merge": b"<<<<<<< ours",
    "number": b"5",
    "part": b"{",
    "few keys": b'{"run": "a"}',
    "not UTF-8": b'{"run": "\xff", "seed": 1}',
    "brackets": b"[" * 100_000,
}
"""Lines that no archive may have."""
LOOK = json.dumps({"event": "dev", "update": 5, "ppl": 9.5})


def leaves(kind: type) -> list[type]:
    """The classes that no other is made of."""
    below = [leaf for each in kind.__subclasses__() for leaf in leaves(each)]
    return below or [kind]


def put(folder: Path, **changes: object) -> None:
    path = folder / "record.json"
    write_hashed_json(path, record("p.r1", **changes))
    main(records=(path,), output=folder / "records")


def lines(folder: Path, name: str = "toy.jsonl") -> list[dict[str, object]]:
    text = (folder / "records" / name).read_text()
    return [json.loads(line) for line in text.split("\n")[:-1]]


def test_a_newer_record_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    put(tmp_path, bleu=10.0)
    put(tmp_path, bleu=20.0)
    [line] = lines(tmp_path)
    assert line["scores"]["test"]["bleu"]["value"] == 20.0


def test_it_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path)
    check(tmp_path)
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("records: files taken in: 1")
    assert second.endswith("records: all is as it was put there")


def test_a_file_without_room_for_a_line_is_left_and_the_next_one_begun(
    tmp_path: Path, monkeypatch
) -> None:
    for seed in (1, 2, 3):
        put(tmp_path, seed=seed)
        one = (tmp_path / "records/toy.jsonl").stat().st_size
        monkeypatch.setattr(archive, "MAX_BYTES", 3 * one // 2)
    names = [path.name for path in archive.parts(tmp_path / "records", "toy")]
    assert names == ["toy.jsonl", "toy.2.jsonl", "toy.3.jsonl"]
    assert [line["seed"] for line in lines(tmp_path)] == [1]


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
def test_a_damaged_line_is_named_and_nothing_is_changed(tmp_path: Path, line: bytes) -> None:
    put(tmp_path)
    path = tmp_path / "records/toy.jsonl"
    path.write_bytes(path.read_bytes() + line + b"\n")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"toy\.jsonl:2: not a record; take it back"):
        put(tmp_path, seed=2)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scale": "../../x"}, r"scale: '../../x' is not the name"),
        ({"run": "a\x1b[31m"}, "is not post-2-2-d8-toy"),
        ({"spec_sha256": "0" * 64}, "spec_sha256 is not the hash"),
        ({"schema": "record/9"}, "schema"),
        ({"attempts": []}, "attempts"),
        ({"scores": {"test": {"bleu": {"value": 999.0, "signature": "s"}}}}, "is above 100"),
        ({"hypotheses": {"test": "0" * 64}}, "hyp.test.txt"),
        ({"scale": "tpy"}, "scale: unknown scale 'tpy'; did you mean 'toy'"),
        ({"train_loss": 2.501}, "record.json: train_loss: the same as seed 1's: one is a copy"),
        ({"parameters": 1}, "record.json: parameters is 1, and 312345 in"),
    ],
)
def test_what_cannot_be_is_not_archived(tmp_path: Path, changes, said: str) -> None:
    put(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.glob("records/**/*.json*")}
    with pytest.raises(ValueError, match=said):
        put(tmp_path, **({"seed": 2} | changes))
    after = {path: path.read_bytes() for path in tmp_path.glob("records/**/*.json*")}
    assert before == after


def test_a_line_that_a_report_refuses_contradicts_no_record(tmp_path: Path) -> None:
    put(tmp_path)
    path = tmp_path / "records/toy.jsonl"
    path.write_text(path.read_text().replace('"parameters":312345', '"parameters":1'))
    put(tmp_path, seed=2)
    assert {line["seed"]: line["parameters"] for line in lines(tmp_path)} == {1: 1, 2: 312345}


def test_no_record_is_archived_if_the_last_one_cannot_be(tmp_path: Path) -> None:
    paths = [tmp_path / f"{seed}/record.json" for seed in (1, 2)]
    for path, lost in zip(paths, ({}, {"test": "0" * 64}), strict=True):
        path.parent.mkdir()
        write_hashed_json(path, record("p.r1", int(path.parent.name), hypotheses=lost))
    with pytest.raises(UserError, match=r"2/hyp\.test\.txt cannot be read"):
        main(records=tuple(paths), output=tmp_path / "records")
    assert not (tmp_path / "records").exists()


def test_a_file_that_is_no_record_is_not_to_be_deleted(tmp_path: Path) -> None:
    other = tmp_path / "config.yaml"
    other.write_text("scale: toy\n")
    with pytest.raises(ValueError, match="is no record") as refused:
        main(records=(other,), output=tmp_path / "records")
    assert "delete" not in str(refused.value)


def test_curves_that_a_report_would_refuse_are_not_archived(tmp_path: Path) -> None:
    look = {"event": "dev", "update": 101, "ppl": 9.5}
    (tmp_path / "log.jsonl").write_text(json.dumps(look) + "\n")
    with pytest.raises(UserError, match=r"log\.jsonl: dev\.update must rise"):
        put(tmp_path)


def test_two_that_write_wait_for_each_other(tmp_path: Path) -> None:
    put(tmp_path)
    with locked(tmp_path / "records/.lock"):
        other = threading.Thread(target=put, args=(tmp_path,), kwargs={"bleu": 20.0})
        other.start()
        other.join(0.5)
        assert other.is_alive()
        assert lines(tmp_path)[0]["scores"]["test"]["bleu"]["value"] == 90.0
    other.join(30)
    assert lines(tmp_path)[0]["scores"]["test"]["bleu"]["value"] == 20.0


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK])
def test_without_locks_nothing_is_written(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", lacking)
    with pytest.raises(UserError, match=r"records: cannot lock it \(.*file system with locks"):
        put(tmp_path)
    assert archive.parts(tmp_path / "records", "toy") == []


def test_killed_before_it_writes_the_line_it_leaves_the_old_one_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the new record has no hypotheses, and the old one has."""
    (tmp_path / "hyp.test.txt").write_text("x\n")
    digest = {"test": sha256(tmp_path / "hyp.test.txt")}
    put(tmp_path, hypotheses=digest)
    [old] = lines(tmp_path)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("commands.archive.replace_line", killed)
    with pytest.raises(KeyboardInterrupt):
        put(tmp_path)
    assert lines(tmp_path) == [old]
    assert read_hypotheses(tmp_path / "records", old["run"], 1, digest) == {"test": ["x"]}


def test_a_new_line_is_there_before_an_old_one_goes(tmp_path: Path, monkeypatch) -> None:
    for seed in (1, 2):
        put(tmp_path, seed=seed)
        monkeypatch.setattr(archive, "MAX_BYTES", (tmp_path / "records/toy.jsonl").stat().st_size)
    put(tmp_path, seed=1, bleu=12.0)
    assert [line["seed"] for line in lines(tmp_path)] == [1]
    assert lines(tmp_path)[0]["scores"]["test"]["bleu"]["value"] == 12.0
    assert [line["seed"] for line in lines(tmp_path, "toy.2.jsonl")] == [2]


def test_what_the_log_beside_a_record_says_goes_with_it(tmp_path: Path) -> None:
    look = {"event": "dev", "update": 5, "ppl": 9.5}
    (tmp_path / "log.jsonl").write_text('{"event": "start"}\n' + json.dumps(look) + "\n")
    for seed in (1, 2):
        put(tmp_path, seed=seed)
    assert [line["seed"] for line in lines(tmp_path, "curves/toy.jsonl")] == [1, 2]
    assert lines(tmp_path, "curves/toy.jsonl")[0]["dev"] == {"update": [5], "ppl": [9.5]}


def test_a_record_without_a_log_takes_away_the_curves_of_the_run_before(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"event": "start"}\n')
    put(tmp_path)
    (tmp_path / "log.jsonl").unlink()
    put(tmp_path)
    assert lines(tmp_path, "curves/toy.jsonl") == []


KINDS = {
    kind: folder
    for kind in leaves(SeedEntry)
    for folder in [{"Record": "", "TrainingCurves": "curves"}[kind.__name__]]
}
"""Each kind of line, and its folder in the archive; a new kind fails here until it has one."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
class TestLines:
    """Every kind of line has one reader and one writer, which lose nothing."""

    def archive(self, folder: Path, kind: type[SeedEntry], *seeds: int) -> Path:
        """The file of a kind, after these seeds came."""
        (folder / "log.jsonl").write_text(LOOK + "\n")
        for seed in seeds:
            put(folder, seed=seed)
        return folder / "records" / KINDS[kind] / "toy.jsonl"

    def test_a_last_line_without_an_end_is_kept(
        self, tmp_path: Path, kind: type[SeedEntry]
    ) -> None:
        path = self.archive(tmp_path, kind, 1, 2)
        path.write_bytes(path.read_bytes()[:-1])
        self.archive(tmp_path, kind, 3)
        lines = path.read_text().splitlines()
        assert sorted(json.loads(line)["seed"] for line in lines) == [1, 2, 3]
        assert [one.seed for one in read_seeds(kind, (), path.parent, None, "toy")[0]] == [1, 2, 3]

    @pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
    def test_a_wrong_line_is_named_by_all_that_read_it(
        self, tmp_path: Path, kind: type[SeedEntry], line: bytes
    ) -> None:
        path = self.archive(tmp_path, kind, 1)
        path.write_bytes(line + b"\n" + path.read_bytes())
        before = path.read_bytes()
        found, [refusal] = read_seeds(kind, (), path.parent, None, "toy")
        assert [one.seed for one in found] == [1]
        assert refusal.message.startswith(f"{path}:1: ")
        for call in (lambda: self.archive(tmp_path, kind, 2), lambda: check(tmp_path)):
            with pytest.raises(UserError, match=rf"{path}:1: "):
                call()
        assert path.read_bytes() == before

    def test_a_line_without_its_hash_is_named_and_not_signed(
        self, tmp_path: Path, kind: type[SeedEntry]
    ) -> None:
        path = self.archive(tmp_path, kind, 1)
        value = json.loads(path.read_text())
        del value["own_sha256"]
        path.write_text(json.dumps(value))
        with pytest.raises(UserError, match=rf"{path}:1: it holds no hash"):
            check(tmp_path)
        assert "own_sha256" not in path.read_text()

    def test_a_file_of_no_scale_is_named(self, tmp_path: Path, kind: type[SeedEntry]) -> None:
        path = self.archive(tmp_path, kind, 1)
        path.rename(path.with_name("toy (copy).jsonl"))
        with pytest.raises(UserError, match=r"toy \(copy\).*unknown scale"):
            check(tmp_path)


def check(folder: Path) -> None:
    main(output=folder / "records")


def test_lines_that_get_lost_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path)
    write = archive._write
    monkeypatch.setattr(archive, "_write", lambda path, lines: write(path, lines[1:]))
    with pytest.raises(UserError, match="records: 1 lines of toy were lost"):
        put(tmp_path, seed=2)


def test_a_measured_file_enters_with_its_hash_and_is_not_signed_later(tmp_path: Path) -> None:
    (tmp_path / "probes").mkdir()
    made = [tmp_path / "params.csv", tmp_path / "probes/table1.csv"]
    for path in made:
        path.write_text("a,b\n1,2\n")
    main(measured=tuple(made), output=tmp_path / "records")
    check(tmp_path)
    kept = tmp_path / "records/probes/table1.csv"
    assert archive.archived_file(tmp_path / "records", "probes/table1.csv") == kept
    kept.write_text("a,b\n1,3\n")
    (tmp_path / "records/mine.csv").write_text("a\n")
    listed = (tmp_path / "records/hashes.json").read_bytes()
    with pytest.raises(UserError, match=r"mine\.csv: does not have.*\n.*table1\.csv: does not"):
        check(tmp_path)
    with pytest.raises(UserError, match="lies in the archive: make it anew elsewhere"):
        main(measured=(kept,), output=tmp_path / "records")
    assert (tmp_path / "records/hashes.json").read_bytes() == listed


def test_what_is_no_table_takes_no_file_of_the_archive_away(tmp_path: Path) -> None:
    kept = tmp_path / "records/README.md"
    kept.parent.mkdir()
    kept.write_text("# Records\n")
    (tmp_path / "README.md").write_text("# Another\n")
    with pytest.raises(UserError, match=r"README\.md: is no \.csv file"):
        main(measured=(tmp_path / "README.md",), output=kept.parent)
    assert kept.read_text() == "# Records\n"
