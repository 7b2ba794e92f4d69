"""OpenNMT-py: its options, model, loss and Translator (it has pre-norm only)."""

from argparse import Namespace
from importlib.metadata import version
from typing import Any

import torch
from onmt.inputters.inputter import dict_to_vocabs
from onmt.model_builder import build_model
from onmt.models import NMTModel
from onmt.modules.position_ffn import PositionwiseFeedForward
from onmt.opts import train_opts
from onmt.translate import GNMTGlobalScorer
from onmt.translate.translator import Translator
from onmt.utils.loss import LossCompute
from onmt.utils.parse import ArgumentParser
from torch import Tensor

from bench.adapters.torch_system import (
    DROPOUT,
    LABEL_SMOOTHING,
    Tensors,
    insist_on,
    num_parameters,
    only,
    trained,
    translating,
)
from bench.protocol import System, Task, serve
from bench.sentences import BEAM, SEED, STEPS
from bench.workload import Size


def options(size: Size) -> list[str]:
    """The command line of its train program."""
    values = {
        "data": "{}",
        "src_vocab": "none",
        "tgt_vocab": "none",
        "encoder_type": "transformer",
        "decoder_type": "transformer",
        "enc_layers": size.encoder_layers,
        "dec_layers": size.decoder_layers,
        "hidden_size": size.d_model,
        "word_vec_size": size.d_model,
        "transformer_ff": size.feed_forward,
        "heads": size.heads,
        "dropout": DROPOUT,
        "attention_dropout": 0.0,
        "label_smoothing": LABEL_SMOOTHING,
        "self_attn_type": "scaled-dot-flash",
    }
    switches = ["position_encoding", "share_decoder_embeddings", "param_init_glorot"]
    switches += ["add_qkvbias", "add_ffnbias"]
    named = [word for key, value in values.items() for word in (f"--{key}", str(value))]
    return named + [f"--{switch}" for switch in switches]


def model_of(size: Size, task: Task) -> tuple[NMTModel, Namespace, dict[str, Any]]:
    """onmt's model, the options it was built with, its vocabularies."""
    parser = ArgumentParser()
    train_opts(parser)
    chosen = parser.parse_args(options(size))
    ArgumentParser.update_model_opts(chosen)
    ArgumentParser.validate_model_opts(chosen)
    if task.device == "cuda":
        chosen.gpu_ranks = [0]
    sides = {"src": size.words, "tgt": size.words}
    vocabularies = dict_to_vocabs(sides | {"data_task": "seq2seq"})
    return build_model(chosen, chosen, vocabularies, None, 0), chosen, vocabularies


def train(size: Size, task: Task) -> System:
    """Train onmt's NMTModel and LossCompute."""
    model, chosen, vocabularies = model_of(size, task)
    for module in model.modules():
        if isinstance(module, PositionwiseFeedForward):
            module.dropout_1.p = 0.0
    compute = LossCompute.from_opts(chosen, model, vocabularies["tgt"])

    def loss(batch: Tensors) -> Tensor:
        # Its targets carry the start symbol, and every id has a dimension for features.
        target = torch.cat([batch.decoder_input[:, :1], batch.target], dim=1)[:, :, None]
        output, attention = model(batch.source[:, :, None], target, batch.source_lengths)
        fields = {"tgt": target, "srclen": batch.source_lengths}
        total, _ = compute(fields, output, attention)
        return total / batch.target_lengths.sum()

    return trained(model, loss, task, name="OpenNMT-py", version=version("OpenNMT-py"))


def decode(size: Size, task: Task) -> System:
    """Translate by its Translator, a batch at a time."""
    only(task, "float32")
    torch.manual_seed(SEED)
    model, _, vocabularies = model_of(size, task)
    without_dropout(model.to(task.device))
    insist_on(model, task.precision)
    translator = Translator(
        model,
        vocabularies,
        gpu=0 if task.device == "cuda" else -1,
        beam_size=BEAM,
        min_length=STEPS,
        max_length=STEPS,
        max_length_ratio=0,
        dump_beam="",
        global_scorer=GNMTGlobalScorer(
            alpha=0.0, beta=0.0, length_penalty="none", coverage_penalty="none"
        ),
    )

    def search(source: Tensor, lengths: Tensor) -> list[list[int]]:
        batch = {"src": source[:, :, None], "srclen": lengths}
        found = translator.translate_batch(batch, attn_debug=False)
        return [best.tolist() for best, *_ in found["predictions"]]

    return translating(
        search,
        task,
        name="OpenNMT-py",
        version=version("OpenNMT-py"),
        parameters=num_parameters(model),
    )


def without_dropout(model: torch.nn.Module) -> None:
    """Switch dropout off as its loader does: one of its modules does not heed `eval`."""
    model.eval()
    for module in model.modules():
        if hasattr(module, "dropout_p"):
            module.dropout_p = 0.0


if __name__ == "__main__":
    serve(train=train, decode=decode)
