"""CTranslate2, with the converted weights of the HuggingFace model: one worker."""

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import ctranslate2
import numpy as np
from numpy.typing import NDArray

from bench.protocol import System, Task, each, serve
from bench.sentences import BEAM, SENTENCES, STEPS, Sentences
from bench.workload import EOS, PAD, Batch, Ids, Size, draw

TOLERANCE = 1e-4
"""Largest difference of two engines' log probabilities of a token, both in float32."""

Scores = NDArray[np.float64]


def convert(size: Size, folder: str) -> tuple[int, Scores]:
    """Write HuggingFace's model; return its parameters and what it thinks of `probe`'s targets."""
    # Only the process that converts needs them: the other one's memory is measured.
    import torch
    from ctranslate2.converters.transformers import BartLoader

    from bench.decoders import huggingface
    from bench.workers.on_torch import Tensors, num_parameters

    model = huggingface.model_of(size)
    pairs = Tensors.of(probe(size), "cpu")
    source, target, shifted = pairs.source, pairs.target, pairs.decoder_input
    with torch.inference_mode():
        logits = model(source, attention_mask=source != PAD, decoder_input_ids=shifted).logits
    scores = logits.log_softmax(-1).gather(2, target[:, :, None])
    # What the loader for Marian does, which also takes the last type for padding, not the first.
    model.config.normalize_before = model.config.normalize_embedding = False
    converted = BartLoader().get_model_spec(model)
    converted.register_source_vocabulary(size.words)
    converted.register_target_vocabulary(size.words)
    converted.validate()
    converted.optimize()
    converted.save(folder)
    return num_parameters(model), scores[target != PAD][:, 0].double().numpy()


def probe(size: Size) -> Batch:
    """Pairs that both engines score."""
    return draw(size, 1).batches[0]


def texts(words: Sequence[str], rows: Ids, *without: int) -> list[list[str]]:
    """Rows as words, but for some."""
    return [[words[i] for i in row if i not in without] for row in rows]


def scores(translator: ctranslate2.Translator, size: Size, pairs: Batch) -> Scores:
    """Its log probabilities of all target tokens, row by row; it adds the end symbols itself."""
    target = texts(size.words, pairs.target, PAD, EOS)
    found = translator.score_batch(texts(size.words, pairs.source, PAD), target)
    return np.concatenate([result.log_probs for result in found])


def insist_on_same_model(folder: str, size: Size, task: Task, expected: Scores) -> None:
    """Compare the engines in float32.

    Raises:
        ValueError: they differ in what they think of a token.
    """
    exact = ctranslate2.Translator(folder, device=task.device, compute_type="float32")
    difference = np.abs(scores(exact, size, probe(size)) - expected).max()
    if not difference < TOLERANCE:
        raise ValueError(f"log probabilities are up to {difference} from those of HuggingFace")


def search_of(
    translator: ctranslate2.Translator, size: Size, rows: int
) -> Callable[[Sentences], list[list[int]]]:
    """Its beam search with batches of so many rows."""
    words = size.words
    ids = {word: i for i, word in enumerate(words)}

    def search(sentences: Sentences) -> list[list[int]]:
        found = translator.translate_batch(
            texts(words, sentences.source, PAD),
            beam_size=BEAM,
            min_decoding_length=STEPS,
            max_decoding_length=STEPS,
            max_batch_size=rows,
        )
        return [[ids[word] for word in result.hypotheses[0]] for result in found]

    return search


def build(size: Size, task: Task, workers: int = 1) -> System:
    """ctranslate2.Translator with the task's threads divided among so many workers."""
    with tempfile.TemporaryDirectory() as folder:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            parameters, expected = pool.submit(convert, size, folder).result()
        insist_on_same_model(folder, size, task, expected)
        translator = ctranslate2.Translator(
            folder,
            device=task.device,
            compute_type=task.precision,
            inter_threads=workers,
            intra_threads=task.threads // workers,
        )
    return System(
        name="CTranslate2" + (f", {workers} workers" if workers > 1 else ""),
        version=ctranslate2.__version__,
        parameters=parameters,
        run=each(search_of(translator, size, rows=-(-SENTENCES // workers))),
    )


if __name__ == "__main__":
    serve(build, Sentences)
