"""The whole text in the prompt: what a model says that reads everything, as far as it fits.

python examples/others/whole_context.py examples/questions.jsonl --model gpt-5.4-mini --out whole_context.jsonl
"""

from argparse import Namespace

from answering import run

from readgraph_evaluation.records import Text


class WholeContext:
    """A text as it is."""

    def __init__(self, given: Namespace) -> None:
        self.text = ""

    async def read(self, text: Text) -> None:
        """Keep it."""
        self.text = text.text

    async def find(self, question: str) -> list[str]:
        """All of it."""
        return [self.text]


if __name__ == "__main__":
    run(WholeContext, __doc__)
