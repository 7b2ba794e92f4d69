"""Write the weights to score: the mean of a run's last checkpoints in float32, or one of them.

If the paper averages scores instead (Bapna 2018), each of these checkpoints is scored. A milestone
has weights of its own; one that the run ended before has those of its end.
"""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.model.weight_file import write_arrays
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import read_spec
from deepmt.settings.strict import CountOrNone
from deepmt.train.mean_weights import mean
from deepmt.train.outcome import Outcome
from deepmt.train.saved_file import SavedFile


def main(
    *,
    spec: Path,
    outcome: Path,
    output: Path,
    checkpoint: Annotated[CountOrNone, "use this one alone, 1 = last; 0 = as in the spec"] = 0,
    milestone: Annotated[CountOrNone, "use the weights of this update; 0 = of the end"] = 0,
) -> None:
    """Write the mean of the checkpoints in resume/ that the outcome names, or one of them."""
    recipe = read_spec(spec).training
    if milestone not in (0, *recipe.milestones):
        raise UserError(f"--milestone {milestone}: {spec} has {[*recipe.milestones]}")
    if checkpoint > recipe.average_last:
        raise UserError(f"--checkpoint {checkpoint}: {spec} keeps {recipe.average_last}")
    ended = Outcome.read(outcome)
    names = ended.averaged
    reached = {one.update: one.file for one in ended.milestones}
    if milestone in reached:
        names = (reached[milestone],)
    elif last := checkpoint or int(recipe.average == "scores"):
        names = (names[-min(last, len(names))],)
    paths = [SeedFolder(outcome.parent).states / name for name in names]
    for path in paths:
        if not SavedFile(0, path).intact:
            raise UserError(f"{path} is missing or damaged: delete {outcome} and train again")
    write_arrays(output, mean(paths))


if __name__ == "__main__":
    run(main)
