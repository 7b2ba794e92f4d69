"""Open an encoded corpus, which lies in data/encoded/<dataset>."""

from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY, checked_file, read_json
from deepmt.data.encoded import EncodedPair, EncodedText, array_files
from deepmt.data.manifest import Manifest, remedy_of
from deepmt.data.raw_corpus import RawCorpus
from deepmt.data.subword import Segmenter, load_segmenter
from deepmt.data.vocabulary import Vocabulary
from deepmt.settings.spec import Data, check_folder_name
from deepmt.settings.strict import look_up, message_of
from deepmt.settings.text_steps import SAMPLE


def load_settings(path: Path) -> Data:
    """Read data.json, with the spec's defaults.

    Raises:
        UserError: the file is damaged, and names all wrong keys; or the folder has another name.
    """
    try:
        settings = TypeAdapter(Data).validate_json(path.read_bytes())
    except ValidationError as error:
        raise UserError(f"{path} is damaged ({message_of(error)}); {REMEDY}") from None
    check_folder_name(path, settings.dataset)
    return settings


class Dataset:
    """Open the files of data/encoded/<dataset>, each compared with its hash in manifest.json."""

    def __init__(self, folder: Path, settings: Data | None = None) -> None:
        """Take the settings of data.json, unless those of a spec are given."""
        self.folder = folder
        self.remedy = remedy_of(folder)
        if settings:
            self.settings = settings

    @cached_property
    def manifest(self) -> Manifest:
        """Return what is known of the files."""
        return Manifest.of(self.folder)

    @cached_property
    def settings(self) -> Data:
        """Return the text steps and subwords."""
        return load_settings(self._text("data.json"))

    def file(self, name: str) -> Path:
        """Return a vocabulary, a model of subwords, or ids."""
        return checked_file(self.folder, name, self.manifest.sha256, self.remedy)

    @cached_property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Return those of source and target."""
        source, target = (self.file(f"vocab.{x}") for x in self.settings.languages)
        return Vocabulary.load(source), Vocabulary.load(target)

    def segmenter(self, language: str) -> Segmenter:
        """Return the segmenter of a language."""
        return load_segmenter(self.settings, self.file, language)

    def pair(self, split: str) -> EncodedPair:
        """Return the ids of both sides of a split."""
        look_up("split", split, self.manifest.splits, f"{self.folder}: ")
        source, target = (self._ids(f"{split}.{x}") for x in self.settings.languages)
        return EncodedPair(source, target)

    def tokens(self, split: str, language: str) -> Path:
        """Return the tokenised text of a side of a split."""
        look_up("split", split, self.manifest.splits, f"{self.folder}: ")
        return self._text(f"tok/{split}.{language}")

    def raw(self, split: str, language: str) -> Path:
        """Return the text of a side of a split before any step."""
        if split == SAMPLE:
            return self._text(f"raw/{split}.{language}")
        corpus = RawCorpus(self.folder.parents[1] / "raw" / self.settings.corpus)
        return corpus.file(split, language)

    @property
    def for_translation(self) -> list[Path]:
        """Return what translation needs in addition to a model; the corpus is left out."""
        models = [self.file(name) for name in self.manifest.sha256 if not name.startswith("ids/")]
        return [self.folder / "manifest.json", self._text("data.json"), *models]

    @property
    def counted(self) -> dict[str, Any]:
        """Return the numbers of words, merges and dropped pairs; none if there is no dataset."""
        built = (self.folder / "words.json").exists()
        return read_json(self._text("words.json"), self.remedy, hashed=False) if built else {}

    def _text(self, name: str) -> Path:
        """Return a file that manifests of before 0.6 do not list."""
        return checked_file(self.folder, name, self.manifest.text_sha256, self.remedy)

    def _ids(self, name: str) -> EncodedText:
        offsets, ids = (self.file(str(path)) for path in array_files(Path("ids"), name))
        return EncodedText.open(offsets, ids)
