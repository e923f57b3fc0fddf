"""`browse`: carry out an instruction on a web site in a real browser, each action confirmed by the user."""

import os
from functools import partial
from getpass import getpass

from readgraph.browsing.driver import ChromiumDriver
from readgraph.browsing.episode import Episode, Proposed, check_can_begin
from readgraph.cli.method_settings import check_typed
from readgraph.cli.run.run_graph import show_event
from readgraph.cli.run.stopping import stopping_once
from readgraph.cli.terminal.episode_view import EpisodeView
from readgraph.cli.terminal.notices import notices
from readgraph.cli.terminal.output_options import Screen, person_types
from readgraph.cli.terminal.progress.reading import ReadingProgress
from readgraph.graphs import web_agent
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import settings_in
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library_in_background
from readgraph.state.running.background import background, in_background

PASSWORD = "READGRAPH_PASSWORD"
"""The environment variable that holds a password for the site, where nobody can be asked for it."""


def browse_site(
    url: str,
    instruction: str,
    driver: str,
    max_steps: int,
    context: ReaderContext,
    folder: LibraryPlace | None,
    screen: Screen,
    *,
    sure: bool,
) -> None:
    """Carry out the instruction, and print what was done. With `sure`, nobody is asked before an action."""
    if not sure and not person_types():
        raise BadInput("Each action is confirmed on a terminal: run it there, or allow every action with --yes.")
    check_typed(settings_in(web_agent.graph.context_schema or ReaderContext), "browse")
    check_can_begin(context, instruction)
    browser = background().wrap_async_context_manager(ChromiumDriver.opened(url, driver))
    with stopping_once(), open_library_in_background(folder) as library, browser as opened:
        episode = Episode(opened, library, context, instruction, max_steps)
        view = EpisodeView(screen)
        while proposed := in_background(_propose, episode, screen):
            _carry_out(episode, proposed, view, sure=sure)
        view.end(episode)


async def _propose(episode: Episode, screen: Screen) -> Proposed | None:
    with ReadingProgress(screen) as progress, notices(progress.say, screen):
        return await episode.propose(partial(show_event, progress))


def _carry_out(episode: Episode, proposed: Proposed, view: EpisodeView, *, sure: bool) -> None:
    """Show an action, and do it if the user agrees."""
    view.propose(len(episode.steps) + 1, proposed)
    if sure or view.agreed(proposed):
        password = _password(proposed) if proposed.wants_password else ""
        step = in_background(episode.do, proposed, password)
    else:
        step = episode.refuse(proposed)
    view.came_of(step)


def _password(proposed: Proposed) -> str:
    """The password that is typed into a field: the model neither sees nor knows it."""
    if given := os.environ.get(PASSWORD):
        return given
    return getpass(f"Password for {proposed.element.described}: ") if person_types() else ""
