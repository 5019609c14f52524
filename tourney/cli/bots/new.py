"""``tourney bots new``: create a bot to start from."""

import shlex
from pathlib import Path

import click

from tourney.bots.catalogue.manifest import FILE_NAME, read_manifest
from tourney.bots.catalogue.shipped import ladders, shipped_bots
from tourney.bots.catalogue.starter import BEATEN, DEFAULT_GAME, LANGUAGES, TEMPLATES, missing_tools, new_bot
from tourney.bots.modules import find_runtime
from tourney.cli import options as opt
from tourney.cli.completion import complete_game
from tourney.cli.output import current


@opt.command("new")
@click.argument("name", type=click.Path(path_type=Path))
@click.option(
    "--game",
    default=DEFAULT_GAME,
    show_default=True,
    metavar="GAME",
    shell_complete=complete_game,
    help="Game the bot plays.",
)
@opt.choice_option("--language", LANGUAGES, "Programming language.")
@opt.choice_option("--template", TEMPLATES, "What the bot does: look at its actions, or search.")
@click.option("--wasm", is_flag=True, help="Build to a WebAssembly module; in python, c and rust.")
@click.option(
    "--packages", is_flag=True, help="Bring Python packages: the build unpacks wheels of the bot's folder."
)
def command(name: Path, game: str, language: str, template: str, wasm: bool, packages: bool) -> None:
    """Create a bot to start from, in the new folder NAME.

    The simple bot chooses by one short function; in the five games that have one of their own it beats
    `random`. The search bot beats `greedy` in them; it is there in Python for every game, in C for these
    five, in C++ for cyvasse, element and seven-sages, and in JavaScript for sage-stones. Both pass `tourney
    bots check ./NAME` unchanged. A WebAssembly module plays on clocks that reproduce (charge = "fuel"), and
    under all others too. Prints the files that it writes.
    """
    files = new_bot(name, language, game, template, wasm=wasm, packages=packages)
    output = current()
    for file in files:
        output.write(str(file))
    manifest = read_manifest((name / FILE_NAME).read_text("utf-8"), str(name / FILE_NAME))
    if manifest.command[0].endswith(".wasm"):
        if needed := find_runtime().missing_tools(language):
            output.say(f"note: the build needs {needed}")
    elif missing := missing_tools(language):
        output.say(f"note: {missing}")
    shown = shlex.quote(str(name if name.is_absolute() or len(name.parts) > 1 else f"./{name}"))
    beaten = shipped_bots()[BEATEN[template]] / FILE_NAME
    following = [f"bots check {shown}"]
    if packages:
        output.say(f"note: pip download --only-binary :all: --dest {shown}/wheels numpy  brings numpy")
    if read_manifest(beaten.read_text("utf-8"), str(beaten)).plays(game):
        following.append(f"compare {shown} {BEATEN[template]} --game {shlex.quote(game)}")
    if any(ladder == game for ladder, _ in ladders()):
        following.append(f"ladder {shown} --game {game}")
    output.say("Next:")
    for arguments in following:
        output.say(f"  tourney {arguments}")
