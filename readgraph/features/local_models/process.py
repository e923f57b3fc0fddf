"""The child process that runs a model: llama.cpp's server with OpenAI's protocol, which ends with its parent.

Its first line of input is JSON: the model's `path`, its `context` and the longest `reply` in tokens, the number of
`threads`, and the `key` that requests must have. Its first line of output is JSON too: the `address`, or the `problem`.
"""

import json
import os
import re
import sys
from collections.abc import Callable
from tempfile import TemporaryFile
from typing import Any

FAILED = re.compile(r"error loading model: (.+)")  # in llama.cpp's log


def serve(start: Callable[[dict[str, Any]], Any]) -> None:
    """Start the server, by a function that gives it with its address, and let it run until the parent ends."""
    arguments = json.loads(sys.stdin.readline())
    try:
        server = start(arguments)
        outcome = {"address": server.listening_address}
    except Exception as problem:
        outcome = {"problem": str(problem)}
    sys.stdout.write(json.dumps(outcome) + "\n")
    sys.stdout.flush()
    sys.stdin.read()  # it is closed when the parent ends, in whatever way
    os._exit(0)


def llama(arguments: dict[str, Any]) -> Any:
    """llama.cpp's server with the model loaded, on threads of its own."""
    from xllamacpp import CommonParams, Server

    settings = CommonParams()
    settings.model.path = arguments["path"]
    settings.model_alias = {"local"}  # the server tells everybody the model's name
    settings.hostnames, settings.api_keys = ["127.0.0.1"], [arguments["key"]]
    settings.ui = settings.endpoint_slots = False
    settings.n_ctx, settings.n_predict, settings.n_parallel = arguments["context"], arguments["reply"], 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = arguments["threads"]
    settings.cache_ram_mib = 0  # it would keep up to 8 GB of earlier prompts; the last one's beginning is kept anyway
    settings.warmup = settings.fit_params = False  # the first answer comes sooner
    settings.verbosity = 1  # errors only
    settings.sampling.temp, settings.sampling.seed = 0.3, 1
    with TemporaryFile() as log:
        silent = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            return Server(settings)
        except RuntimeError as problem:
            log.seek(0)
            told = FAILED.search(log.read().decode("utf-8", "replace"))
            raise ValueError(told[1].strip() if told else str(problem).rstrip(".")) from None
        finally:
            os.dup2(silent, 2)


if __name__ == "__main__":
    serve(llama)
