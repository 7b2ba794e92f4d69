"""This project's merged attention over an average (MAtt): a state that does not grow."""

from dataclasses import replace

from bench.decoders import ours
from bench.protocol import System, Task, serve
from bench.sentences import Sentences, decoding_flops
from bench.workload import Size
from deepmt.config.spec import Method

MATT = Method(branch="saan", wiring="merged")


def build(size: Size, task: Task) -> System:
    """As ours, with fewer products."""
    return replace(ours.build(size, task, MATT), name="ours, MAtt", flops=flops)


def flops(size: Size, sentences: Sentences) -> float:
    """Of its own products."""
    return decoding_flops(size, sentences.source_lengths, merged=True)


if __name__ == "__main__":
    serve(build, Sentences)
