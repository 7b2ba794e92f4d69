"""Prepare a user's own text: clean and split it, and choose models that fit the hours."""

import os
import random
import shutil
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import yaml

from deepmt.cli import run
from deepmt.config import own_text
from deepmt.config.corpora import load_corpora
from deepmt.config.hardware import load_hardware, parse
from deepmt.config.own_text import TextRequest
from deepmt.config.papers import load
from deepmt.config.settings import (
    OWN_PAPER,
    load_scale,
    resolve,
    rows_of,
)
from deepmt.config.spec import Data
from deepmt.data import text_folder
from deepmt.data.lines import read_lines, write_lines
from deepmt.data.subword import learn, load_segmenter
from deepmt.estimate.corpus_sizes import PADDING, known_sizes
from deepmt.estimate.cost import Cost
from deepmt.estimate.hours import Chosen, ModelSize, SharedMachine, choose
from deepmt.files import write_text

PIECES = {20_000: 2000, 100_000: 4000, 1_000_000: 8000}
"""Subwords of a side by the training pairs below which they are taken; 16,000 beyond."""
MOST_PIECES = 16_000
ENOUGH = 1500
"""Updates below which the systems of scales/*.yaml do not differ by their methods."""
TOO_FEW = ": too few to tell methods apart; more hours will tell"
SAMPLE = 5000
"""Training pairs that are cut into subwords to learn their lengths."""
BATCH_OVER_LONGEST = 1.2
"""Mean length of a batch over that of a pair; counted: 1.12 (Multi30k) to 1.45 (IWSLT14)."""


def main(
    *,
    text: Annotated[Path, "a folder with train.en and train.de, for example, or one .tsv file"],
    direction: Annotated[str, "two languages, source first, e.g. en-de"],
    methods: Annotated[str, "deep systems to train, with commas between"] = "post,pre,admin,dlcl",
    hours: Annotated[float, "time that all runs together may take"] = 2.0,
    name: Annotated[str, "name of the results; default: that of the folder"] = "",
    hardware: Annotated[str, "a name of hardware.yaml and a count; auto = this machine"] = "auto",
    run: Annotated[bool, "train and render at once"] = True,
    root: Path = Path(),
) -> None:
    """Prepare your text: write its corpus, scale and table with all that was decided, and run it.

    If that is done, check that the same is requested.
    """
    unified = root / "papers" / f"{OWN_PAPER}.yaml"
    asked = own_text.request(
        str(text), direction, [word.strip() for word in methods.split(",")], hours, name, unified
    )
    machines = load_hardware(root / "hardware.yaml")
    processor, count = parse(hardware, machines, 0)
    prepare(asked, root, SharedMachine(hardware=processor, count=count))
    cores = "all" if processor.cuda else str(count)
    command = ["snakemake", "--cores", cores, "--config", f"scale={asked.scale}"]
    print(" ".join(command), flush=True)
    if run:
        os.execv(sys.executable, [sys.executable, "-m", *command])


def prepare(asked: TextRequest, root: Path, machine: SharedMachine) -> None:
    """Clean the text, decide on models and updates, and write everything, unless that is done."""
    files = text_folder.find(asked.text, asked.languages)
    summary = asked.summary | {"files": text_folder.sums(files)}
    decided = root / "texts" / asked.scale / "decided.yaml"
    if decided.exists():
        check_unchanged(decided, summary, asked.scale)
        return
    archive = root / "data/archives" / f"{asked.scale}.tar.gz"
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        text = text_folder.clean_text(files, asked.languages, Path(folder))
        found = text_folder.pack(Path(folder), archive)
        pieces = pieces_for(text)
        size = count_subwords(asked, Path(folder), pieces, text.pairs["train"])
    decided.parent.mkdir(parents=True, exist_ok=True)
    write_yaml(decided.with_name("corpora.yaml"), own_text.corpora_of(asked, text.pairs, found))
    write_yaml(decided.with_name("sizes.yaml"), {asked.corpus: size})
    known_sizes.cache_clear()
    paper = root / "papers" / f"{asked.scale}.yaml"
    write_yaml(paper, own_text.paper_of(asked, root / "papers" / f"{OWN_PAPER}.yaml"))
    runs = len(asked.methods) + 1
    costs = partial(costs_of, asked, root, machine, pieces)
    try:
        chosen = choose(costs, asked.hours, machine, known_sizes()[asked.corpus], text.pairs)
    except ValueError:
        shutil.rmtree(decided.parent)
        for file in (paper, archive):
            file.unlink()
        raise
    settings = chosen.settings(machine, runs)
    write_yaml(root / "scales" / f"{asked.scale}.yaml", own_text.scale_of(asked, pieces, settings))
    reasons = {
        "pairs": text.pairs,
        "cleaning": dict(text.cleaning),
        "pieces": f"{pieces} a side, for {text.pairs['train']} training pairs with up to"
        f" {text.alphabet} distinct characters a side",
        "machine": f"{machine.count} x {machine.hardware.title},"
        f" {settings['threads']} threads a run",
        "models": f"{chosen.size.width} wide, {chosen.size.deep} layers: the largest size for this"
        " text whose runs have time for enough updates",
        "updates": f"{chosen.updates}, {chosen.passes:.1f} passes through the text"
        + (TOO_FEW if chosen.updates < ENOUGH else ""),
        "estimate": f"{chosen.hours:.2f} hours for {runs} runs",
    }
    write_yaml(decided, summary | reasons)
    print(f"{decided}:")
    for key, reason in ({"pair": text.example} | reasons).items():
        print(f"  {key}: {reason}")


