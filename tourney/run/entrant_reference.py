"""What a person names as an entrant: a bot, a program of this machine, or an entrant of a tournament file.

All commands read references here, so that ``stockfish`` means the same program in each of them.
"""

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from tourney.bots.catalogue.command import PROGRAM_VERSION, add_program, program_path
from tourney.bots.catalogue.manifest import MODULE_SUFFIX
from tourney.bots.catalogue.shipped import shipped_bots
from tourney.bots.catalogue.store import BotStore, StoredBot, path_of
from tourney.bots.catalogue.submission import is_archive
from tourney.bots.channel.interface import Channel
from tourney.bots.protocols import MAX_OUTPUT, PROTOCOLS, Setting
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.errors import BotError, UsageError
from tourney.held_folder import remove_tree
from tourney.match.player import MS
from tourney.match.runner import StoreLauncher, entrant_of
from tourney.match.spec import DEFAULT_LIMITS, Limits
from tourney.protocol import Hello
from tourney.run.file_schema import EntrantLine, named_program
from tourney.run.tournament_file import read_tournament_file, toml_value

MAX_WAIT_MS: Final = 3_000
"""Time for the answer to each greeting."""
HEAD_START_MS: Final = 500
"""Time that the first greeting has alone: most programs answer it, and need one process then."""


class Greeting(NamedTuple):
    """A protocol of engines: its name in ``bot.toml`` and for people, the line that asks, and the answer."""

    protocol: str
    title: str
    ask: bytes
    answer: re.Pattern[str]


ENGINES: Final = (
    Greeting("uci", "UCI", b"uci\n", re.compile(r"uciok\s*")),
    Greeting("gtp", "GTP", b"1 protocol_version\n", re.compile(r"=1\s+[0-9]+\s*", re.ASCII)),
    Greeting("xboard", "xboard's protocol", b"xboard\nprotover 2\n", re.compile(r"feature .*")),
    Greeting("gomocup", "Gomocup's protocol", b"ABOUT\n", re.compile(r'.*\bname\s*=\s*".*')),
)
TOURNEY: Final = Greeting("tourney", "Tourney's protocol", Hello().encode(), re.compile(r"bot(?: .*)?"))


def find_greeting(
    bot: StoredBot, store: BotStore, sandbox: Sandbox, limits: Limits, greetings: Sequence[Greeting] = ENGINES
) -> Greeting | None:
    """The first greeting that a bot of a store answers, or None. Raises the errors of its start."""
    launch = StoreLauncher(store, sandbox)
    entrant = entrant_of(bot, bot.manifest.name)
    with ExitStack() as stack:

        def ask(greeting: Greeting) -> _Question:
            # A process for each question, as a bot may end at a line that it does not know.
            channel = launch(entrant, limits)
            stack.callback(channel.close, 0)
            channel.widen(*MAX_OUTPUT, lenient=True)
            channel.request(greeting.ask)
            deadline = time.monotonic_ns() + min(MAX_WAIT_MS, limits.startup_ms) * MS
            return _Question(greeting, channel, deadline)

        first = ask(greetings[0])
        if first.is_answered(time.monotonic_ns() + HEAD_START_MS * MS):
            return first.greeting
        # One after the other, a program that answers nothing would take the time of all greetings together.
        questions = [first, *map(ask, greetings[1:])]
        return next((question.greeting for question in questions if question.is_answered()), None)


class _Question(NamedTuple):
    """A greeting that was sent to a process, and the time by which it is to be answered."""

    greeting: Greeting
    channel: Channel
    deadline: int

    def is_answered(self, until: int | None = None) -> bool:
        """Whether the answer comes by the deadline; with ``until``, whether it comes by that time already."""
        deadline = self.deadline if until is None else min(until, self.deadline)
        while (event := self.channel.wait(deadline)).kind == "line":
            if self.greeting.answer.fullmatch(event.text.strip()):
                return True
        return False


