"""Prompts from templates of the caller's own, with placeholders in braces, for a model that takes one text.

The placeholders are those of compact-memory's ReadAgent engine. What is put in is fenced, as in all prompts.
"""

import string
from collections.abc import Set
from dataclasses import dataclass

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.state.errors import BadInput

NAME, VERSION = "templates", 1

GIST = (
    "{text}\n\nShorten this passage to about {gist_length} tokens. Keep who did what, when, where and why, with names "
    "and numbers; add nothing."
)
QA = "Context: {context}\n\nQuestion: {question}\n\nAnswer the question from the text above alone."
LOOK_UP = (
    "Summaries: {summaries}\n\nQuestion: {question}\n\n"
    "Which pages hold the details that the answer needs? Give their numbers."
)


def check_template(key: str, template: object, required: Set[str], optional: Set[str] = frozenset()) -> None:
    """Check a template; raises `BadInput` if it lacks a placeholder, or has one that nothing can fill."""
    if not isinstance(template, str):
        raise BadInput(f"{key} must be a string with {_braced(required)}, not {type(template).__name__}.")
    try:
        fields = [(name, form, how) for _, name, form, how in string.Formatter().parse(template) if name is not None]
    except ValueError:
        raise BadInput(f"{key} has a single brace: write {{{{ and }}}} for braces that are no placeholder.") from None
    for name, form, how in fields:
        if name in required | optional and (form or how):
            raise BadInput(f"{key} says how to write {{{name}}}: leave out what stands behind the name.")
        if name not in required | optional:
            raise BadInput(f"{key} has an unknown placeholder {{{name}}}: it can have {_braced(required | optional)}.")
    if missing := required - {name for name, _, _ in fields}:
        raise BadInput(f"{key} lacks {_braced(missing)}.")


def _braced(names: Set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


@dataclass(frozen=True)
class Templates:
    """The three templates; raises `BadInput` for one that can't be used."""

    gist: str = GIST
    qa: str = QA
    look_up: str = LOOK_UP

    def __post_init__(self) -> None:
        check_template("gist_prompt_template", self.gist, {"text"}, {"gist_length"})
        check_template("qa_prompt_template", self.qa, {"context", "question"})
        check_template("lookup_prompt_template", self.look_up, {"summaries", "question"})

    def gist_prompt(self, page: str, tokens: int) -> Prompt:
        """Ask for a page's gist of about this many tokens."""
        return _prompt("gist", self.gist, text=fenced("passage", page), gist_length=tokens)

    def look_up_prompt(self, memory: str, question: str, choices: dict[str, str], max_pages: int) -> Prompt:
        """Ask for the pages to read again."""
        return _prompt("look_up", self.look_up, summaries=fenced("memory", memory), question=_asked(question, choices))

    def qa_prompt(self, memory: str, question: str, choices: dict[str, str]) -> Prompt:
        """Ask for the answer."""
        return _prompt("answer", self.qa, context=fenced("memory", memory), question=_asked(question, choices))


def _prompt(name: str, template: str, **values: object) -> Prompt:
    return Prompt(name, VERSION, DATA_RULE, template.format(**values))


def _asked(question: str, choices: dict[str, str]) -> str:
    return "\n".join([question, *(f"{letter}. {option}" for letter, option in choices.items())])
