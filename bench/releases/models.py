"""Probe what the installed toolkits translate with one invented model."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.releases.text import TRIED, Lines

SUBWORDS = 200
"""Pieces of the model, special ones included."""


def translations(de: Sequence[str], folder: Path) -> Iterator[tuple[str, Lines]]:
    """Translate with one invented model in transformers and, converted, in CTranslate2."""
    import sentencepiece
    import torch
    from ctranslate2 import Translator
    from ctranslate2.converters import TransformersConverter
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    model, converted = folder / "model", folder / "ct2"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(de[:TRIED]),
        model_prefix=str(folder / "spm"),
        model_type="bpe",
        vocab_size=SUBWORDS,
        minloglevel=2,
    )
    loaded = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spm.model"))
    words = ["</s>", "<unk>", *map(loaded.id_to_piece, range(3, SUBWORDS)), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}))
    files = [str(folder / name) for name in ("spm.model", "spm.model", "vocab.json")]
    tokenizer = MarianTokenizer(*files, source_lang="de", target_lang="de")
    tokenizer.save_pretrained(model)
    config = MarianConfig(
        vocab_size=len(words),
        pad_token_id=len(words) - 1,
        decoder_start_token_id=len(words) - 1,
        eos_token_id=0,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=64,
    )
    marian = MarianMTModel(config).eval()
    with torch.no_grad():
        for weights in marian.parameters():
            weights.copy_(torch.sin(torch.arange(weights.numel()) * 1.7).view_as(weights))
    marian.save_pretrained(model)
    rows = [tokenizer(line).input_ids[:40] for line in de[:8]]
    yield "MarianTokenizer: ids", rows
    yield "MarianTokenizer: joined", [tokenizer.decode(row) for row in rows]
    for name, options in {"default": {}, "beam 4": {"num_beams": 4, "max_new_tokens": 30}}.items():
        made = [marian.generate(torch.tensor([row]), **options).tolist() for row in rows]
        yield f"transformers: {name}", made
    TransformersConverter(str(model)).convert(str(converted))
    pieces = [[words[i] for i in row] for row in rows]
    for beam in (1, 4):
        search = Translator(str(converted)).translate_batch
        found = search(pieces, beam_size=beam, max_decoding_length=30, return_scores=True)
        yield f"ctranslate2: beam {beam}", [r.hypotheses[0] for r in found]
        yield f"ctranslate2: scores of beam {beam}", [f"{r.scores[0]:.3f}" for r in found]
