"""Run a script by its name of before 0.6, and say the new one."""

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from deepmt.base.printable import say


def moved(to: str, called: str) -> None:
    """Say how a script is called now, and run it; old names go with version 0.7."""
    say(f"this script is now called: {called}")
    runpy.run_module(to, run_name="__main__", alter_sys=True)
