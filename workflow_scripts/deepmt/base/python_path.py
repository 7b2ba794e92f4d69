"""Refuse a PYTHONPATH that leads to another `deepmt`, such as that of another checkout."""

import os
import sys
from pathlib import Path

from deepmt.base.errors import UserError

OWN = Path(__file__).resolve().parents[2]


def check_python_path(scripts: Path) -> None:
    """Raise UserError if PYTHONPATH leads to another `deepmt` than that in `scripts`.

    No other module of ours is imported by a name that PYTHONPATH could give to another.
    """
    ours = (scripts / "deepmt").resolve()
    for folder in filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)):
        for name in ("deepmt/__init__.py", "deepmt.py"):
            other = Path(folder, name).resolve()
            if other.is_file() and other.parent != ours:
                raise UserError(
                    f"PYTHONPATH: {other} could be imported in place of {ours}: leave {folder}"
                    " out of it, or unset it"
                )


def scripts_of_main() -> Path:
    """Return the folder of modules that the script which was called belongs to."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    parents = Path(main).resolve().parents[:2] if main else ()
    near = (folder for each in parents for folder in (each, each / "workflow_scripts"))
    return next((folder for folder in near if (folder / "deepmt").is_dir()), OWN)
