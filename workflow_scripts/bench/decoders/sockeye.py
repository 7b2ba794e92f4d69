"""Sockeye: its Translator, which traces all of a step but the search's own tensors."""

from types import SimpleNamespace

import sockeye
import torch
from sockeye import constants
from sockeye.beam_search import CandidateScorer
from sockeye.inference import Translator, make_input_from_plain_string
from sockeye.model import SockeyeModel, initialize_parameters

from bench.decoders.on_torch import only
from bench.protocol import System, Task, each, serve
from bench.sentences import BEAM, FORBIDDEN, SEED, SENTENCES, STEPS, Sentences
from bench.workers.on_torch import insist_on, num_parameters, peak_memory_mb
from bench.workers.sockeye import config
from bench.workload import EOS, FIRST_WORD, PAD, Size


def model_of(size: Size, task: Task) -> tuple[SockeyeModel, int]:
    """As its loader prepares one for inference, with an end that only the longest length forces."""
    chosen = config(size)
    chosen.disable_dropout()
    # What a training corpus tells; a longest length of its own overrides it.
    chosen.config_data.data_statistics = SimpleNamespace(
        length_ratio_mean=1.0, length_ratio_std=0.0
    )
    torch.manual_seed(SEED)
    model = SockeyeModel(chosen, inference_only=True)
    model.apply(initialize_parameters)
    with torch.no_grad():
        bias = model.output_layer.bias.zero_()  # being scripted, it was not initialised
        bias[[constants.EOS_ID, constants.PAD_ID]] = FORBIDDEN
    model.to(task.device).eval()
    parameters = num_parameters(model)
    model.cast(task.precision)
    return model, parameters


def vocabulary(size: Size) -> dict[str, int]:
    """Words to ids; its special symbols have ids of their own."""
    words = [*constants.VOCAB_SYMBOLS, *(f"w{i}" for i in range(FIRST_WORD, size.vocabulary))]
    return {word: i for i, word in enumerate(words)}


def build(size: Size, task: Task) -> System:
    """SockeyeModel."""
    only(task, "float32", "bfloat16", "int8")
    model, parameters = model_of(size, task)
    if task.precision != "int8":
        insist_on(model, task.precision)
    words = vocabulary(size)
    ids = {word: i for i, word in enumerate(size.words)}
    translator = Translator(
        device=torch.device(task.device),
        ensemble_mode="linear",
        scorer=CandidateScorer().to(model.dtype),
        batch_size=SENTENCES,
        beam_search_stop=constants.BEAM_SEARCH_STOP_ALL,
        models=[model],
        source_vocabs=[words],
        target_vocabs=[words],
        beam_size=BEAM,
        max_output_length=STEPS - constants.SPACE_FOR_XOS,
    )

    def step(sentences: Sentences) -> list[list[int]]:
        texts = [" ".join(f"w{i}" for i in row if i not in (PAD, EOS)) for row in sentences.source]
        inputs = [make_input_from_plain_string(i, text) for i, text in enumerate(texts)]
        # It tells the words alone; the longest length has ended them all.
        return [[*(ids[w] for w in found.tokens), EOS] for found in translator.translate(inputs)]

    return System(
        name="Sockeye",
        version=sockeye.__version__,
        parameters=parameters,
        run=each(step),
        peak_memory_mb=lambda: peak_memory_mb(task.device),
    )


if __name__ == "__main__":
    serve(build, Sentences)
