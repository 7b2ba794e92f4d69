"""Read data.json, the settings of a dataset: its corpus, text steps and subwords."""

from pathlib import Path

from deepmt.base.files import read_json
from deepmt.settings.spec import Data, check_folder_name
from deepmt.settings.strict_yaml import read_file


def tokenised_splits(raw: Path) -> tuple[str, ...]:
    """Return the splits of a corpus that came tokenised, according to its counts.json."""
    return tuple(read_json(raw / "counts.json", hashed=False).get("tokens", ()))


def load_settings(path: Path) -> Data:
    """Read data.json, with the spec's defaults.

    Raises one ValueError that lists all wrong keys, or says that the folder has another name.
    """
    settings = read_file(path, Data)
    check_folder_name(path, settings.dataset)
    return settings
