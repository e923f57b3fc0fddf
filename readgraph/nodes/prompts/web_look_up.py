"""Looking up parts of a web page before acting on it (ReadAgent, appendix E.1)."""

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.question import question_part

NAME, VERSION = "web_look_up", 1

_SYSTEM = (
    "You carry out an instruction on a web site, step by step. Of the page that is open you know a note on each of "
    "its parts. Before you choose the next step, you may see parts with all their elements. " + DATA_RULE
)


_WORDS = wording(
    "web_look_up",
    NAME,
    VERSION,
    _SYSTEM,
    "Which parts of the page, by their page numbers, do you want to see for the next step of the instruction? "
    "{one}{several}, the most important first. Don't choose the step yet.",
    one="Name one",
    several="Name at most {most}, and as few as will do",
)


def web_look_up_prompt(memory: str, instruction: str, choices: dict[str, str], most: int) -> Prompt:
    """Ask for the parts to see: one, or up to `most`. The instruction comes with what was done so far."""
    number = {"one": most == 1, "several": most != 1, "most": most}
    return _WORDS.ask(fenced("memory", memory), question_part(instruction, choices), **number)
