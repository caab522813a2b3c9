"""`blockfall tbp`: an agent as a bot of the Tetris Bot Protocol, on standard input and output."""

import sys

import typer

from blockfall.agents import agent
from blockfall.cli.options import AgentOption, PluginOption, RulesOption
from blockfall.errors import BlockfallError
from blockfall.rulesets import rules
from blockfall.validation import visible

app = typer.Typer()


@app.command("tbp", epilog="Example: blockfall tbp --agent dellacherie")
def tbp_command(
    agent_name: AgentOption = "dellacherie",
    rules_name: RulesOption = "guideline",
    _plugins: PluginOption = None,
) -> None:
    """Play as a Tetris Bot Protocol bot: read messages from standard input, write answers to standard output."""
    from blockfall import __version__
    from blockfall.games.bot import Bot
    from blockfall.tbp.messages import MOST_BYTES

    bot = Bot(agent(agent_name), rules(rules_name))
    _say([bot.greeting(__version__)])
    while not bot.ended and (row := sys.stdin.buffer.readline(MOST_BYTES + 1)):
        if not row.strip():
            continue
        try:
            _say(bot.hear(row))
        except BlockfallError as error:  # the game goes on: a frontend may be newer than this bot
            print(f"blockfall: ignored: {visible(str(error))}", file=sys.stderr)


def _say(answers: list[str]) -> None:
    for answer in answers:
        sys.stdout.write(answer)
    sys.stdout.flush()
