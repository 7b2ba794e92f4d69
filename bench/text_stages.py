"""Time the stages from text to token ids at the size of a paper's corpus: core seconds and memory.

Every stage runs in a process of its own, after the stage before it. With `--peers`, the command
lines of sacremoses and subword-nmt do the same work in one process.
"""

import gzip
import io
import multiprocessing
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any

from bench.grown_text import Pair, grown
from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.base.files import commit, hashes_of, read_json, write_json
from deepmt.data.cleaning import tokenise_split
from deepmt.data.encode_text import HASHED, TEXTS, words_by_split, write_encoded
from deepmt.data.lines import decode_lines, pair_lines, read_lines, write_splits
from deepmt.data.subword import count_in, learn, load_segmenter, segment_file
from deepmt.data.tokeniser import steps_for
from deepmt.data.vocabulary import Vocabulary, build_vocabularies
from deepmt.settings.spec import Data
from deepmt.settings.strict import Count, Few, Name

ROOT = Path(__file__).parents[1]
MB = 2**20
CPUINFO = Path("/proc/cpuinfo")


def main(
    *,
    source: Name = "en",
    target: Name = "de",
    sources: Annotated[tuple[Path, ...], "real text of the source, plain or .gz, to be repeated"],
    targets: Annotated[tuple[Path, ...], "its translations, file by file"],
    pairs: Annotated[tuple[Count, ...], "sizes to measure"] = (500_000, 4_500_000),
    processes: tuple[Few, ...] = (1, 2),
    merges: Count = 32_000,
    peers: Annotated[bool, "time sacremoses' and subword-nmt's command lines, too"] = False,
    folder: Annotated[Path, "for the text, which stays there"] = Path("results/bench/text"),
    output: Path = Path("results/bench/text.json"),
) -> None:
    """Measure every size, with every number of processes, and write each stage when it ends."""
    real = list(read_pairs(sources, targets))
    settings = Data(
        corpus="grown", source=source, target=target, merges=merges, shared_vocabulary=True
    )
    stages: list[dict[str, Any]] = []
    for size in pairs:
        place = folder / str(size)
        grow = partial(write_splits, named(grown(real, size)), ["train"], settings.languages)
        measured = [Stages(settings, place, size, each) for each in processes]
        parts: list[tuple[str, int, Callable[[], object], str]]
        parts = [("generate", 1, partial(grow, place / "raw"), "raw")]
        parts += [(name, s.processes, *work) for s in measured for name, work in s.ours.items()]
        if peers:
            parts += [(name, 1, *work) for name, work in measured[0].peers.items()]
        for stage, count, work, written in parts:
            found = {"pairs": size, "processes": count, "stage": stage, **used(work)}
            stages.append(found | {"disk_mb": round(size_of(place / written) / MB)})
            if written == "types.json":
                stages[-1]["types"] = read_json(place / written, "measure again", hashed=False)
            print(stages[-1], file=sys.stderr, flush=True)
            write_json(output, about() | {"real_pairs": len(real), "stages": stages})


def read_pairs(sources: Iterable[Path], targets: Iterable[Path]) -> Iterator[Pair]:
    """Yield the pairs of real text that have two sides."""
    for files in zip(sources, targets, strict=True):
        yield from (pair for pair in pair_lines(map(lines_of, files), files) if all(pair))


def lines_of(file: Path) -> Iterator[str]:
    """Return the lines of a file, which may be compressed."""
    content = file.read_bytes()
    text = gzip.decompress(content) if file.suffix == ".gz" else content
    return decode_lines(io.BytesIO(text), str(file))


def named(pairs: Iterable[Pair]) -> Iterator[tuple[str, Pair]]:
    """Yield each pair with the name of its split."""
    return (("train", pair) for pair in pairs)


Work = tuple[Callable[[], object], str]
"""A stage, and the folder or files that it writes."""


