"""What stands around an agent's memory in its prompt: instructions, functions, and what the moment asks for."""

from langgraph.runtime import Runtime

from readgraph.nodes.agent_contracts import LivingState
from readgraph.nodes.calling_functions import Functions
from readgraph.nodes.prompts.agent import chat_system, reading_system
from readgraph.nodes.thinking import Frame, MakeFrame
from readgraph.state.agents import agent_store
from readgraph.state.context import ReaderContext


def chat_frame(functions: Functions, *, dated: bool = True) -> MakeFrame:
    """For an agent that lives on: its own instructions stand behind the functions; `dated`: events show their time."""

    async def frame(state: LivingState, runtime: Runtime[ReaderContext]) -> Frame:
        system = chat_system(functions.described, await _own(state, runtime))
        return Frame(system, _task(state, runtime), functions.needed, dated)

    return frame


def reading_frame(functions: Functions) -> MakeFrame:
    """For an agent that answers a question; without times, so that the same question finds its recorded replies."""

    async def frame(state: LivingState, runtime: Runtime[ReaderContext]) -> Frame:
        task = f"{await _own(state, runtime)}\n\n{_task(state, runtime)}"
        return Frame(reading_system(functions.described), task, functions.needed, dated=False)

    return frame


async def _own(state: LivingState, runtime: Runtime[ReaderContext]) -> str:
    return (await agent_store(runtime).own_agent(state["agent"])).instructions


def _task(state: LivingState, runtime: Runtime[ReaderContext]) -> str:
    left = runtime.context.max_chain - state["calls"]
    last = " This is the last one: say what you have to say." if left == 1 else ""
    stored = (
        f"In recall storage: {state['events']} events. In archival storage: {state['passages']} passages of your own, "
        f"{len(state['documents'])} documents."
    )
    return f"{stored}\n\nCall your next function; you may call {left} more in this turn.{last}"
