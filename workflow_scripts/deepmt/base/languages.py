"""Know in what languages differ here: codes, spaces between words, tokeniser of BLEU, scripts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from deepmt.base.errors import UserError

BleuTokeniser = Literal["13a", "zh", "char"]

ISO_639 = """
aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel
bg:bul bi:bis bm:bam bn:ben bo:bod/tib br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces/cze
cu:chu cv:chv cy:cym/wel da:dan de:deu/ger dv:div dz:dzo ee:ewe el:ell/gre en:eng eo:epo es:spa
et:est eu:eus/baq fa:fas/per ff:ful fi:fin fj:fij fo:fao fr:fra/fre fy:fry ga:gle gd:gla gl:glg
gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye/arm hz:her ia:ina
id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl/ice it:ita iu:iku ja:jpn jv:jav ka:kat/geo kg:kon
ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat
lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri/mao mk:mkd/mac ml:mal
mn:mon mr:mar ms:msa/may mt:mlt my:mya/bur na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld/dut nn:nno
no:nor nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus pt:por
qu:que rm:roh rn:run ro:ron/rum ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag si:sin sk:slk/slo
sl:slv sm:smo sn:sna so:som sq:sqi/alb sr:srp ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel
tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi ty:tah ug:uig uk:ukr
ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha zh:zho/chi/cmn zu:zul
"""
"""Codes of two letters (ISO 639-1), each with those of three; Mandarin counts as Chinese."""
NAMES = """
af:afrikaans am:amharic ar:arabic as:assamese az:azerbaijani be:belarusian bg:bulgarian bn:bengali
bo:tibetan br:breton bs:bosnian ca:catalan cs:czech cy:welsh da:danish de:german el:greek en:english
eo:esperanto es:spanish et:estonian eu:basque fa:persian/farsi fi:finnish fo:faroese fr:french
fy:frisian ga:irish gd:gaelic gl:galician gu:gujarati ha:hausa he:hebrew hi:hindi hr:croatian
ht:haitian hu:hungarian hy:armenian id:indonesian ig:igbo is:icelandic it:italian ja:japanese
jv:javanese ka:georgian kk:kazakh km:khmer kn:kannada ko:korean ku:kurdish ky:kyrgyz la:latin
lb:luxembourgish lo:lao lt:lithuanian lv:latvian mg:malagasy mi:maori mk:macedonian ml:malayalam
mn:mongolian mr:marathi ms:malay mt:maltese my:burmese nb:bokmal ne:nepali nl:dutch nn:nynorsk
no:norwegian oc:occitan or:odia om:oromo pa:punjabi pl:polish ps:pashto pt:portuguese qu:quechua
ro:romanian ru:russian rw:kinyarwanda sa:sanskrit sd:sindhi si:sinhala sk:slovak sl:slovenian
so:somali sq:albanian sr:serbian sv:swedish sw:swahili ta:tamil te:telugu tg:tajik th:thai
tk:turkmen tl:tagalog tr:turkish tt:tatar ug:uyghur uk:ukrainian ur:urdu uz:uzbek vi:vietnamese
xh:xhosa yi:yiddish yo:yoruba yue:cantonese zh:chinese/mandarin zu:zulu
"""
"""English names of languages, by their codes."""
WITHOUT_SPACES: dict[str, BleuTokeniser] = {
    **dict.fromkeys(("zh", "yue", "wuu", "lzh"), "zh"),
    **dict.fromkeys(("bo", "dz", "ja", "km", "lo", "my", "th"), "char"),
}
"""Languages without spaces between words, with the tokeniser of sacreBLEU that cuts them.

