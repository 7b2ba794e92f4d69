"""Define first weights that are all drawn alike, as toolkits do by default."""

from typing import Literal

from deepmt.settings.methods import Options, option_of


@option_of("initialisation", module="deepmt.init.uniform_parameters")
class UniformParameters(Options):
    """Draw weights, biases and gains of norms uniformly from +-0.1 (OpenNMT-py, eole)."""

    name: Literal["uniform"] = "uniform"


@option_of("initialisation", module="deepmt.init.normal_matrices")
class NormalMatrices(Options):
    """Draw matrices and embeddings normally with deviation 0.02 (HuggingFace Transformers)."""

    name: Literal["normal"] = "normal"
