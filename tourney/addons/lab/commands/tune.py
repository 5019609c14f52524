"""``tourney tune``: tune the parameters of a bot, and accept the tuned bot by a gate."""

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

import click
from msgspec.structs import replace

from tourney.addons.lab import gate_forms
from tourney.addons.lab.asking import Answer
from tourney.addons.lab.commands.gate import EXIT_CODES
from tourney.addons.lab.commands.questions import AskingOptions, print_answer
from tourney.addons.lab.results import TuneResult
from tourney.addons.lab.tune_file import check_out, read_tune_file, write_tuned
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.cli import options as opt
from tourney.cli.completion import complete_bot
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.errors import UsageError
from tourney.results.texts import kinds_text
from tourney.run.entrant_reference import ReferenceReader
from tourney.run.preparation import find_bot
from tourney.texts import counted

COLUMNS: Final = ("name", "start", "value", "low", "high", "step")


class _TuneRequest(opt.CommandOptions):
    out: Path | None = option(
        "--out DIR",
        "New folder for the accepted bot. [default: NAME-tuned in the current folder]",
        type=click.Path(path_type=Path),
    )
    asking: AskingOptions
    format_: object = opt.formats(TuneResult)


@opt.command("tune", _TuneRequest)
@click.argument("bot", shell_complete=complete_bot)
@click.argument("file", type=click.Path(path_type=Path))
def command(bot: str, file: Path, options: _TuneRequest) -> None:
    """Tune the parameters that BOT declares in its bot.toml, by the games that FILE describes.

    The bot plays itself with other values, in pairs of games with the same dice and openings. Then a gate
    plays the tuned bot against the bot, with new dice: only if it proves the tuned bot better, a copy of the
    bot with the new values and a higher version is written. If the values make no difference, at most 5 % of
    tunings are accepted.

    The same command continues where it stopped. Exit code 0: accepted. 1: rejected, or no value changed. 4:
    undecided, or not at its end.
    """
    tune_file = read_tune_file(file)
    store = BotStore(Path(options.asking.bots).absolute())
    line = ReferenceReader(store, partial(open_sandbox, "auto"), say=current().say).read(bot)
    if line.args:
        raise UsageError(f"{bot} has arguments ({' '.join(line.args)}), and a bot is tuned without any")
    stored = find_bot(line, store, Path())
    out = options.out or Path(f"{stored.manifest.name}-tuned")
    question = tune_file.tuning(stored)
    check_out(stored, out)
    deadline = options.asking.end.deadline()
    tuning = options.asking.ask(question, f"tuning of {bot}", deadline)
    answer: Answer[TuneResult] = tuning
    changed = any(parameter.start != parameter.value for parameter in tuning.result.parameters)
    if tuning.result.ended and changed and not tuning.result.void:
        values = {parameter.name: parameter.value for parameter in tuning.result.parameters}
        with tempfile.TemporaryDirectory(prefix="tourney-") as folder:
            candidate = Path(folder) / stored.manifest.name
            write_tuned(stored, values, candidate)
            gate = options.asking.ask(tune_file.gate(candidate, stored), f"gate of {bot}, tuned", deadline)
        accepted = gate.result.verdict == "accepted"
        if accepted:
            write_tuned(stored, values, out)
        result = replace(tuning.result, gate=gate.result, out=str(out) if accepted else None)
        answer = Answer(result, gate.summary)
    print_answer(answer, _print, answer.result.parameters, COLUMNS)
    verdict = answer.result.gate and answer.result.gate.verdict
    sys.exit(EXIT_CODES[verdict or ("rejected" if answer.result.ended else "undecided")])


def _print(result: TuneResult) -> None:
    output = current()
    last = result.points[-1]
    bot = f"{result.bot.name} {result.bot.version}"
    pairs = f"{result.pairs} of {counted(result.planned_pairs, 'pair')} of games"
    output.write(f"{bot} in {result.game}, {result.method}: {pairs}\n")
    output.table(result.parameters, COLUMNS)
    output.write(f"\nEstimated gain {last.gain:+} Elo ({last.low:+} to {last.high:+}, at 95 %).")
    if result.first_fault is not None:
        first = f"the first: `tourney show {result.tuning}/{result.first_fault.match} --log`"
        output.write(f"Games with faults of the bot, which it lost: {kinds_text(result.faults)} ({first}).")
    output.write(_outcome(result))
    output.write(f"Stored as {result.tuning}: see `tourney report {result.tuning}`")


def _outcome(result: TuneResult) -> str:
    if result.gate is not None:
        where = f"written to {result.out}" if result.out else "not written"
        verdict = gate_forms.verdict_text(result.gate)
        if result.gate.reason == "pairs":
            pairs = counted(result.gate.pairs, "pair")
            verdict = f"UNDECIDED: {pairs} of games do not prove it better; set gate-games or games higher"
        return f"{verdict}; {where}. The gate is {result.gate.gate}."
    if not result.ended:
        return "Not at its end: run the same command again to go on."
    if result.void:
        return "Ended, as no pair of a batch counts: the bot fails with such values, so narrow low and high."
    return "No value has changed, so there is nothing to accept: play more games, or widen the steps."
