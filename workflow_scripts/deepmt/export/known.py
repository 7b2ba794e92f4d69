"""Tells which of our models other toolkits have. Standard library only: rules call it, too."""

from deepmt.config.spec import Spec

TOOLKITS = ("ctranslate2", "huggingface")
STANDARD = {
    "method.family": ("transformer",),
    "method.norm": ("post", "pre"),
    "method.encoder_residual": (True,),
    "method.layer_aggregation": ("previous",),
    "method.encoder_output": ("top",),
    "method.decoder_self_attention": ("softmax",),
    "method.decoder_layer": ("stacked",),
}
"""Settings of every toolkit; ADMIN's omegas, a learned query scale, an input bias fold away."""
HUGGINGFACE_EPSILON = 1e-5


def obstacles(spec: Spec, toolkit: str) -> list[str]:
    """List why a toolkit has no such model: one message a setting, with the mend.

    Raises:
        ValueError: there is no such toolkit.
    """
    if toolkit not in TOOLKITS:
        raise ValueError(f"to={toolkit!r} is not one of {', '.join(TOOLKITS)}")
    return not_standard(spec) + (not_in_huggingface(spec) if toolkit == "huggingface" else [])


def not_standard(spec: Spec) -> list[str]:
    """List the settings that no toolkit has."""
    found = []
    for key, known in STANDARD.items():
        section, name = key.split(".")
        value = getattr(getattr(spec, section), name)
        value = getattr(value, "name", value)
        if value not in known:
            found.append(
                f"{key}={value} exists in no other toolkit: translate with this one, or export a "
                f"run that has {key}={' or '.join(map(str, known))}"
            )
    return found


def not_in_huggingface(spec: Spec) -> list[str]:
    """List the settings that HuggingFace's architectures fix."""
    found = []
    if spec.model.norm_epsilon != HUGGINGFACE_EPSILON:
        found.append(
            f"model.norm_epsilon={spec.model.norm_epsilon} is fixed at {HUGGINGFACE_EPSILON} in "
            "HuggingFace's architectures: export to ctranslate2, where it is a setting"
        )
    if spec.encoder.d_model != spec.decoder.d_model:
        found.append(
            f"encoder.d_model={spec.encoder.d_model} and decoder.d_model={spec.decoder.d_model} "
            "must be equal in HuggingFace's architectures: export to ctranslate2"
        )
    return found


def search_notes(spec: Spec) -> list[str]:
    """List how the search of every other toolkit differs from the spec's."""
    if spec.decoding.length_penalty == "wu":
        return [
            "decoding.length_penalty=wu exists in no other toolkit: there log P is divided by "
            f"n^{spec.decoding.alpha}, and so it is here for the comparison"
        ]
    return []
