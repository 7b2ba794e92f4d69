"""Read data.json, the settings of a dataset: its corpus, text steps and subwords."""

from pathlib import Path

from deepmt.settings.spec import Data, check_folder_name
from deepmt.settings.strict_yaml import read_file


def load_settings(path: Path) -> Data:
    """Read data.json, with the spec's defaults.

    Raises one ValueError that lists all wrong keys, or says that the folder has another name.
    """
    settings = read_file(path, Data)
    check_folder_name(path, settings.dataset)
    return settings
