"""The agent's next step from a model that writes no JSON: it chooses a function, then gives what that one needs."""

from collections.abc import Mapping

from langgraph.runtime import Runtime

from readgraph.nodes.asking import ask
from readgraph.nodes.prompting import Prompt
from readgraph.nodes.prompts.agent import Argument, NextStep
from readgraph.nodes.prompts.offered import offering
from readgraph.nodes.prompts.plain_step import ArgumentText, FunctionNumber, argument_prompt, function_prompt
from readgraph.state.agents import SPEAKS
from readgraph.state.context import ReaderContext

NeededArguments = Mapping[str, Mapping[str, str]]
"""By the names of functions: the arguments that each can't do without, with what they are."""


async def plain_step(context: Prompt, functions: NeededArguments, runtime: Runtime[ReaderContext]) -> NextStep:
    """The step, without optional arguments; after a message the agent waits, else it goes on. Raises as `ask` does."""
    names = list(functions)

    def complaint(reply: FunctionNumber) -> str | None:
        return None if 0 < reply.number <= len(names) else f"choose a number from 1 to {len(names)}"

    offered = offering(FunctionNumber, number=range(1, len(names) + 1))
    function = names[(await ask(runtime, function_prompt(context, names), offered, complaint)).number - 1]
    arguments = []
    for name, described in functions[function].items():
        given = await ask(runtime, argument_prompt(context, function, name, described), ArgumentText)
        arguments.append(Argument(name=name, value=given.text))
    return NextStep(inner_thoughts="", function=function, arguments=arguments, run_on=function != SPEAKS)