@dataclass(frozen=True, slots=True)
class ProgramSettings:
    """Settings of programs that a command line gives: options, limits of a turn, arguments and protocol."""

    options: Mapping[str, Setting] = field(default_factory=dict)
    go: Mapping[str, int] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    protocol: str | None = None

    @classmethod
    def read(cls, each: Sequence[str], options: Mapping[str, str]) -> "ProgramSettings":
        """The settings of ``--each KEY=VALUE`` words, and of further ``options``. Raises UsageError."""
        all_options = {name: typed(value) for name, value in options.items()}
        go: dict[str, int] = {}
        args: tuple[str, ...] = ()
        protocol = None
        for word in each:
            key, equals, value = word.partition("=")
            kind, _, name = key.partition(".")
            if equals and kind == "option" and name:
                all_options[name] = typed(value)
            elif equals and kind == "go" and name and value.isdecimal():
                go[name] = int(value)
            elif equals and key == "arg":
                args = (*args, value)
            elif equals and key == "protocol":
                protocol = value
            else:
                raise UsageError(
                    f"--each {word!r} is not one of option.NAME=VALUE, go.NAME=NUMBER, arg=WORD and"
                    " protocol=NAME; times and nodes of all are limits of the match, as --clock and --nodes"
                )
        return cls(all_options, go, args, protocol)

    def apply(self, line: EntrantLine) -> EntrantLine:
        """A program's line with these settings; those of its file win. A bot with bot.toml keeps its own."""
        if not line.command:
            return line
        return replace(
            line,
            command=(*line.command, *self.args),
            options={**self.options, **line.options},
            go={**self.go, **line.go},
        )

    @property
    def named(self) -> str:
        """The first setting that was given, in words, or ""."""
        words = [f"option {name}" for name in self.options] + [f"go.{name}" for name in self.go]
        words += [f"arg {word}" for word in self.args]
        words += [f"protocol {self.protocol}"] if self.protocol else []
        return words[0] if words else ""


def typed(text: str) -> Setting:
    """The value of an option from a command line: ``true``, ``16`` and ``0.5`` as in TOML, else the text."""
    value = toml_value(text)[1]
    return value if isinstance(value, bool | int | float) else text


