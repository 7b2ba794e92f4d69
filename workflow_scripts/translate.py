"""Translate one split with the averaged weights of a run's seed."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import torch

from deepmt.cli import run
from deepmt.data.data_settings import folder_of
from deepmt.data.encoded import EncodedPair
from deepmt.decode.beam import Hypothesis
from deepmt.decode.sampler import Sampler
from deepmt.decode.teacher_forcing import log_probabilities
from deepmt.decode.translate import (
    Search,
    TranslationArgs,
    TranslationJob,
    load_model,
    plain_model,
)
from deepmt.files import sha256, write_hashed_json, write_text
from deepmt.results.log_probabilities import LogProbabilities, file_of
from deepmt.train.evaluate import to_perplexity
from deepmt.train.gpus import acquire_gpus
from deepmt.train.history import hardware

ENGINES = ("ours", "ctranslate2")
"""What can search; `ours` does with every model."""
MEASURED = {"test": ("dev", "test")}
"""Splits whose perplexity is measured with a translation, if it is not its own alone."""


def main(
    args: TranslationArgs,
    *,
    split: str,
    tokenised: Path,
    workers: Annotated[int, "processes with a copy of the model each; 1 on a GPU"] = 1,
    engine: Annotated[str, "ours, or ctranslate2 where it computes the same"] = "ours",
    n_best: Annotated[Path | None, "all hypotheses: number ||| tokens ||| score"] = None,
) -> None:
    """Write tokenised and detokenised hypotheses, and a report on decoding.

    Decode by the spec's beam search, undo subwords, detokenise. logprobs.<split>.csv beside the
    report gets the log probability of every reference.
    """
    acquire_gpus(args.gpus)
    job = TranslationJob(args)
    processes = 1 if args.gpus else workers
    measured = MEASURED.get(split, (split,))
    pairs = {
        name: EncodedPair(folder_of(args.dataset, name) / "ids", name, *job.spec.data.languages)
        for name in {split, *measured}
    }
    model, max_length = load_model(*job.model_file, "float32"), job.spec.training.max_length
    logs = {name: log_probabilities(model, pairs[name], max_length) for name in measured}
    source, sampler = pairs[split].source, Sampler(args.seed, args.top_k)
    if engine not in ENGINES:
        raise ValueError(f"engine={engine} is not one of {', '.join(ENGINES)}")
    own = "ours", job.search(sampler, processes)
    name, search = own if engine == "ours" else by_ctranslate2(job, processes)
    unfinished = job.open_partial(split=split, engine=name)
    hypotheses, seconds = job.translate(source, unfinished, search, name=job.spec.run)
    write_hypotheses(job, hypotheses, args.output, tokenised, n_best)
    references = args.report.with_name(file_of(split))
    write_text(references, "".join(f"{line}\n" for line in LogProbabilities(*logs[split]).lines))
    write_hashed_json(
        args.report,
        {
            "split": split,
            "engine": name,
            "sentences": len(source),
            "cut": int((source.lengths > max_length).sum()),
            "seconds": round(seconds, 3),
            "resumed_sentences": unfinished.resumed,
            "perplexities": {
                name: to_perplexity(-sums.sum() / tokens.sum())
                for name, (sums, tokens) in logs.items()
            },
            "reference_tokens": {name: int(tokens.sum()) for name, (_, tokens) in logs.items()},
            "beam": job.decoding.beam,
            "alpha": job.decoding.alpha,
            "length_penalty": job.decoding.length_penalty,
            "precision": args.precision,
            "batch_size": job.batch_size,
            "workers": processes,
            "hardware": hardware(torch.device(job.device)),
            "code": job.code,
            "sha256": {path.name: sha256(path) for path in (tokenised, args.output, references)},
        },
    )
    unfinished.remove()


def by_ctranslate2(job: TranslationJob, workers: int) -> tuple[str, Search]:
    """Return name and search of CTranslate2, which need not be installed.

    Raises:
        ImportError, ValueError: it is not, or these flags ask for what it does not do exactly.
    """
    if job.args.sample or job.args.precision != "float32" or job.device != "cpu":
        raise ValueError("engine=ctranslate2 searches in float32 on a CPU: use engine=ours")
    try:
        module = import_module("deepmt.export.engine")
    except ImportError as error:
        raise ImportError(f"engine=ctranslate2: {error}; install it or use engine=ours") from error
    model = plain_model(*job.model_file)
    return module.NAME, module.search_by_ctranslate2(model, job.spec, job.vocabularies, workers)


def write_hypotheses(
    job: TranslationJob,
    found: list[list[Hypothesis]],
    output: Path,
    tokenised: Path,
    n_best: Path | None,
) -> None:
    """Write the best hypotheses, tokenised and as text, and all of them if requested."""
    best = [job.tokens(each[0].tokens) if each else "" for each in found]
    write_text(tokenised, "".join(f"{line}\n" for line in best))
    write_text(output, "".join(f"{job.detokenise(line)}\n" for line in best))
    if n_best is not None:
        lines = [
            f"{number} ||| {job.tokens(hypothesis.tokens)} ||| {hypothesis.score:.6f}\n"
            for number, each in enumerate(found)
            for hypothesis in each
        ]
        write_text(n_best, "".join(lines))


if __name__ == "__main__":
    run(main)
