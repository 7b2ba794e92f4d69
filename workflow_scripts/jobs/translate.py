"""Translate one split with the averaged weights of a run's seed."""

from pathlib import Path
from typing import Annotated

import torch

from deepmt.base.cli import run
from deepmt.base.files import sha256, write_text
from deepmt.decode.load_model import load_model
from deepmt.decode.teacher_forcing import log_probabilities
from deepmt.decode.translate import TranslationArgs, TranslationJob
from deepmt.measured.decoded import Decoded
from deepmt.measured.log_probabilities import LogProbabilities, file_of
from deepmt.settings.corpora import Split
from deepmt.settings.strict import Few, Seed
from deepmt.train.evaluate import to_perplexity
from deepmt.train.gpus import acquire_gpus
from deepmt.train.history import hardware

MEASURED = {"test": ("dev", "test")}
"""Splits whose perplexity is measured with a translation, if it is not its own alone."""


def main(
    args: TranslationArgs,
    *,
    seed: Seed,
    split: Split,
    tokenised: Path,
    workers: Annotated[Few, "processes with a copy of the model each; 1 on a GPU"] = 1,
) -> None:
    """Write tokenised and detokenised hypotheses, and a report on decoding.

    Decode by the spec's beam search, undo subwords, detokenise. logprobs.<split>.csv beside the
    report gets the log probability of every reference.
    """
    acquire_gpus(args.gpus)
    job = TranslationJob(args)
    processes = 1 if args.gpus else workers
    measured = MEASURED.get(split, (split,))
    pairs = {name: job.dataset.pair(name) for name in {split, *measured}}
    model, max_length = load_model(*job.model_file, "float32"), job.spec.training.max_length
    logs = {name: log_probabilities(model, pairs[name], max_length) for name in measured}
    del model  # The search loads its own, which may be of another precision.
    source, key = pairs[split].source, {"split": split}
    best, seconds, unfinished = job.translate(source, key, name=job.spec.run, workers=processes)
    lines = list(map(job.tokens, best))
    write_text(tokenised, "".join(f"{line}\n" for line in lines))
    write_text(args.output, "".join(f"{job.detokenise(line)}\n" for line in lines))
    references = args.report.with_name(file_of(split))
    write_text(references, "".join(f"{line}\n" for line in LogProbabilities(*logs[split]).lines))
    Decoded(
        run=job.spec.run,
        spec_sha256=job.spec.sha256,
        seed=seed,
        split=split,
        sentences=len(source),
        cut=int((source.lengths > max_length).sum()),
        seconds=seconds,
        resumed_sentences=unfinished.resumed,
        perplexities={
            name: to_perplexity(-sums.sum() / tokens.sum()) for name, (sums, tokens) in logs.items()
        },
        reference_tokens={name: int(tokens.sum()) for name, (_, tokens) in logs.items()},
        beam=job.decoding.beam,
        alpha=job.decoding.alpha,
        length_penalty=job.decoding.length_penalty,
        precision=args.precision,
        batch_size=job.batch_size,
        workers=processes,
        hardware=hardware(torch.device(job.device)),
        code=job.code,
        sha256={path.name: sha256(path) for path in (tokenised, args.output, references)},
    ).write(args.report)
    unfinished.remove()


if __name__ == "__main__":
    run(main)
