"""Export to HuggingFace: post-norm as MarianMTModel, pre-norm as Blenderbot.

Only these two of its architectures add a position table to scaled embeddings, and nothing else.
Marian's classes compute positions by another formula, but load a table from the file. They do not
save that table again: fine-tune such a model in this project, not in HuggingFace.
"""

from pathlib import Path

import torch
import transformers
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import Tensor
from torch.nn.functional import pad

from deepmt.data.vocabulary import EOS, PAD, SPECIALS, UNK, Vocabulary
from deepmt.decode.beam import Hypothesis
from deepmt.settings.spec import Decoding, Spec
from wings.export.standard import StandardTransformer
from wings.export.token_batches import Sentences, ended, log_probabilities, padded

NEVER = -1e9
"""Logit of a token that only pads the vocabulary."""
NAMES = {
    "self.norm": "self_attn_layer_norm",
    "self.query": "self_attn.q_proj",
    "self.key": "self_attn.k_proj",
    "self.value": "self_attn.v_proj",
    "self.out": "self_attn.out_proj",
    "cross.norm": "encoder_attn_layer_norm",
    "cross.query": "encoder_attn.q_proj",
    "cross.key": "encoder_attn.k_proj",
    "cross.value": "encoder_attn.v_proj",
    "cross.out": "encoder_attn.out_proj",
    "ffn.norm": "final_layer_norm",
    "ffn.inner": "fc1",
    "ffn.outer": "fc2",
}
"""Our names of a layer's parts -> HuggingFace's."""


def save(
    model: StandardTransformer, spec: Spec, source: Vocabulary, target: Vocabulary, path: Path
) -> None:
    """Write a folder for from_pretrained, with a tokeniser of segmented text for each side."""
    weights = tables(model, spec) | layers(model)
    config = configuration(spec, weights)
    exported = transformers.AutoModelForSeq2SeqLM.from_config(config)
    exported.load_state_dict(weights)
    exported.generation_config = generation(spec.decoding, config.decoder_start_token_id)
    # Marian's classes would omit the position tables and compute their own when loading.
    exported._keys_to_ignore_on_save = set()
    exported.save_pretrained(path)
    for side, vocabulary in (("source", source), ("target", target)):
        tokeniser(vocabulary, spec.training.max_length + 1).save_pretrained(path / side)


def tables(model: StandardTransformer, spec: Spec) -> dict[str, Tensor]:
    """Return embeddings and output weights by HuggingFace's names.

    A decoder that starts from a zero vector reads an additional first token whose vector is zero.
    Blenderbot, and Marian with shared embeddings, have one vocabulary: the smaller one is padded.
    """
    source, target, output = model.source.table, model.target.table, model.output
    one_vocabulary = spec.method.norm.name == "pre" or (same(source, target, output.weight))
    rows = len(target) + (spec.model.start == "zero")
    if one_vocabulary:
        rows = max(rows, len(source))
        source = pad_rows(source, rows)
    bias = torch.zeros(len(target)) if output.bias is None else output.bias
    return {
        "model.encoder.embed_tokens.weight": source,
        "model.decoder.embed_tokens.weight": pad_rows(target, rows),
        "lm_head.weight": pad_rows(output.weight, rows),
        "final_logits_bias": pad(bias, (0, rows - len(bias)), value=NEVER)[None],
    } | ({"model.shared.weight": source} if one_vocabulary else {})


def pad_rows(table: Tensor, rows: int) -> Tensor:
    """Append zeros to a table: [V, D] -> [rows, D]."""
    return pad(table, (0, 0, 0, rows - len(table)))


def same(*tensors: Tensor) -> bool:
    """Check if all tensors are equal."""
    return all(torch.equal(tensors[0], tensor) for tensor in tensors[1:])


def layers(model: StandardTransformer) -> dict[str, Tensor]:
    """Return positions, layers and final norms by HuggingFace's names."""
    weights = {}
    for name, side in (("model.encoder", model.source), ("model.decoder", model.target)):
        weights[f"{name}.embed_positions.weight"] = side.positions
        parts = {
            f"layers.{i}.{NAMES[part]}": affine
            for i, layer in enumerate(side.layers)
            for part, affine in layer.items()
        }
        if side.final is not None:
            parts["layer_norm"] = side.final
        for part, affine in parts.items():
            weights[f"{name}.{part}.weight"] = affine.weight
            weights[f"{name}.{part}.bias"] = affine.bias
    return weights


