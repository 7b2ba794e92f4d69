"""A project whose hardware.yaml is made up: round numbers, so that tests depend on no machine."""

from pathlib import Path

import made_up

HARDWARE = """
laptop:
  title: Invented processor
  device: cpu
  name: Invented CPU
  memory_mb: 8000
  float32: 4.0e+10
  values: 1.0e+8
  call: 2.0e-5
  parameters: 4.0e+7
  disk: 2.0e+8
  start: 5.0
  basis: {all rates: made up}
card:
  title: Invented GPU
  device: cuda
  name: Invented GPU
  memory_mb: 40000
  float32: 1.0e+13
  values: 2.0e+10
  call: 3.0e-5
  parameters: 9.0e+9
  decode: 1.5
  disk: 5.0e+8
  start: 20.0
  basis: {all rates: made up}
"""


def project(folder: Path) -> Path:
    """The real papers and scales, an empty archive, no results."""
    root = made_up.project(folder)
    (root / "hardware.yaml").write_text(HARDWARE)
    return root
