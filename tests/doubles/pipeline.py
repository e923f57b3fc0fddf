"""A scripted function from a prompt to a text, as `local_llm_pipeline`: it shortens, chooses pages, answers."""

import re
from dataclasses import dataclass, field


@dataclass
class Pipeline:
    """Replies to the prompts of the default templates, and keeps them.

    Gists are the first words of the passage: of the tokens asked for, three quarters times `length`.
    """

    length: float = 0.9
    pages: str = "Pages [1, 2]"
    answer: str = "Ben took it."
    prompts: list[str] = field(default_factory=list)

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if "Which pages hold" in prompt:
            return self.pages
        if "Answer the question" in prompt:
            return self.answer
        (tokens,) = re.findall(r"to about (\d+) tokens", prompt)
        passage = prompt.split("<passage>")[1].split("</passage>")[0].split()
        return " ".join(passage[: max(1, int(int(tokens) * 0.75 * self.length))])