Its own tokeniser of Japanese needs another package.
"""
SCRIPTS = """
CYRILLIC ab av ba be bg ce cu cv kv ky mk os ru tg uk; CYRILLIC LATIN az bs sr tk tt uz
CYRILLIC MONGOLIAN mn; CYRILLIC ARABIC kk; GREEK el; ARMENIAN hy; GEORGIAN ka; HEBREW he yi
ARABIC ar fa ps ur ug; ARABIC LATIN ha ku ms wo; ADLAM ARABIC LATIN ff
DEVANAGARI bho hi mr ne sa; BENGALI as bn; GUJARATI gu; GURMUKHI ARABIC pa; ORIYA or; TAMIL ta
TELUGU te; KANNADA kn; MALAYALAM ml; SINHALA si; THAI th; LAO lo; KHMER km; MYANMAR my
TIBETAN bo dz; ETHIOPIC am ti; THAANA dv; HANGUL CJK ko; CJK zh yue wuu lzh
HIRAGANA KATAKANA CJK ja; YI ii; CANADIAN LATIN cr iu oj; ARABIC DEVANAGARI ks sd
"""
"""Scripts of languages not written in Latin alone, as the names of their letters begin."""


@dataclass(frozen=True)
class Language:
    """Hold the code of a language, of two letters if it has one, and the tokeniser of its BLEU."""

    code: str
    tokeniser: BleuTokeniser
    scripts: tuple[str, ...]
    """As names of Unicode's letters begin; empty if unknown."""

    def share(self, characters: Mapping[str, int]) -> float:
        """Return the share of counted letters that are of its scripts; 1 if nothing is known."""
        found = _by_script(characters)
        own = sum(found[script] for script in self.scripts)
        return own / found.total() if self.scripts and found else 1.0

    def foreign(self, characters: Mapping[str, int]) -> tuple[str, float]:
        """Return the script that is neither its own nor Latin, and the share of its letters.

        Any language may be romanised.
        """
        found = _by_script(characters)
        others = {x: n for x, n in found.items() if x not in (*self.scripts, "LATIN")}
        if not (self.scripts and others):
            return "", 0.0
        return max(others, key=others.__getitem__), sum(others.values()) / found.total()


def _by_script(characters: Mapping[str, int]) -> Counter[str]:
    """Count the letters of each script, as their names in Unicode begin."""
    found: Counter[str] = Counter()
    for c, count in characters.items():
        if c.isalpha():
            found[re.split("[ -]", unicodedata.name(c, ""))[0]] += count
    return found


def _inverse(table: str) -> dict[str, str]:
    entries = (entry.partition(":") for entry in table.split())
    return {word: two for two, _, others in entries for word in (two, *others.split("/"))}


TWO_LETTERS = _inverse(ISO_639)
"""Every code of ISO_639 -> its code of two letters."""
NAMED = TWO_LETTERS | _inverse(NAMES)
AROUND = set("source target src tgt trg text sentence segment simplified traditional".split())
"""Words that the name of a column may have beside its language."""
SUBTAG = re.compile(
    r"[a-z]{2}|\d{3}|arab|armn|beng|cans|cyrl|deva|ethi|geor|grek|gujr|guru|han[gst]|hebr|jpan|khmr"
    "|knda|kore|laoo|latn|mlym|mong|mymr|orya|sinh|taml|telu|thaa|thai|tibt"
)
"""Region or script in the name of a locale."""


def _scripts() -> dict[str, tuple[str, ...]]:
    entries = [entry.split() for entry in SCRIPTS.replace("\n", ";").split(";")]
    return {
        code: tuple(filter(str.isupper, entry))
        for entry in entries
        for code in filter(str.islower, entry)
    }


SCRIPTS_OF = dict.fromkeys(TWO_LETTERS.values(), ("LATIN",)) | _scripts()


def language(code: str) -> Language:
    """Return the language of a code of ISO 639; one without a code of two letters may have spaces.

    Raises:
        ValueError: it is no code, but a country as jp is, or a name as zh-CN and Chinese are.
    """
    named = code if code in TWO_LETTERS else named_language(code)
    known = named == code or (named == "" and len(code) != 2)
    if not known or not re.fullmatch("[a-z]+", code):
        remedy = named or "its code of two letters, such as ja for Japanese"
        raise UserError(f"{code} is no language of ISO 639-1: write {remedy}")
    own = TWO_LETTERS.get(code, code)
    return Language(own, WITHOUT_SPACES.get(own, "13a"), SCRIPTS_OF.get(own, ()))


def named_language(text: str) -> str:
    """Return the code of the language that a text names: de, deu, de_DE, German, source_de.

    A word of three letters that no table has may be a code, and is returned. Empty if none is
    named.
    """
    words = [word for word in re.split(r"[\W_]+", text.lower()) if word and word not in AROUND]
    if not words or not all(map(SUBTAG.fullmatch, words[1:])):
        return ""
    return NAMED.get(words[0], words[0] if re.fullmatch("[a-z]{3}", words[0]) else "")
