"""A double of a local model: a file with the metadata of a model's file, and a child process that replies."""

import json
import os
import signal
import struct
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from readgraph.features.local_models.process import serve

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


def double(given: dict[str, Any]) -> ASGIApp:
    """Replies with a minimal value for the schema, or with a sentence where no typed reply is asked for; needs the key.

    The model "alien.gguf" loads, but ends its process at the first call, like code compiled for another processor.
    """
    if given["path"].endswith("broken.gguf"):
        raise ValueError("its tensors are not there")
    dies = given["path"].endswith("alien.gguf")

    async def chat(http: Request) -> Response:
        request = json.loads(await http.body())
        if dies:
            os.kill(os.getpid(), signal.SIGILL)
        if http.headers["authorization"] != f"Bearer {given['key']}":
            return Response(status_code=401)
        schema = request.get("response_format", {}).get("schema")
        said = json.dumps(filled(schema, schema)) if schema else "The keeper lit the lamp."
        message = {"role": "assistant", "content": said}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse({"id": "1", "object": "chat.completion", "created": 0, "model": "", "choices": [choice]})

    return Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])])


if __name__ == "__main__":
    serve(double)
