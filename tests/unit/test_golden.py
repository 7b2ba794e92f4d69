"""The golden values of docs/golden/ come out again."""

import json

import pytest
from full_sizes import ROOT, UNIFIED

from deepmt.metrics.golden import SIZES, golden
from deepmt.metrics.untrained_specs import methods, small

FILES = ROOT / "docs/golden"
METHODS = methods(UNIFIED)
RENEW = "run `python workflow_scripts/golden.py`"


def test_every_method_has_golden_values_and_nothing_else_has() -> None:
    assert {path.stem for path in FILES.glob("*.json")} == METHODS.keys(), RENEW


@pytest.mark.parametrize("name", METHODS)
def test_golden_values_come_out_again(name: str) -> None:
    """Up to rounding at the first update; it grows with each one after."""
    written = json.loads((FILES / f"{name}.json").read_text())
    found = json.loads(json.dumps(golden(small(METHODS[name], SIZES))))
    for part in ("settings", "source", "target"):
        assert found[part] == written[part], RENEW
    for part in ("deviations", "residual_weights"):
        assert found[part].keys() == written[part].keys(), RENEW
        for key, values in written[part].items():
            assert found[part][key] == pytest.approx(values, rel=1e-5), RENEW
    for number, (ours, theirs) in enumerate(zip(found["updates"], written["updates"], strict=True)):
        assert ours == pytest.approx(theirs, rel=1e-9 if number == 0 else 1e-6), RENEW
