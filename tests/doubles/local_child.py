"""A double of a local model: a file with the metadata of a model's file, and a child process that replies."""

import json
import os
import signal
import struct
from pathlib import Path
from typing import Any

from readgraph.features.local_models.process import serve
from tests.doubles.model_server import ChatRequest, Fault, ModelServer

FACTS: dict[str, Any] = {
    "general.architecture": "llama",
    "general.size_label": "135M",
    "general.languages": ["en"],
    "llama.rope.freq_base": 100000.0,
    "llama.context_length": 8192,
}


def model_bytes(facts: dict[str, Any]) -> bytes:
    """A GGUF file with these facts and a vocabulary, and no weights."""
    entries = [*facts.items(), ("tokenizer.ggml.tokens", ["a", "b"]), ("general.after", "the vocabulary")]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(_text(k) + _typed(v) for k, v in entries)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _typed(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, list):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
    kind, form = (6, "f") if isinstance(value, float) else (4, "I")
    return struct.pack(f"<I{form}", kind, value)


def put_model_file(folder: Path, **facts: Any) -> Path:
    """A model's file in the folder."""
    path = folder / "small.gguf"
    path.write_bytes(model_bytes({**FACTS, **facts}))
    return path


def filled(schema: dict[str, Any], whole: dict[str, Any]) -> Any:
    """A minimal value for a schema, with the first of several choices, as llama.cpp's grammar would allow."""
    if "$ref" in schema:
        return filled(whole["$defs"][schema["$ref"].rsplit("/", 1)[-1]], whole)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return filled(schema["anyOf"][0], whole)
    if schema["type"] == "object":
        return {name: filled(part, whole) for name, part in schema["properties"].items()}
    return {"string": "The lamp.", "integer": 0, "boolean": True, "array": []}[schema["type"]]


class Double:
    """Replies with a minimal value for the schema, or with a sentence where no typed reply is asked for; needs the key.

    The model "alien.gguf" loads, but ends its process at the first call, like code compiled for another processor.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        if given["path"].endswith("broken.gguf"):
            raise ValueError("its tensors are not there")
        self.given = given
        self.server = ModelServer(self.reply)
        self.server.fault_for = self.refuse
        self.listening_address = self.server.__enter__().url.removesuffix("/v1")

    def reply(self, request: ChatRequest) -> str:
        """What is asked for."""
        if self.given["path"].endswith("alien.gguf"):
            os.kill(os.getpid(), signal.SIGILL)
        if grammar := request.body.get("grammar"):
            schema = json.loads(grammar.partition("%json")[2])
            return json.dumps(filled(schema, schema))
        return "The keeper lit the lamp."

    def refuse(self, request: ChatRequest, _: int) -> Fault | None:
        """Refuse what lacks the key."""
        return (
            None if request.headers["authorization"] == f"Bearer {self.given['key']}" else Fault("no key", status=401)
        )


if __name__ == "__main__":
    serve(Double)