def check_unchanged(decided: Path, summary: dict[str, Any], scale: str) -> None:
    """Compare a request with the one that was decided on.

    Raises:
        ValueError: they differ; says in what, and what to do.
    """
    before = yaml.safe_load(decided.read_text())
    for key, value in summary.items():
        if before[key] != value:
            change = f"{key} were {before[key]} and are {value} now"
            raise ValueError(
                f"{decided}: {change if key != 'files' else 'the text has changed since'};"
                " sizes and updates are decided once: give NAME=... for other results, delete"
                f" {decided.parent} to decide again, or go on by"
                f" `snakemake --cores all --config scale={scale}`"
            )


def pieces_for(text: text_folder.CleanText) -> int:
    """Return the subwords of a side: by the pairs, and with room for every character."""
    by_pairs = (count for most, count in PIECES.items() if text.pairs["train"] < most)
    return max(next(by_pairs, MOST_PIECES), -(-text.alphabet * 5 // 4000) * 1000)


def count_subwords(asked: TextRequest, folder: Path, pieces: int, pairs: int) -> dict[str, Any]:
    """Return the mean lengths of a sample of the training text, as corpus_sizes.yaml has them."""
    data = Data(
        corpus=asked.corpus,
        source=asked.source,
        target=asked.target,
        tokenise="none",
        subword="sentencepiece",
        merges=pieces,
        joint=False,
    )
    drawn = set(random.Random(1).sample(range(pairs), min(SAMPLE, pairs)))
    lengths = []
    with tempfile.TemporaryDirectory() as codes:
        sampled = {}
        for language in asked.languages:
            lines = enumerate(read_lines(folder / f"train.{language}"))
            sampled[language] = Path(codes, f"train.{language}")
            write_lines(sampled[language], (line for n, line in lines if n in drawn))
        learn(data, sampled, Path(codes))
        for language, path in sampled.items():
            segmenter = load_segmenter(data, Path(codes), language)
            cut = [segmenter.segment(line).split(" ") for line in read_lines(path)]
            lengths.append([len(line) + 1 for line in cut])
    source, target = (sum(side) / len(side) for side in lengths)
    longest = sum(map(max, *lengths)) / len(lengths[0])
    return {
        "pairs": pairs,
        "types": [pieces, pieces],
        "joint_types": 2 * pieces,
        "source": source,
        "target": target,
        "longest": longest,
        "batch": BATCH_OVER_LONGEST * longest,
        "padding": PADDING,
        "basis": f"counted on {len(drawn)} pairs",
    }


def costs_of(
    asked: TextRequest, root: Path, machine: SharedMachine, pieces: int, size: ModelSize
) -> Sequence[Cost]:
    """Return the cost of every run with models of a size."""
    runs = len(asked.methods) + 1
    trial = Chosen(size=size, updates=1000, hours=0, passes=0).settings(machine, runs)
    corpora = load_corpora(root / "corpora.yaml")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{asked.scale}.yaml")
        write_yaml(path, own_text.scale_of(asked, pieces, trial))
        scale = load_scale(path, corpora)
    paper = load(root / "papers" / f"{asked.scale}.yaml")
    specs = [resolve(paper, str(row.system), scale, corpora) for row in rows_of(paper)]
    return [
        Cost(spec=spec, hardware=machine.hardware, threads=scale.threads)
        for spec in specs
        if not isinstance(spec, str)
    ]


def write_yaml(path: Path, value: Any) -> None:
    """Write settings in their order."""
    head = "# Written by own_text.py; see docs/your-text.md.\n"
    write_text(path, head + yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100))


if __name__ == "__main__":
    run(main)
