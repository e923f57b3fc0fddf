"""What notes are for, where that is known before a text is read: conditional gisting (ReadAgent, G.1 and G.2)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from readgraph.nodes.step import MakeRecipe
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import PRESET, PURPOSE
from readgraph.state.settings import Preset

NAME, VERSION = "preset", 1  # the version of all presets' texts; a memory built with one holds it


class KnownPurpose(NamedTuple):
    """A kind of text: what a model is told that notes are for, and the words that tell which sentences matter."""

    text: str
    words: str


PRESETS: dict[Preset, KnownPurpose] = {
    "question": KnownPurpose("", ""),  # the asked question itself: see `readgraph.nodes.purpose`
    "code": KnownPurpose(
        "Finding one's way in a program. Say of each file what it is there for and what it offers; name its public "
        "functions, classes and methods with their signatures as they are written (parameters, types, defaults, what "
        "comes back), the errors they raise, and what they use of other files. Leave out how they work inside.",
        "def class function func fn struct interface type import export public return returns raise raises throws "
        "parameter parameters argument arguments default module file usage signature",
    ),
    "meeting": KnownPurpose(
        "Looking up what a meeting came to. Keep each subject with what was decided, by whom and why; who is to do "
        "what, and by when; figures and dates; who objected; what was left open. Leave out small talk.",
        "decide decided decision agree agreed propose proposed suggest object vote action task deadline due date "
        "budget next week month should will must open question issue problem conclude conclusion",
    ),
    "contract": KnownPurpose(
        "Checking what a contract binds whom to. Keep the number of each clause, the parties and defined terms as "
        "they are called; who shall, may or must not do what; amounts, dates, periods and notices; conditions, "
        "exceptions and limits; what follows from a breach, and how the contract ends. Keep the words that bind.",
        "shall must may not party parties term agreement means defined payment pay fee amount notice days period "
        "terminate termination breach liable liability indemnify warranty unless except subject law clause section",
    ),
    "novel": KnownPurpose(
        "Following a story. Keep who is there, by full name and by how they stand to each other; where and when it "
        "happens; what they do, want, say that matters and find out, in its order; what changes between them; hints "
        "and objects that may matter later. Leave out descriptions that change nothing.",
        "met married born died killed love father mother daughter son sister brother friend enemy stranger letter "
        "secret promise lie left returned found lost",
    ),
}


def purpose_line(notes: str, purpose: str) -> str:
    """The line above a task that says what the `notes` are for; "" where no purpose is known."""
    return f"What the {notes} is for: {purpose.strip()}\n" if purpose.strip() else ""


ASKED = "answering this question: "  # what stands before the asked question where it is the purpose


def with_question(context: ReaderContext, question: str, options: Iterable[str] = ()) -> ReaderContext:
    """The context with the question as purpose, if its preset is `question`; else as it is."""
    if context.preset != "question":
        return context
    asked = ASKED + "\n".join([question.strip(), *(f"- {option.strip()}" for option in options)])
    return replace(context, preset=None, purpose="\n".join(filter(None, [context.purpose, asked])))


def purpose_of(context: ReaderContext) -> str:
    """What a model is told that notes are for; "" where no purpose is known."""
    preset = PRESETS[context.preset].text if context.preset else ""
    return "\n".join(filter(None, [preset, context.purpose]))


def purpose_words(context: ReaderContext) -> str:
    """The words that tell, without a model, which sentences serve the purpose."""
    preset = PRESETS[context.preset].words if context.preset else ""
    return " ".join(filter(None, [preset, context.purpose.replace(ASKED, "")]))


def serves_purpose(recipe: MakeRecipe) -> MakeRecipe:
    """The recipe, marked as one that `purpose_parameters` are part of: the asked question may be its purpose."""
    vars(recipe)["serves_purpose"] = True
    return recipe


def purpose_parameters(context: ReaderContext) -> dict[str, Any]:
    """What a memory's recipe says of its purpose; raises `BadInput` where that is a question and none is asked."""
    if context.preset == "question":
        raise BadInput("The preset 'question' needs a question: ask one, or choose another preset to read a text.")
    named = {PRESET: context.preset, PURPOSE: context.purpose}
    return {name: value for name, value in named.items() if value}


def purpose_prompts(context: ReaderContext) -> dict[str, int]:
    """The version of the preset's text in a recipe, where a preset is named."""
    return {NAME: VERSION} if context.preset else {}
