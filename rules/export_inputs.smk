# What the rules of export.smk ask for their inputs.
from deepmt.export.known import TOOLKITS, obstacles


def weights_for(toolkit):
    """The weights of a seed, unless the toolkit does not know such a model: then say why."""

    def weights(wildcards):
        if problems := obstacles(spec_of(wildcards), toolkit):
            reasons = "\n".join(problems)
            raise WorkflowError(
                f"{wildcards.run} has no counterpart in {toolkit}:\n{reasons}"
            )
        return f"{RESULTS}/runs/{wildcards.run}/seed{wildcards.seed}/model.safetensors"

    return weights


def first_decoded_set(wildcards):
    """The set on which an exported model is compared."""
    return decoded_sets(wildcards)[0]


def exports(wildcards):
    """Every model of the runs asked for, in each toolkit that knows it."""
    if FROM_RECORDS:
        raise WorkflowError(
            "from=records trains nothing, so there is nothing to export: leave it out"
        )
    return [
        f"{RESULTS}/runs/{run}/seed{seed}/export/{toolkit}/agreement.json"
        for run, spec in PLAN.runs.items()
        for seed in SEEDS
        for toolkit in TOOLKITS
        if not obstacles(spec, toolkit)
    ]
