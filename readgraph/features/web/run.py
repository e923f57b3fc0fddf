"""`browse`: carry out an instruction on a web site in a real browser, each action confirmed by the user."""

import os
from getpass import getpass

from readgraph.cli.settings import check_typed
from readgraph.cli.terminal.progress import watch_run
from readgraph.cli.terminal.rendering import footer, print_json
from readgraph.cli.terminal.safe_text import Console, SafeText, one_line
from readgraph.cli.terminal.screen import OutputOptions, allow_one_stop, ask_yes_or_no, can_ask_user
from readgraph.features.web import graph as web_agent
from readgraph.features.web.driver import ChromiumDriver
from readgraph.features.web.episode import Episode, EpisodeStep, Proposed, check_can_begin
from readgraph.library.address import LibraryPlace
from readgraph.library.opening import open_library_in_background
from readgraph.models.prices import cost
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import settings_in
from readgraph.state.errors import BadInput
from readgraph.state.loops import background, in_background
from readgraph.state.transports import price_share
from readgraph.state.words import format_count

ENDED = {
    "finished": "Finished",
    "stuck": "The agent can't go on",
    "steps": "Not finished: all steps are used up; give more with --max-steps",
    "budget": "Not finished: the budget of calls or words is used up",
}


class EpisodeView:
    """Prints an episode as text while it goes on, or as JSON at its end."""

    def __init__(self, screen: OutputOptions) -> None:
        self.screen = screen
        self.console = Console(stderr=screen.as_json, quiet=screen.quiet or screen.as_json)

    def propose(self, number: int, proposed: Proposed) -> None:
        """Show an action that was chosen."""
        self.console.print(SafeText(f"{number}. {one_line(proposed.title) or 'A page'}  {proposed.url}", style="dim"))
        self.console.print(SafeText(f"   {one_line(proposed.action['said'])}", style="bold"))
        if self.screen.verbose and proposed.action["reason"]:
            self.console.print(f"   because: {one_line(proposed.action['reason'])}")

    def show_result(self, step: EpisodeStep) -> None:
        """Show what came of an action, where that is not only that it was done."""
        lead = {"done": "", "refused": "Left undone.", "failed": "It could not be done."}[step["came"]]
        for line in filter(None, [lead, *step["notes"]]):
            self.console.print(SafeText(f"   {one_line(line)}", style="yellow"))

    def end(self, episode: Episode) -> None:
        """Print the summary."""
        spent = cost(episode.trajectory, self.screen.price, price_share(episode.context))
        summary = {**episode.summary(), "model": episode.context.model, "cost": spent}
        if self.screen.as_json:
            print_json(summary)
            return
        outcome = ENDED[summary["outcome"]] + (f": {one_line(summary['reason'])}" if summary["reason"] else ".")
        Console().print(SafeText(outcome, style="bold"))
        if self.screen.quiet:
            return
        done = f"{format_count(len(summary['steps']), 'step')}, {format_count(summary['actions'], 'action')} done"
        blocked = ", ".join(f"{origin} {count}" for origin, count in summary["blocked"].items())
        kept = f"blocked requests to other sites: {blocked}" if blocked else ""
        Console().print(footer(summary, done, kept))


PASSWORD = "READGRAPH_PASSWORD"  # of the site, where nobody can be asked for it


def browse_site(
    url: str,
    instruction: str,
    driver: str,
    max_steps: int,
    context: ReaderContext,
    library: LibraryPlace | None,
    screen: OutputOptions,
    *,
    sure: bool,
) -> None:
    """Carry out the instruction, and print what was done. With `sure`, nobody is asked before an action."""
    if not sure and not can_ask_user():
        raise BadInput("Each action is confirmed on a terminal: run it there, or allow every action with --yes.")
    check_typed(settings_in(web_agent.graph.context_schema or ReaderContext), "browse")
    check_can_begin(context, instruction)

    async def propose(episode: Episode) -> Proposed | None:
        with watch_run(screen) as listen:
            return await episode.propose(listen)

    browser = background().wrap_async_context_manager(ChromiumDriver.opened(url, driver))
    with allow_one_stop(), open_library_in_background(library) as opened, browser as driven:
        episode = Episode(driven, opened, context, instruction, max_steps)
        view = EpisodeView(screen)
        while proposed := in_background(propose, episode):
            view.propose(len(episode.steps) + 1, proposed)
            question = f"   Do this on {proposed.url}: {one_line(proposed.action['said'])}? [y/N] "
            if sure or ask_yes_or_no(question):
                password = _password(proposed) if proposed.wants_password else ""
                step = in_background(episode.do, proposed, password)
            else:
                step = episode.refuse(proposed)
            view.show_result(step)
        view.end(episode)


def _password(proposed: Proposed) -> str:
    """The password that is typed into a field: the model neither sees nor knows it."""
    if given := os.environ.get(PASSWORD):
        return given
    return getpass(f"Password for {proposed.element.description}: ") if can_ask_user() else ""
