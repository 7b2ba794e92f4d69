"""Run the original METEOR from its authors' jar, if the user has it."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from deepmt.languages import language
from deepmt.metrics.scored_texts import Texts
from deepmt.metrics.scores import Score

EVAL_ID = re.compile(r"^Eval ID:\s+(\S+)", re.MULTILINE)
FINAL_SCORE = re.compile(r"^Final score:\s+(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class OriginalMeteor:
    """Run METEOR 1.5 (Denkowski and Lavie 2014) on raw text with its own tokeniser (-norm)."""

    jar: Path
    """meteor-1.5.jar, with its data/ folder beside it."""

    def score(self, texts: Texts) -> Score:
        """Return the final score times 100; the signature is METEOR's own "Eval ID".

        Raises:
            ValueError: if the jar or java is missing, or METEOR fails; includes its output.
        """
        if not self.jar.is_file():
            raise ValueError(f"{self.jar}: no such file; pass the path of meteor-1.5.jar")
        printed = self._run(texts)
        identity, final = EVAL_ID.search(printed), FINAL_SCORE.search(printed)
        if not identity or not final:
            raise ValueError(f"{self.jar} printed no score: {printed[-300:].strip()}")
        return Score(100 * float(final[1]), f"METEOR|{identity[1]}")

    def _run(self, texts: Texts) -> str:
        sides = {"hypotheses": texts.detokenised, "reference": texts.reference}
        with tempfile.TemporaryDirectory() as folder:
            for name, lines in sides.items():
                Path(folder, name).write_bytes("".join(f"{line}\n" for line in lines).encode())
            command = ["java", "-Xmx2G", "-jar", str(self.jar.resolve()), *sides]
            command += ["-l", language(texts.target_language).code, "-norm"]
            try:
                run = subprocess.run(
                    command, cwd=folder, capture_output=True, text=True, check=False
                )
            except FileNotFoundError as error:
                message = f"{self.jar} needs java on PATH; install it, or omit --meteor"
                raise ValueError(message) from error
        if run.returncode:
            message = (run.stderr or run.stdout)[-300:].strip()
            raise ValueError(f"{self.jar} failed with exit status {run.returncode}: {message}")
        return run.stdout
