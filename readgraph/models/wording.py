"""The words of a prompt, apart from what is put into them, so that a user can put other words in their place."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from readgraph.models.prompt import Prompt, Worded

_PLACE = re.compile(r"\{(\w+)\}")

_every: dict[str, "Wording"] = {}


class Instructions(str):
    """The system's instructions of a prompt that is completed later, with what they were made of."""

    wording: "Wording"
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Wording:
    """The words of one prompt: the system's instructions and the task, with `{places}` for values and `parts`.

    A part is a piece of text that stands only where it is needed, and may have places itself. `name` is the name of its
    file, `prompt` that of the prompt in recipes, which may have several wordings, with its `version`.
    """

    name: str
    prompt: str
    version: int
    system: str
    task: str
    parts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def ask(self, *material: str, **values: Any) -> Prompt:
        """The prompt: what there is of the material, then the task. A part is shown where its value is true."""
        before = "\n\n".join(filter(None, material))
        return Prompt(
            self.prompt,
            self.version,
            self.filled(self.system, values),
            "\n\n".join(filter(None, [before, self.filled(self.task, values)])),
            Worded(self, before, values),
        )

    def instructions(self, **values: Any) -> Instructions:
        """The system's instructions alone."""
        made = Instructions(self.filled(self.system, values))
        made.wording, made.values = self, values
        return made

    def filled(self, text: str, values: Mapping[str, Any]) -> str:
        """A text with its places filled, once: what is put in is not looked at."""

        def put(place: re.Match[str]) -> str:
            name = place[1]
            if name in self.parts:
                return self.filled(self.parts[name], values) if values.get(name) else ""
            return str(values.get(name, place[0]))

        return _PLACE.sub(put, text)

    @property
    def texts(self) -> dict[str, str]:
        """All texts by their names: system, task, and each part."""
        return {"system": self.system, "task": self.task, **self.parts}


def wording(name: str, prompt: str, version: int, system: str, task: str, **parts: str) -> Wording:
    """Declare the words of a prompt, which then can be exported and replaced."""
    _every[name] = Wording(name, prompt, version, system, task, MappingProxyType(parts))
    return _every[name]


def versions_of(*words: Wording) -> dict[str, int]:
    """The versions of prompts by their names, as recipes hold them."""
    return {each.prompt: each.version for each in words}


def declared_wordings() -> Iterator[Wording]:
    """All wordings of the modules that were imported, by their names."""
    return (_every[name] for name in sorted(_every))


def places_in(text: str) -> frozenset[str]:
    """The names of the places in a text."""
    return frozenset(_PLACE.findall(text))
