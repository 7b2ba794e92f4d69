"""Write golden values of all methods."""

import json
from pathlib import Path
from typing import Annotated

from safetensors.torch import save_file

from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.base.files import read_json, write_text
from deepmt.base.printable import printable
from deepmt.model.weights import named_state
from deepmt.settings.strict import unknown
from deepmt.study.papers import OWN_PAPER, load
from deepmt.study.plan import check_functions
from deepmt.untrained.golden import SIZES, differences, first_model, golden
from deepmt.untrained.untrained_specs import methods, small


def main(
    *,
    only: Annotated[tuple[str, ...], "methods, e.g. deepnorm; default: all, in two minutes"] = (),
    weights: Annotated[Path | None, "write <method>.safetensors there, 1 MB each, too"] = None,
    output: Path = Path("docs/golden"),
    root: Path = Path(),
) -> None:
    """Write <method>.json for each deep system whose file is missing or differs beyond rounding.

    Raises:
        ValueError: a method is unknown; suggests one.
    """
    known = methods(load(root / f"papers/{OWN_PAPER}.yaml"))
    if wrong := next((name for name in only if name not in known), ""):
        raise UserError(f"--only: {unknown('method', wrong, known)}")
    for name in only or known:
        spec, path = small(known[name], SIZES), output / f"{name}.json"
        check_functions([spec])
        values = golden(spec)
        if not path.exists() or differences(
            json.loads(json.dumps(values)), read_json(path, hashed=False)
        ):
            lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())
            write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")
            print(printable(f"{path}: written"), flush=True)
        if weights:
            weights.mkdir(parents=True, exist_ok=True)
            state = {key: tensor.detach() for key, tensor in named_state(first_model(spec)).items()}
            save_file(state, weights / f"{name}.safetensors")


if __name__ == "__main__":
    run(main)
