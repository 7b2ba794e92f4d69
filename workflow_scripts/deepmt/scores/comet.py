"""Run COMET by its own program, which lives in an environment of its own."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.base.files import sha256
from deepmt.scores.outside_program import run_on
from deepmt.scores.score import Score
from deepmt.scores.scored_texts import Texts

SCORE = re.compile(r"^hypotheses\tscore: (-?[0-9.]+)$", re.MULTILINE)
VERSIONS = (
    "import platform; from importlib.metadata import version;"
    " print(platform.python_version(), version('unbabel-comet'))"
)
HALF_SINCE = (2, 2, 5)
"""First version whose program computes with 16 bits."""
OFFLINE = {"HF_HUB_OFFLINE": "1", "PYTHONPATH": ""}


def comet_score(checkpoint: Path, source: Sequence[str], texts: Texts) -> Score:
    """Return COMET (Rei et al. 2020) of raw text, times 100, with the signature of sacreCOMET.

    Raises:
        ValueError: comet-score is missing or fails; includes its output.
    """
    found = shutil.which("comet-score")
    if not found:
        raise UserError(f"{checkpoint} needs comet-score on PATH; link it there, or omit --comet")
    program = Path(found).resolve()
    sides = {"source": source, "hypotheses": texts.detokenised, "reference": texts.reference}
    # A checkpoint in Hugging Face's cache is a link, and hparams.yaml lies beside the link.
    command = [str(program), "--model", str(checkpoint.absolute()), "--gpus", "0", "--only_system"]
    command += ["--quiet", "-s", "source", "-t", "hypotheses", "-r", "reference"]
    try:
        printed = run_on(sides, command, file=checkpoint, **OFFLINE)
    except UserError as error:
        remedy = "it runs offline: if files of its encoder are missing, score a line by hand first"
        raise UserError(f"{error}; {remedy}") from None
    score = SCORE.search(printed)
    if not score:
        raise UserError(f"{checkpoint} printed no score: {printed[-300:].strip()}")
    return Score(100 * float(score[1]), _signature(checkpoint, program))


def _signature(checkpoint: Path, program: Path) -> str:
    """Return versions, precision, name and hash of the model, and the number of references."""
    interpreter = program.with_name("python")
    try:
        python, package = run_on({}, [str(interpreter), "-c", VERSIONS], file=program).split()
    except FileNotFoundError as error:
        message = f"{interpreter} does not exist; link comet-score to that of its environment"
        raise UserError(message) from error
    half = tuple(map(int, re.findall("[0-9]+", package)[:3])) >= HALF_SINCE
    model = f"{checkpoint.absolute().parents[1].name}@{sha256(checkpoint)[:12]}"
    return f"Python{python}|Comet{package}|{'fp16' if half else 'fp32'}|{model}|r1"
