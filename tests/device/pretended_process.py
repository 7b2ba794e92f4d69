"""Load the pretended GPU in the process that imports this, before torch."""

import os
from pathlib import Path

import pretend_gpu

pretend_gpu.begin(Path(os.environ["PRETENDED_GPU"]))
