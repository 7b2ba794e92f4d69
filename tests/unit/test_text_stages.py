"""Text of a paper's size: repeated pairs gain types, and every stage is measured."""

from pathlib import Path

from bench.grown_text import GROWTH, PAIRS, TYPES, grown, new_types
from bench.text_stages import main
from deepmt.base.files import read_json

REAL = [
    (
        f"In {year} the people of {place} heard {name} .",
        f"Die Leute von {place} haben {name} gehört .",
    )
    for year in (1999, 2004)
    for place in ("Gutach", "Bremen", "Dresden")
    for name in ("Barroso", "Schmidt", "Obama")
]


def test_repeated_pairs_differ_in_names_and_numbers_alone() -> None:
    pairs = list(grown(REAL, 200))
    assert pairs[: len(REAL)] == REAL
    assert len(pairs) == 200
    assert {len(source.split()) for source, _ in pairs} == {9}
    assert {source.split()[2] for source, _ in pairs} == {"the"}
    assert len({word for pair in pairs for side in pair for word in side.split()}) > 200


def test_types_grow_as_those_of_a_corpus() -> None:
    counted = sum(new_types(number) for number in range(1, 100_000))
    assert abs(counted / (TYPES * (100_000 / PAIRS) ** GROWTH) - 1) < 0.02


def test_every_stage_is_measured(tmp_path: Path) -> None:
    files = [tmp_path / "real.en", tmp_path / "real.de"]
    for side, file in enumerate(files):
        file.write_text("".join(f"{pair[side]}\n" for pair in REAL), encoding="utf-8")
    output = tmp_path / "text.json"
    main(
        sources=(files[0],),
        targets=(files[1],),
        pairs=(100,),
        processes=(1, 2),
        merges=20,
        peers=True,
        folder=tmp_path / "text",
        output=output,
    )
    found = read_json(output, "", hashed=False)["stages"]
    assert [stage["processes"] for stage in found] == [1] + [1] * 7 + [2] * 7 + [1] * 3
    assert {stage["pairs"] for stage in found} == {100}
    assert all(stage["peak_mb"] > 10 for stage in found)
