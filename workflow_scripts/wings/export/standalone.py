"""Write a folder that translates raw text by itself, whatever the method."""

import shutil
from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.base.files import replacing_folder, visible, write_text
from deepmt.base.printable import printable
from deepmt.data.dataset import Dataset
from deepmt.measured.records import Record
from deepmt.measured.trials import dev_perplexity
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import read_spec
from wings.export import standalone_program as program
from wings.export.import_closure import needed_files, pinned_packages
from wings.export.standalone_card import standalone_card

MB = 10**6


def main(
    *,
    seeds: Annotated[tuple[Path, ...], "folders of trained seeds; the best on dev is taken"],
    encoded: Annotated[Path, "folder of the encoded corpora"] = Path("data/encoded"),
    output: Path,
) -> None:
    """Copy weights, subwords and the modules that translate with them, beside a program.

    The folder needs Python and the packages of its requirements.txt, and nothing of this project.

    Raises:
        UserError: there are no seeds.
    """
    if not seeds:
        raise UserError("export: no run that is asked for is trained: name others by rows=")
    found = {seed: Record.read(seed.record) for seed in map(SeedFolder, seeds)}
    seed, record = min(found.items(), key=lambda item: dev_perplexity(item[1]))
    spec = read_spec(seed.spec)
    data, files = Dataset(encoded / spec.dataset), needed_files(spec)
    card = standalone_card(spec, record, data.manifest)
    with replacing_folder(output) as folder:
        copy(seed.spec, folder / program.SPEC)
        copy(seed.model, folder / program.WEIGHTS)
        for path in data.for_translation:
            copy(path, folder / program.TEXT / path.relative_to(data.folder))
        for name, path in files.items():
            copy(path, folder / name)
        write_text(folder / "requirements.txt", pinned_packages(files.values(), spec))
        write_text(folder / "README.md", card)
    print(printable(said(output, record.run)), flush=True)


def copy(file: Path, target: Path) -> None:
    """Copy a file, and make the folders above it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


def said(folder: Path, run_name: str) -> str:
    """Return what the folder holds, and its size."""
    sizes = [path.stat().st_size for path in visible(folder, "**/*") if path.is_file()]
    return (
        f"{folder}: {run_name}, {len(sizes)} files, {sum(sizes) / MB:.1f} MB; it translates by"
        " itself: see its README.md"
    )


if __name__ == "__main__":
    run(main)
