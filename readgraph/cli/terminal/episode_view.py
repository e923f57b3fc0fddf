"""An episode on the terminal: each action before it happens, what came of it, and the summary."""

from readgraph.browsing.episode import Episode, EpisodeStep, Proposed
from readgraph.cli.terminal.output_options import Screen, agreed
from readgraph.cli.terminal.rendering import footer, print_json, used
from readgraph.cli.terminal.safe_text import Console, Text, one_line
from readgraph.models.names.prices import cost
from readgraph.state.words import counted

ENDED = {
    "finished": "Finished",
    "stuck": "The agent can't go on",
    "steps": "Not finished: all steps are used up; give more with --max-steps",
    "budget": "Not finished: the budget of calls or words is used up",
}


class EpisodeView:
    """Prints an episode as text while it goes on, or as JSON at its end."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.console = Console(stderr=screen.as_json, quiet=screen.quiet or screen.as_json)

    def propose(self, number: int, proposed: Proposed) -> None:
        """Show an action that was chosen."""
        self.console.print(Text(f"{number}. {one_line(proposed.title) or 'A page'}  {proposed.url}", style="dim"))
        self.console.print(Text(f"   {one_line(proposed.action['said'])}", style="bold"))
        if self.screen.verbose and proposed.action["reason"]:
            self.console.print(Text(f"   because: {one_line(proposed.action['reason'])}"))

    def agreed(self, proposed: Proposed) -> bool:
        """Whether the user wants this action to be done."""
        return agreed(f"   Do this on {proposed.url}: {one_line(proposed.action['said'])}? [y/N] ")

    def came_of(self, step: EpisodeStep) -> None:
        """Show what came of an action, where that is not only that it was done."""
        lead = {"done": "", "refused": "Left undone.", "failed": "It could not be done."}[step["came"]]
        for line in filter(None, [lead, *step["notes"]]):
            self.console.print(Text(f"   {one_line(line)}", style="yellow"))

    def end(self, episode: Episode) -> None:
        """Print the summary."""
        spent = cost(episode.trajectory, self.screen.price, batch=episode.context.batch)
        found = episode.summary()
        if self.screen.as_json:
            print_json({**found, "model": episode.context.model, "cost": spent})
            return
        outcome = ENDED[found["outcome"]] + (f": {one_line(found['reason'])}" if found["reason"] else ".")
        Console().print(Text(outcome, style="bold"))
        if self.screen.quiet:
            return
        done = f"{counted(len(found['steps']), 'step')}, {counted(found['actions'], 'action')} done"
        blocked = ", ".join(f"{origin} {count}" for origin, count in found["blocked"].items())
        kept = f" · blocked requests to other sites: {blocked}" if blocked else ""
        Console().print(footer(f"{done}{kept} · {used(found['usage'], spent)}", found["fallbacks"], found["usage"]))
