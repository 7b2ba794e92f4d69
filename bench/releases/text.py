"""Probe what subwords, tokens, scores and languages the installed releases find."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

LEARNT, TRIED, PIECES = 3000, 200, 400
"""Lines that subwords are learnt from, lines that they are tried on, number of subwords."""
SAMPLES = {
    "en": "Mr. Smith's \"U.S.\" plan (v2.0) costs $1,000.50 & isn't <b>new</b>: see a|b.",
    "de": "Die »Frau« sagte: „Das kostet 3,5 Mio. €“ – bzw. 10 % mehr.",
    "fr": "L'été, c'est « super » : 1 000 € aujourd'hui ! N'est-ce pas ?",
    "cs": "Narodil se v roce 1990 a zemřel 3. 5. roku 2020.",
    "fi": "EU:n jäsenet ostivat 20 %:n osuuden vuonna 1995.",
    "it": "L'amico dell'albero c'è, un po' d'acqua costa 5 €.",
    "ru": "«Москва» — столица России; 1-й день, т. е. понедельник.",
    "zh": "北京是中国的首都。他说：“2020年GDP增长3.5%。”",
    "ja": "東京は日本の首都です。ｶﾀｶﾅと、2020年。",
    "ko": "서울은 한국의 수도입니다. 2020년에 갔어요.",
    "short": "OK",
}

Lines = Iterable[object]


def learnt_subwords(de: Sequence[str], folder: Path) -> Iterator[tuple[str, Lines]]:
    """Learn subwords with three tools, and cut lines with them."""
    import sentencepiece
    from subword_nmt import apply_bpe, learn_bpe

    for kind in ("unigram", "bpe"):
        name = folder / kind
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(de[:LEARNT]),
            model_prefix=str(name),
            model_type=kind,
            vocab_size=PIECES,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        model = sentencepiece.SentencePieceProcessor(model_file=f"{name}.model")
        pieces = range(model.get_piece_size())
        yield f"sentencepiece {kind}: pieces", map(model.id_to_piece, pieces)
        yield f"sentencepiece {kind}: scores", (f"{model.get_score(i):.4f}" for i in pieces)
        yield f"sentencepiece {kind}: text", model.encode(list(de[:TRIED]), out_type=str)
        yield f"sentencepiece {kind}: other", model.encode(list(SAMPLES.values()), out_type=str)
    with (folder / "codes").open("w+", encoding="utf-8") as codes:
        learn_bpe.learn_bpe(de[:LEARNT], codes, PIECES)
        codes.seek(0)
        bpe = apply_bpe.BPE(codes)
    yield "subword-nmt: merges", (folder / "codes").read_text(encoding="utf-8").splitlines()
    yield "subword-nmt: text", map(bpe.process_line, [*de[:TRIED], *SAMPLES.values()])


def learnt_tokenizer(de: Sequence[str], folder: Path) -> Iterator[tuple[str, Lines]]:
    """Learn a byte-level BPE with tokenizers, cut lines and join them again."""
    from tokenizers import ByteLevelBPETokenizer

    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(de[:LEARNT], vocab_size=PIECES, show_progress=False)
    cut = [tokenizer.encode(line).ids for line in [*de[:TRIED], *SAMPLES.values()]]
    vocabulary = tokenizer.get_vocab()
    yield "tokenizers: vocabulary", sorted(vocabulary, key=lambda piece: vocabulary[piece])
    yield "tokenizers: text", cut
    yield "tokenizers: joined", map(tokenizer.decode, cut)


def moses(de: Sequence[str], folder: Path) -> Iterator[tuple[str, Lines]]:
    """Normalise, tokenise and detokenise with sacremoses and jieba."""
    import jieba
    import sacremoses

    for code in SAMPLES:
        normalised = sacremoses.MosesPunctNormalizer(lang=code).normalize(SAMPLES[code])
        tokens = sacremoses.MosesTokenizer(lang=code).tokenize(SAMPLES[code])
        joined = sacremoses.MosesDetokenizer(lang=code).detokenize(tokens)
        yield f"sacremoses: {code}", [normalised, " ".join(tokens), joined]
    jieba.setLogLevel(60)
    yield "jieba", map(" ".join, map(jieba.cut, SAMPLES.values()))


def scores(de: Sequence[str], folder: Path) -> Iterator[tuple[str, Lines]]:
    """Score a worsened text with sacreBLEU's metrics, with intervals and signatures."""
    from sacrebleu.metrics import BLEU, CHRF, TER

    references = [*de[:TRIED], *SAMPLES.values()]
    lines = [" ".join(line.split()[i % 3 :][::-1]) if i % 5 else line
             for i, line in enumerate(references)]  # fmt: skip
    cuts = ("13a", "intl", "zh", "char")
    metrics: dict[str, Any] = {
        f"BLEU {cut}": BLEU(tokenize=cut, effective_order=True) for cut in cuts
    }
    metrics |= {"chrF": CHRF(), "chrF++": CHRF(word_order=2), "TER": TER()}
    metrics |= {"TER norm": TER(normalized=True, no_punct=True, asian_support=True)}
    for name, metric in metrics.items():
        whole = metric.corpus_score(lines, [references], n_bootstrap=50)
        signature = str(metric.get_signature()).rpartition("|")[0]
        each = [
            metric.sentence_score(*pair).score
            for pair in zip(lines, zip(references, strict=True), strict=True)
        ]
        yield f"{name}: text", [f"{whole.score:.6f}", f"{whole._ci:.6f}", signature]
        yield f"{name}: lines", (f"{score:.6f}" for score in each)


def languages(de: Sequence[str], folder: Path) -> Iterator[tuple[str, Lines]]:
    """Identify languages with py3langid."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    since_04 = hasattr(LanguageIdentifier, "from_model_file")
    load = getattr(LanguageIdentifier, "from_model_file" if since_04 else "from_pickled_model")
    guess = load(MODEL_FILE, norm_probs=True).classify
    yield "py3langid: text", (guess(line)[0] for line in de[:TRIED])
    for code, line in SAMPLES.items():
        yield f"py3langid: {code}", ["{} {:.2f}".format(*guess(line))]