def configuration(spec: Spec, weights: dict[str, Tensor]) -> transformers.PretrainedConfig:
    """Return the configuration: architecture, sizes, tied tables and dropout rates."""
    source, target, output = (
        weights[f"{name}.weight"]
        for name in ("model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head")
    )
    shared, tied = same(source, target, output), same(target, output)
    settings = {
        "vocab_size": len(source),
        "d_model": spec.encoder.d_model,
        "encoder_layers": spec.encoder.layers,
        "encoder_attention_heads": spec.encoder.heads,
        "encoder_ffn_dim": spec.encoder.feed_forward,
        "decoder_layers": spec.decoder.layers,
        "decoder_attention_heads": spec.decoder.heads,
        "decoder_ffn_dim": spec.decoder.feed_forward,
        "max_position_embeddings": len(weights["model.encoder.embed_positions.weight"]),
        "activation_function": "relu",
        "scale_embedding": True,
        "dropout": spec.training.dropout,
        "attention_dropout": spec.training.attention_dropout,
        "activation_dropout": spec.training.feed_forward_dropout,
        "pad_token_id": PAD,
        "bos_token_id": None,
        "eos_token_id": EOS,
        "forced_eos_token_id": None,
        "decoder_start_token_id": EOS if spec.model.start == "eos" else len(output) - 1,
    }
    if spec.method.norm.name == "pre":
        return transformers.BlenderbotConfig(
            **settings, tie_word_embeddings=shared, encoder_no_repeat_ngram_size=0
        )
    return transformers.MarianConfig(
        **settings,
        tie_word_embeddings=tied,
        share_encoder_decoder_embeddings=shared,
        decoder_vocab_size=len(target),
    )


def generation(decoding: Decoding, start: int) -> transformers.GenerationConfig:
    """Return a spec's search; "never" stops when no better hypothesis is possible.

    transformers 5.23.0 charges nothing for an end symbol that it forces at the limit.
    """
    stop = decoding.early_stopping or "never"
    return transformers.GenerationConfig(
        num_beams=decoding.beam,
        length_penalty=decoding.alpha,
        early_stopping=stop if decoding.beam > 1 else False,
        min_new_tokens=decoding.min_length,
        max_length=decoding.max_length + 1,
        suppress_tokens=[PAD, UNK],
        forced_eos_token_id=EOS,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=start,
    )


def tokeniser(vocabulary: Vocabulary, longest: int) -> transformers.PreTrainedTokenizerFast:
    """Return a tokeniser that splits segmented text at spaces and adds the end symbol.

    Text that spells a special token is unknown, as in `Vocabulary`.
    """
    ids = {token: i for i, token in enumerate(vocabulary.tokens)}
    words = Tokenizer(models.WordLevel(ids, unk_token=SPECIALS[UNK]))
    spelt = Regex(f"(?<=^| )({'|'.join(SPECIALS)})(?=$| )")
    words.normalizer = normalizers.Replace(spelt, SPECIALS[UNK])
    words.pre_tokenizer = pre_tokenizers.Split(" ", "removed")
    words.post_processor = processors.TemplateProcessing(
        single=f"$A {SPECIALS[EOS]}", special_tokens=[(SPECIALS[EOS], EOS)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token=SPECIALS[PAD],
        unk_token=SPECIALS[UNK],
        eos_token=SPECIALS[EOS],
        model_input_names=["input_ids", "attention_mask"],
        model_max_length=longest,
        split_special_tokens=True,
    )


class HuggingFaceModel:
    """Load an exported model with HuggingFace."""

    def __init__(self, path: Path, source: Vocabulary, target: Vocabulary) -> None:
        self.model = transformers.AutoModelForSeq2SeqLM.from_pretrained(path)

    @torch.inference_mode()
    def log_probabilities(self, source: Sentences, target: Sentences) -> list[float]:
        """Return log P(target | source) of each pair, end symbols included."""
        start = self.model.generation_config.decoder_start_token_id
        decoder_input, labels = padded([[start, *ids] for ids in target]), ended(target)
        logits = self.model(**encoder_inputs(source), decoder_input_ids=decoder_input).logits
        return log_probabilities(logits, labels)

    @torch.inference_mode()
    def translate(self, source: Sentences, decoding: Decoding) -> list[Hypothesis]:
        """Return the best hypothesis of each sentence."""
        config = generation(decoding, self.model.generation_config.decoder_start_token_id)
        config.update(return_dict_in_generate=True, output_scores=True)
        found = self.model.generate(**encoder_inputs(source), generation_config=config)
        tokens = [line[: line.index(EOS)] for line in found.sequences[:, 1:].tolist()]
        if decoding.beam > 1:
            scores = found.sequences_scores.tolist()
        else:  # greedy search returns no scores
            each = zip(self.log_probabilities(source, tokens), tokens, strict=True)
            scores = [log_p / (len(line) + 1) ** decoding.alpha for log_p, line in each]
        return [Hypothesis(line, score) for line, score in zip(tokens, scores, strict=True)]


def encoder_inputs(source: Sentences) -> dict[str, Tensor]:
    """Return the ids and attention mask that an encoder reads."""
    ids = ended(source)
    return {"input_ids": ids, "attention_mask": ids != PAD}


load = HuggingFaceModel
