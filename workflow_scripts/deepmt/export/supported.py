"""Check which of our models other toolkits support; needs no torch, since rules call it."""

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
"""Settings that every toolkit supports; omegas, query scale and input bias are folded."""
HUGGINGFACE_EPSILON = 1e-5


def unsupported_settings(spec: Spec, toolkit: str) -> list[str]:
    """List the settings that a toolkit does not support, each with a remedy.

    Raises:
        ValueError: if the toolkit is unknown.
    """
    if toolkit not in TOOLKITS:
        raise ValueError(f"to={toolkit!r} is not one of {', '.join(TOOLKITS)}")
    return nonstandard_settings(spec) + (
        fixed_by_huggingface(spec) if toolkit == "huggingface" else []
    )


def nonstandard_settings(spec: Spec) -> list[str]:
    """List the settings that no other toolkit supports."""
    found = []
    for key, known in STANDARD.items():
        section, name = key.split(".")
        value = getattr(getattr(spec, section), name)
        value = getattr(value, "name", value)
        if value not in known:
            found.append(
                f"{key}={value} is not supported by other toolkits: translate with this one, or "
                f"export a run with {key}={' or '.join(map(str, known))}"
            )
    return found


def fixed_by_huggingface(spec: Spec) -> list[str]:
    """List the settings that conflict with HuggingFace's fixed architectures."""
    found = []
    if spec.model.norm_epsilon != HUGGINGFACE_EPSILON:
        found.append(
            f"model.norm_epsilon={spec.model.norm_epsilon} must be {HUGGINGFACE_EPSILON} in "
            "HuggingFace's architectures: export to ctranslate2, where it is configurable"
        )
    if spec.encoder.d_model != spec.decoder.d_model:
        found.append(
            f"encoder.d_model={spec.encoder.d_model} and decoder.d_model={spec.decoder.d_model} "
            "must be equal in HuggingFace's architectures: export to ctranslate2"
        )
    return found


def search_notes(spec: Spec) -> list[str]:
    """List how the search of other toolkits differs from the spec's."""
    if spec.decoding.length_penalty == "wu":
        return [
            "decoding.length_penalty=wu is not supported by other toolkits: the comparison divides "
            f"log P by n^{spec.decoding.alpha}"
        ]
    return []
