"""What is known of a corpus before it is built: pairs, types, lengths; each with its basis."""

from dataclasses import dataclass, replace

from deepmt.config.spec import Data

SUBWORDS_A_WORD = 1.2
"""Assumed of BPE with some 32,000 merges."""
LONGEST_OVER_LONGER = 1.045
"""The mean of each pair's longer side over the longer side's mean; counted: 1.03 to 1.05."""
BATCH_OVER_LONGEST = 1.45
"""The mean length of a batch over that of a pair, as counted on IWSLT14; Multi30k has 1.12."""
PADDING = 0.05
"""Share of positions that are padding; counted: 0.02 (toy) to 0.053 (IWSLT14)."""
UNSHARED = 0.75
"""Types of a side over joint merges where each side keeps its own list; counted: 0.59 to 0.84."""
PAIRS, WORDS = 5_000_000, 25.0
"""Of a corpus that nothing is known of."""


@dataclass(frozen=True, kw_only=True)
class Text:
    """An encoded corpus; lengths are means in subwords, the end symbol among them."""

    pairs: int
    """Of the training set."""
    types: tuple[int, int]
    """Source and target."""
    shared_types: int
    """Of one vocabulary for both."""
    source: float
    target: float
    longest: float
    """Of each pair's longer side."""
    batch: float
    """Of a batch: long sentences come in batches of few, so it is more than `longest`."""
    padding: float
    basis: str


def text_of(data: Data) -> Text:
    """What is known of a corpus, with the types that these settings give."""
    text = TEXTS.get(data.corpus) or unknown(data)
    source, target = (text.shared_types,) * 2 if data.shared_vocabulary else text.types
    most = data.max_vocabulary or max(source, target)
    return replace(text, types=(min(source, most), min(target, most)))


def unknown(data: Data) -> Text:
    """Assumptions alone."""
    side = data.merges if not data.joint else round(UNSHARED * data.merges)
    return from_words(
        PAIRS, (WORDS, WORDS), (side, side), shared=data.merges, basis="nothing known: all assumed"
    )


def from_words(
    pairs: int,
    words: tuple[float, float],
    types: tuple[int, int],
    *,
    shared: int = 0,
    basis: str = "words a sentence and types as the paper has them; the rest assumed",
) -> Text:
    """A text of which words a sentence are known."""
    source, target = (SUBWORDS_A_WORD * n + 1 for n in words)
    longest = LONGEST_OVER_LONGER * max(source, target)
    return Text(
        pairs=pairs,
        types=types,
        shared_types=shared or max(types),
        source=source,
        target=target,
        longest=longest,
        batch=BATCH_OVER_LONGEST * longest,
        padding=PADDING,
        basis=basis,
    )


def reverse(text: Text) -> Text:
    """The other direction."""
    source, target = text.types
    return replace(text, types=(target, source), source=text.target, target=text.source)


TOY = Text(
    pairs=20_000,
    types=(812, 1068),
    shared_types=1673,
    source=12.92,
    target=13.05,
    longest=13.45,
    batch=16.0,
    padding=0.021,
    basis="counted",
)
MULTI30K = Text(
    pairs=29_000,
    types=(3520, 4473),
    shared_types=6050,
    source=15.64,
    target=16.34,
    longest=17.05,
    batch=19.1,
    padding=0.039,
    basis="counted",
)
HALF = replace(
    MULTI30K,
    pairs=14_500,
    types=(3347, 4254),
    padding=0.049,
    basis="the sum of types counted; lengths of the whole",
)
SUBSET = Text(
    pairs=53_884,
    types=(8380, 6421),
    shared_types=10_106,
    source=25.01,
    target=24.51,
    longest=26.09,
    batch=38.0,
    padding=0.053,
    basis="counted",
)
IWSLT14 = replace(
    SUBSET,
    pairs=160_239,
    types=(8847, 6631),
    shared_types=10_150,
    basis="pairs and types of fairseq's preparation; lengths of the subset",
)
# Words a sentence: Zhang's Table 2. Types: `vocabulary` of the papers.
EN_DE, EN_FR, EN_FI, ZH_EN = (
    (116 / 4.5, 110 / 4.5),
    (1045 / 36, 1189 / 36),
    (22.1, 16.4),
    (20.4, 23),
)
ENFR = from_words(36_000_000, EN_FR, (44_512, 44_512))
ZHEN = from_words(25_000_000, ZH_EN, (56_643, 56_642))

TEXTS = {
    "toy.en-de": TOY,
    "toy.de-en": reverse(TOY),
    "toy-half.en-de": replace(
        TOY, pairs=10_000, types=(802, 1054), basis="types counted; lengths of the whole"
    ),
    "toy-quarter.en-de": replace(
        TOY, pairs=5_000, types=(791, 1040), basis="types counted; lengths of the whole"
    ),
    "toy-bt.en-de": replace(TOY, pairs=28_000, basis="types and lengths of the bitext"),
    "toy-bt.de-en": replace(reverse(TOY), pairs=28_000, basis="types and lengths of the bitext"),
    "multi30k.en-de": MULTI30K,
    "multi30k-half.en-de": HALF,
    "multi30k-half.de-en": reverse(HALF),
    "multi30k-bt.en-de": replace(HALF, pairs=29_000, types=(3481, 4423), padding=0.038),
    "multi30k-quarter.en-de": replace(HALF, pairs=7_250, basis="as half of it"),
    "iwslt14-subset.de-en": SUBSET,
    "iwslt14-subset-half.de-en": replace(SUBSET, pairs=26_942, basis="lengths of the whole"),
    "iwslt14-subset-quarter.de-en": replace(SUBSET, pairs=13_471, basis="lengths of the whole"),
    "iwslt14.de-en": IWSLT14,
    "iwslt14-uncleaned-cut.de-en": from_words(159_000, (18.9, 20.1), (16_200, 16_200)),
    "wmt14.en-de": from_words(4_500_000, EN_DE, (32_000, 32_000)),
    "wmt14-stanford.en-de": from_words(4_500_000, EN_DE, (27_512, 27_511)),
    "wmt14-admin.en-de": from_words(4_500_000, EN_DE, (32_768, 32_768)),
    "wmt16-google.en-de": from_words(4_500_000, EN_DE, (34_040, 34_040)),
    "wmt14.en-fr": from_words(36_000_000, EN_FR, (31_350, 31_350)),
    "wmt14-fairseq.en-fr": ENFR,
    "wmt14-fairseq.fr-en": reverse(ENFR),
    "wmt14-bt.en-fr": replace(ENFR, pairs=57_800_000),
    "wmt15.cs-en": from_words(960_000, (WORDS, WORDS), (32_000, 32_000)),
    "wmt18-preprocessed.en-fi": from_words(3_300_000, EN_FI, (20_100, 20_100)),
    "wmt18-preprocessed.zh-en": from_words(25_000_000, ZH_EN, (31_850, 31_850)),
    "wmt18-bt.zh-en": replace(ZHEN, pairs=30_000_000),
    "wmt18-public.en-zh": reverse(ZHEN),
    "wmt18-public.zh-en": ZHEN,
    "nist12.zh-en": from_words(1_900_000, (WORDS, WORDS), (44_500, 34_000)),
}
