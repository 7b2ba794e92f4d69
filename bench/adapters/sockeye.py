"""Run Sockeye: its model and loss, traced as in its train program, and its Translator."""

from dataclasses import replace
from types import SimpleNamespace

import sockeye
import torch
from sockeye import constants
from sockeye.beam_search import CandidateScorer
from sockeye.data_io import DataConfig
from sockeye.encoder import EmbeddingConfig
from sockeye.inference import Translator, make_input_from_plain_string
from sockeye.loss import CrossEntropyLoss
from sockeye.model import ModelConfig, SockeyeModel, initialize_parameters
from sockeye.transformer import TransformerConfig
from torch import Tensor

from bench.adapters.torch_system import (
    DROPOUT,
    FORBIDDEN,
    LABEL_SMOOTHING,
    Tensors,
    autocast,
    insist_on,
    num_parameters,
    trained,
    translating,
)
from bench.worker import System, Task
from bench.workload import (
    BEAM,
    EOS,
    FIRST_WORD,
    LONGEST,
    PAD,
    SENTENCES,
    STEPS,
    Size,
    draw_training,
)

TOOLKIT = {"name": "Sockeye", "version": sockeye.__version__}


def stack(size: Size, layers: int) -> TransformerConfig:
    """Return a post-norm configuration: dropout, residual and norm after a sublayer."""
    return TransformerConfig(
        model_size=size.d_model,
        attention_heads=size.heads,
        feed_forward_num_hidden=size.feed_forward,
        act_type="relu",
        num_layers=layers,
        dropout_attention=0.0,
        dropout_act=0.0,
        dropout_prepost=DROPOUT,
        positional_embedding_type=constants.FIXED_POSITIONAL_EMBEDDING,
        preprocess_sequence="",
        postprocess_sequence="drn",
        max_seq_len_source=LONGEST + 1,
        max_seq_len_target=LONGEST + 1,
        depth_key_value=size.d_model,
    )


def config(size: Size) -> ModelConfig:
    """Return the configuration of a size; embedding dropout is applied once, in the stacks."""
    embedding = EmbeddingConfig(vocab_size=size.vocabulary, num_embed=size.d_model, dropout=0.0)
    return ModelConfig(
        config_data=DataConfig(
            data_statistics=None,  # of the training corpus; only needed for inference
            max_seq_len_source=LONGEST + 1,
            max_seq_len_target=LONGEST + 1,
            num_source_factors=1,
            num_target_factors=1,
        ),
        vocab_source_size=size.vocabulary,
        vocab_target_size=size.vocabulary,
        config_embed_source=embedding,
        config_embed_target=embedding,
        config_encoder=stack(size, size.encoder_layers),
        config_decoder=stack(size, size.decoder_layers),
        weight_tying_type=constants.WEIGHT_TYING_TRG_SOFTMAX,
    )


def model_inputs(batch: Tensors) -> tuple[Tensor, ...]:
    """Return the model's inputs; ids have a dimension for factors, lengths one for prefixes."""
    lengths = torch.stack([batch.source_lengths, torch.zeros_like(batch.source_lengths)], dim=1)
    target = batch.decoder_input[:, :, None]
    return batch.source[:, :, None], lengths, target, batch.target_lengths


def train(task: Task) -> System:
    """Train SockeyeModel with torch's smoothed loss, its fastest implementation."""
    model = SockeyeModel(config(task.size)).to(task.device).train()
    model.apply(initialize_parameters)
    insist_on(model, task.precision)  # before tracing, which runs the layers once
    smoothed = CrossEntropyLoss(label_smoothing=LABEL_SMOOTHING, label_smoothing_impl="torch")
    with autocast(task, cache_enabled=False):
        example = model_inputs(Tensors.of(draw_training(task.size, 1)[0], task.device))
        traced = torch.jit.trace(model, example, strict=False)

    def loss(batch: Tensors) -> Tensor:
        value, _ = smoothed(
            traced(*model_inputs(batch)), {constants.TARGET_LABEL_NAME: batch.target}
        )
        return value

    return trained(model, loss, task, **TOOLKIT)


def model_of(task: Task) -> SockeyeModel:
    """Prepare a model as its loader does; only the maximum length ends a hypothesis."""
    chosen = config(task.size)
    chosen.disable_dropout()
    # Statistics of a training corpus; the maximum length overrides them.
    chosen.config_data.data_statistics = SimpleNamespace(
        length_ratio_mean=1.0, length_ratio_std=0.0
    )
    model = SockeyeModel(chosen, inference_only=True)
    model.apply(initialize_parameters)
    with torch.no_grad():
        bias = model.output_layer.bias.zero_()  # scripted, so not initialised
        bias[[constants.EOS_ID, constants.PAD_ID]] = FORBIDDEN
    return model.to(task.device).eval()


def vocabulary(size: Size) -> dict[str, int]:
    """Return the ids of words, with Sockeye's own special symbols."""
    words = [*constants.VOCAB_SYMBOLS, *(f"w{i}" for i in range(FIRST_WORD, size.vocabulary))]
    return {word: i for i, word in enumerate(words)}


def decode(task: Task) -> System:
    """Translate by its Translator, which traces the decoder step but not the search."""
    task.only("float32", "bfloat16", "int8")
    model = model_of(task)
    parameters = num_parameters(model)
    model.cast(task.precision)
    words = vocabulary(task.size)
    ids = {word: i for i, word in enumerate(task.size.words)}
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

    def search(source: Tensor, lengths: Tensor) -> list[list[int]]:
        texts = [" ".join(f"w{i}" for i in row if i not in (PAD, EOS)) for row in source.tolist()]
        inputs = [make_input_from_plain_string(i, text) for i, text in enumerate(texts)]
        # Translator returns words without EOS; the maximum length ended all of them.
        return [[*(ids[w] for w in found.tokens), EOS] for found in translator.translate(inputs)]

    return replace(translating(model, search, task, **TOOLKIT), parameters=parameters)