@dataclass(frozen=True)
class Stages:
    """Define the stages of one text, which lies in `raw/` of a folder."""

    settings: Data
    folder: Path
    pairs: int
    processes: int

    @property
    def ours(self) -> Mapping[str, Work]:
        """Return the stages of `jobs/encode.py`, in order."""
        return {
            "tokenise, clean": (self.tokenise, "tok"),
            "count words": (self.count_words, "types.json"),
            "learn BPE": (self.learn, "codes.joint"),
            "apply BPE": (self.apply, "bpe"),
            "count pieces": (self.count, f"vocab.{self.settings.source}"),
            "encode": (self.encode, "ids"),
            "describe": (self.describe, ""),
        }

    @property
    def peers(self) -> Mapping[str, Work]:
        """Return what others' command lines do in one process, on our tokens and codes."""
        programs = Path(sys.executable).parent
        moses, subwords = (
            shlex.quote(str(programs / name)) for name in ("sacremoses", "subword-nmt")
        )
        codes, languages = self.folder / "codes.joint", self.settings.languages
        tokens = " ".join(shlex.quote(str(path)) for path in self.files("tok"))
        return {
            "sacremoses": (
                shell(
                    f"{moses} -q -l {language} normalize tokenize -x"
                    f" < {self.file('raw', language)} > {self.file('peer-tok', language)}"
                    for language in languages
                ),
                "peer-tok",
            ),
            "subword-nmt learn-bpe": (
                shell(
                    [
                        f"cat {tokens} | {subwords} learn-bpe -s {self.settings.merges}"
                        f" > {self.folder}/peer.codes"
                    ]
                ),
                "peer.codes",
            ),
            "subword-nmt apply-bpe": (
                shell(
                    f"{subwords} apply-bpe -c {codes}"
                    f" < {self.file('tok', language)} > {self.file('peer-bpe', language)}"
                    for language in languages
                ),
                "peer-bpe",
            ),
        }

    def file(self, form: str, language: str) -> Path:
        """Return the file of one side in one form, in a folder that exists."""
        path = self.folder / form / f"train.{language}"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def files(self, form: str) -> list[Path]:
        """Return the files of both sides in one form."""
        return [self.file(form, language) for language in self.settings.languages]

    def by_language(self, form: str) -> dict[str, Path]:
        """Return the same by language."""
        return dict(zip(self.settings.languages, self.files(form), strict=True))

    def tokenise(self) -> None:
        """Tokenise both sides, and drop bad pairs."""
        raw, tokens = self.by_language("raw"), self.by_language("tok")
        steps = steps_for(self.settings, "train", ())
        tokenise_split(steps, raw, tokens, clean=True, processes=self.processes)

    def count_words(self) -> None:
        """Count words as `learn` does, and write how many types there are of each side."""
        counts = [count_in([path], self.processes) for path in self.files("tok")]
        types = dict(zip(self.settings.languages, map(len, counts), strict=True))
        write_json(self.folder / "types.json", types | {"joint": len(set().union(*counts))})

    def learn(self) -> None:
        """Count words, and learn merges."""
        learn(self.settings, self.by_language("tok"), self.folder, self.processes)

    def apply(self) -> None:
        """Cut words into pieces."""
        for language in self.settings.languages:
            segmenter = load_segmenter(self.settings, self.folder.joinpath, language)
            tokens, pieces = (self.file(form, language) for form in ("tok", "bpe"))
            segment_file(segmenter, tokens, pieces, self.processes)

    def count(self) -> None:
        """Count pieces, and write the vocabularies."""
        counts = {
            language: count_in([path], self.processes)
            for language, path in self.by_language("bpe").items()
        }
        for language, found in build_vocabularies(counts, min_count=1, shared=True).items():
            found.save(self.folder / f"vocab.{language}")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Return the joint vocabulary."""
        return Vocabulary.load(self.folder / f"vocab.{self.settings.source}")

    def encode(self) -> None:
        """Write the ids of pieces."""
        for path in self.files("bpe"):
            ids = self.folder / "ids"
            write_encoded(read_lines(path), self.vocabulary, ids, path.name, self.processes)

    def describe(self) -> None:
        """Count the words of all text, and hash all files, as for the manifest."""
        words_by_split(self.folder, self.settings, self.processes)
        hashes_of(self.folder, *HASHED, *TEXTS)


def shell(commands: Iterable[str]) -> Callable[[], object]:
    """Return what runs these commands of a shell, each after the one before."""
    return partial(subprocess.run, ["sh", "-c", " && ".join(commands)], check=True)


def used(work: Callable[[], object]) -> dict[str, float]:
    """Run a stage in a process; return its time, and the memory of its largest process."""
    began = time.perf_counter()
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    assert process.pid is not None
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise UserError(f"a stage ended with status {os.waitstatus_to_exitcode(status)}")
    return {
        "seconds": round(time.perf_counter() - began, 1),
        "core_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mb": round(usage.ru_maxrss / 1024),
    }


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files below a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def about() -> dict[str, Any]:
    """Describe code, machine and time."""
    lines = CPUINFO.read_text(encoding="utf-8").splitlines()
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return {
        "commit": commit(ROOT),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "hardware": {
            "name": next(iter(names), platform.machine()),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
    }


if __name__ == "__main__":
    run(main)
