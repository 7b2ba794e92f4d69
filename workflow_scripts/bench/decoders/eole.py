"""eole: its Translator, a batch at a time."""

from importlib.metadata import version

import torch
from eole.config.run import PredictConfig
from eole.models.model import get_model_class
from eole.predict.beam_search import GNMTGlobalScorer
from eole.predict.translator import Translator
from torch import Tensor

from bench.decoders.on_torch import only, translating
from bench.protocol import System, Task, serve
from bench.sentences import BEAM, SEED, STEPS, Sentences
from bench.workers.eole import config, model_of, vocabularies_of
from bench.workers.on_torch import insist_on, num_parameters
from bench.workload import Size


def build(size: Size, task: Task) -> System:
    """eole's encoder-decoder."""
    only(task, "float32")
    torch.manual_seed(SEED)
    chosen = config(size, task)
    vocabularies = vocabularies_of(size)
    # Its own constructor looks for a saved model.
    predicting = PredictConfig.model_construct(
        model=chosen.model,
        model_path=[],
        src="",
        beam_size=BEAM,
        min_length=STEPS,
        max_length=STEPS,
        max_length_ratio=0,
        compute_dtype=torch.float32,
    )
    model = get_model_class(chosen.model).build(chosen.model, vocabularies, predicting)
    model.load_state_dict(model_of(chosen, vocabularies).state_dict())
    model.to(task.device)._prepare_for_inference(predicting)
    insist_on(model, task.precision)
    translator = Translator(
        model,
        vocabularies,
        predicting,
        chosen.model,
        device_id=0 if task.device == "cuda" else -1,
        global_scorer=GNMTGlobalScorer(
            alpha=0.0, beta=0.0, length_penalty="none", coverage_penalty="none"
        ),
        report_score=False,
    )

    def search(source: Tensor, lengths: Tensor) -> list[list[int]]:
        found = translator.predict_batch({"src": source, "srclen": lengths}, attn_debug=False)
        return [best.tolist() for best, *_ in found["predictions"]]

    return translating(
        search, task, name="eole", version=version("eole"), parameters=num_parameters(model)
    )


if __name__ == "__main__":
    serve(build, Sentences)
