"""Run the original METEOR from its authors' jar, if the user has it."""

import re
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.base.languages import language
from deepmt.scores.outside_program import run_on
from deepmt.scores.score import Score
from deepmt.scores.scored_texts import Texts

EVAL_ID = re.compile(r"^Eval ID:\s+(\S+)", re.MULTILINE)
FINAL_SCORE = re.compile(r"^Final score:\s+(\S+)", re.MULTILINE)


def original_meteor(jar: Path, texts: Texts) -> Score:
    """Return METEOR 1.5 (Denkowski and Lavie 2014) of raw text, by its own tokeniser, times 100.

    The folder data/ lies beside meteor-1.5.jar; the signature is METEOR's own "Eval ID".

    Raises:
        ValueError: java is missing, or METEOR fails; includes its output.
    """
    printed = _run(jar, texts)
    identity, final = EVAL_ID.search(printed), FINAL_SCORE.search(printed)
    if not identity or not final:
        raise UserError(f"{jar} printed no score: {printed[-300:].strip()}")
    return Score(100 * float(final[1]), f"METEOR|{identity[1]}")


def _run(jar: Path, texts: Texts) -> str:
    sides = {"hypotheses": texts.detokenised, "reference": texts.reference}
    command = ["java", "-Xmx2G", "-jar", str(jar.resolve()), *sides]
    command += ["-l", language(texts.target_language).code, "-norm"]
    try:
        return run_on(sides, command, file=jar)
    except FileNotFoundError as error:
        message = f"{jar} needs java on PATH; install it, or omit --meteor"
        raise UserError(message) from error
