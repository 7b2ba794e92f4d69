"""Learning and applying BPE beside subword-nmt itself: the same bytes, and how much sooner."""

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from deepmt.cli import parse
from deepmt.data.bpe import Bpe, codes_of
from deepmt.data.byte_pairs import learn_merges
from deepmt.data.subword import count_in, segment_file
from deepmt.files import write_json, write_text


@dataclass(frozen=True, kw_only=True)
class Args:
    """Time ours and theirs in turn on tokenised text files joined; a ratio is of one round."""

    text: tuple[Path, ...]
    merges: int = 32_000
    threads: int = 2
    rounds: int = 3
    learn: bool = True
    """Whether to time learning too: theirs takes minutes."""
    output: Path = Path("results/bench/subwords.json")


def main(args: Args) -> None:
    """Raises ValueError if what we write differs from what they write."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        text, codes, ours, theirs = (folder / part for part in ("text", "codes", "ours", "theirs"))
        write_text(text, "".join(path.read_text(encoding="utf-8") for path in args.text))
        write_text(codes, learned(text, args.merges))

        def apply(processes: int) -> None:
            segment_file(Bpe(codes.read_text(encoding="utf-8")), text, ours, processes)

        lines = []
        for processes in (1, args.threads):
            flags: list[object] = ["-c", codes]
            own, other = (
                partial(apply, processes),
                partial(program, "apply_bpe", flags, text, theirs),
            )
            lines.append(contest(f"apply, {processes} of our processes", own, other, args.rounds))
            same(ours, theirs)
        if args.learn:
            flags = ["-s", args.merges]
            other = partial(program, "learn_bpe", flags, text, theirs)
            lines.append(
                contest("learn", lambda: write_text(ours, learned(text, args.merges)), other, 1)
            )
            same(ours, theirs)
    write_json(args.output, {"lines": lines, "merges": args.merges})
    columns = ("what", "ours, s", "subword-nmt, s", "ratio")
    shown = Table(*columns, title="BPE beside subword-nmt's programs")
    for line in lines:
        shown.add_row(*(str(line[key]) for key in ("what", "ours", "theirs", "ratio")))
    Console(width=100).print(shown)


def learned(text: Path, merges: int) -> str:
    """Our list of merges."""
    return codes_of(learn_merges(count_in([text], 1), merges))


def program(name: str, flags: list[object], text: Path, output: Path) -> None:
    """subword-nmt's own, in one process."""
    command = [sys.executable, "-m", f"subword_nmt.{name}", *map(str, flags)]
    with text.open("rb") as source, output.open("wb") as target:
        subprocess.run(command, stdin=source, stdout=target, stderr=subprocess.DEVNULL, check=True)


def contest(
    what: str, ours: Callable[[], object], theirs: Callable[[], object], rounds: int
) -> dict[str, object]:
    """Medians of both and of the rounds' ratios."""
    times = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
    line = {
        "what": what,
        "ours": round(median(own for own, _ in times), 2),
        "theirs": round(median(other for _, other in times), 2),
        "ratio": round(median(other / own for own, other in times), 2),
    }
    print(line, file=sys.stderr, flush=True)
    return line


def seconds(work: Callable[[], object]) -> float:
    """Of one call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def same(ours: Path, theirs: Path) -> None:
    """Raises ValueError for files that differ in a byte."""
    if ours.read_bytes() != theirs.read_bytes():
        raise ValueError("ours is not, byte for byte, what subword-nmt wrote")


if __name__ == "__main__":
    main(parse(Args))
