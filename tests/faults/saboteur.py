"""Run a script of the project unchanged, and strike at one exact moment of its life.

saboteur.py '{"signal": "SIGKILL", "event": "os.rename", "match": "state-"}' script.py FLAGS ...

A moment is an audit event of Python (open, os.rename, os.remove ...) one of whose arguments
matches; `count` asks for its n-th occurrence. `file_bytes` is a moment too: the kernel ends the
process when a file grows past that size, so that a write is cut short in the middle.
"""

import atexit
import json
import os
import re
import resource
import runpy
import signal
import sys
from pathlib import Path
from typing import Any


def say(line: str) -> None:
    """Leave word for the test; unbuffered, since we may be dead in an instant."""
    os.write(2, f"{line}\n".encode())


def strike(name: str, event: str, match: str, count: int = 1) -> None:
    """Send ourselves a signal just before the n-th such event happens."""
    left = count

    def hook(happened: str, details: tuple[Any, ...]) -> None:
        nonlocal left
        if left and happened == event and any(re.search(match, str(part)) for part in details):
            left -= 1
            if not left:
                atexit.unregister(say)
                say(f"struck: {name} at {event} {match}")
                os.kill(os.getpid(), signal.Signals[name])

    sys.addaudithook(hook)


def die_beyond(file_bytes: int) -> None:
    """Let the kernel kill us, without a core dump, in the write that passes this size."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))


def main() -> None:
    """Arm the moment, then become the script."""
    moment, script = json.loads(sys.argv[1]), sys.argv[2]
    atexit.register(say, "missed: the moment never came")
    if "file_bytes" in moment:
        die_beyond(moment["file_bytes"])
    else:
        strike(moment.pop("signal"), **moment)
    sys.argv = sys.argv[2:]
    sys.path[0] = str(Path(script).parent)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