@dataclass(frozen=True, slots=True)
class ReferenceReader:
    """Reads references to entrants.

    ``store`` has the bots, programs are asked in the sandbox that ``open_sandbox`` opens, and ``say`` gets a
    sentence when a program was asked for its protocol.
    """

    store: BotStore
    open_sandbox: Callable[[], Sandbox]
    settings: ProgramSettings = ProgramSettings()
    say: Callable[[str], None] = lambda _: None

    def read(self, reference: str) -> EntrantLine:
        """The line of an entrant, as a tournament file would have it.

        - ``cup.toml#a``: the entrant ``a`` of a tournament file.
        - ``uci:stockfish``: a program of that protocol, on PATH or by its path, with arguments after blanks.
        - a path: a bot, or a program, which is asked for its protocol.
        - a name: a bot that was added, ships or was used; otherwise a program on PATH, which is asked.

        Raises BotError for a program that is missing or answers no protocol, and TournamentError for a file.
        """
        if _names_entrant(reference):
            file, _, name = reference.rpartition("#")
            return self.settings.apply(entrant_of_file(Path(file), name))
        if (program := named_program(reference)) is not None:
            protocol, words = program
            return self._program(words, protocol)
        path = path_of(reference)
        is_program = self._is_program(path) if path is not None else self._is_on_path(reference)
        if not is_program:
            return EntrantLine(reference)
        if self.settings.protocol is not None:
            return self._program((reference,), self.settings.protocol)
        return self._asked(reference)

    def _program(self, words: Sequence[str], protocol: str) -> EntrantLine:
        """The line of a program with its arguments, which must be there."""
        program_path(words[0] if words else "", Path())
        return self.settings.apply(EntrantLine(command=tuple(words), protocol=protocol))

    @staticmethod
    def _is_program(path: Path) -> bool:
        """Whether a path is a single executable file that is not a module."""
        return (
            path.is_file()
            and path.suffix != MODULE_SUFFIX
            and not is_archive(path.name)
            and shutil.which(path.absolute()) is not None
        )

    def _is_on_path(self, name: str) -> bool:
        """Whether a name means a program on PATH: no bot that was added or ships bears it.

        A bot that was only used may be this program itself, kept with the options of an earlier run.
        """
        if self.store.find(name, origin="added") is not None or name.partition("@")[0] in shipped_bots():
            return False
        used = self.store.find(name)
        if used is not None and not _is_copy(used):
            return False
        try:
            program_path(name, Path())
        except BotError:
            return False
        return True

    def _asked(self, reference: str) -> EntrantLine:
        """The line of a program that says which protocol it speaks. Raises BotError if it answers none."""
        with tempfile.TemporaryDirectory(prefix="tourney-") as folder:
            store = BotStore(Path(folder) / "bots")
            try:
                # Any protocol: this copy is only asked, and the real one gets the answer.
                asked = add_program((reference,), store, Path(), protocol="tourney", options={}, go={})
                script = _begins_with_hash_bang(program_path(reference, Path()))
                order = (TOURNEY, *ENGINES) if script else (*ENGINES, TOURNEY)
                greetings = tuple(greeting for greeting in order if greeting.protocol in PROTOCOLS.names())
                greeting = find_greeting(asked, store, self.open_sandbox(), DEFAULT_LIMITS, greetings)
            finally:
                remove_tree(store.root)
        if greeting is None:
            names = ", ".join(greeting_protocol.title for greeting_protocol in greetings)
            raise BotError(
                f"the program {reference} answers none of {names} within {MAX_WAIT_MS // 1000} s (the machine"
                f" may be busy): name its protocol, as uci:{reference}, or see why by `tourney bots check`"
            )
        if greeting is TOURNEY:
            path = path_of(reference)
            return EntrantLine(reference) if path else self._program((reference,), TOURNEY.protocol)
        self.say(f"{reference} speaks {greeting.title}; {greeting.protocol}:{reference} saves the question")
        return self._program((reference,), greeting.protocol)


def is_bot_path(reference: str) -> bool:
    """Whether a reference is the path of a bot, not that of a file's entrant or a protocol's program."""
    if _names_entrant(reference) or named_program(reference) is not None:
        return False
    return path_of(reference) is not None


def _names_entrant(reference: str) -> bool:
    return Path(reference.rpartition("#")[0]).suffix == ".toml"


def _is_copy(bot: StoredBot) -> bool:
    """Whether a stored bot is the copy of a program of this machine, as ``add_program`` makes it."""
    manifest = bot.manifest
    return manifest.version == PROGRAM_VERSION and manifest.protocol != TOURNEY.protocol


def _begins_with_hash_bang(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def entrant_of_file(path: Path, name: str) -> EntrantLine:
    """The entrant of a tournament file, with paths relative to the current folder.

    Raises TournamentError for a file that cannot be read, and UsageError if it has no such entrant or gives
    it limits of its own.
    """
    file = read_tournament_file(path)
    lines = {_name_in_file(line): line for line in file.entrants}
    line = lines.get(name)
    if line is None:
        raise UsageError(f"{path} has no entrant {name!r}; its entrants: {', '.join(lines)}")
    if line.limits is not None:
        raise UsageError(
            f"{path}: {name} has limits of its own, which hold in its tournament only; here, all bots play"
            " by the limits of the command"
        )
    base = path.parent
    if line.bot is not None and path_of(line.bot, base) is not None:
        # A path begins with ./ here: without a slash it would be taken for a name.
        return replace(line, bot=f"./{base / line.bot}" if not base.is_absolute() else str(base / line.bot))
    if line.command and ("/" in line.command[0] or line.command[0].endswith(MODULE_SUFFIX)):
        return replace(line, command=(str(base.absolute() / line.command[0]), *line.command[1:]))
    return line


def _name_in_file(line: EntrantLine) -> str:
    """The name by which a file's entrant goes, as far as the file says."""
    return line.name or Path(line.bot or line.command[0]).name.partition("@")[0]
