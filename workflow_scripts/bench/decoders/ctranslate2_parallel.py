"""CTranslate2 with a worker for each thread, which share the sentences of a batch."""

from bench.decoders import ctranslate2
from bench.protocol import System, Task, serve
from bench.sentences import Sentences
from bench.workload import Size


def build(size: Size, task: Task) -> System:
    """As with one worker."""
    return ctranslate2.build(size, task, workers=task.threads)


if __name__ == "__main__":
    serve(build, Sentences)
