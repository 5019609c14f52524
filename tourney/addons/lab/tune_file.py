"""The file of ``tourney tune`` (TOML), and the questions that it asks about a bot."""

import os
import re
import secrets
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, field, structs

from tourney.addons.lab.asking import BotQuestion
from tourney.addons.lab.gate import GateRule
from tourney.addons.lab.question import QuestionRule, R_co
from tourney.addons.lab.results import GateResult, TuneResult
from tourney.addons.lab.tuning import TuneRule
from tourney.addons.lab.tuning_methods import SearchTerms, default_rate, version_of
from tourney.bots.catalogue.manifest import FILE_NAME, ParameterName, read_manifest
from tourney.bots.catalogue.store import StoredBot
from tourney.bots.catalogue.tree import SUBMITTED, walk
from tourney.errors import BotError, TournamentError, UnsafeFileError, UsageError
from tourney.held_folder import HeldFolder, account_name, hold
from tourney.match.spec import Limits
from tourney.parsing import toml_text
from tourney.run.file_schema import MAX_BYTES, EntrantLine, load_tables, read_text
from tourney.run.tournament_file import Terms
from tourney.schema import GameName, SchemaError, Seed, read, seed_of
from tourney.seeds import derive
from tourney.store.values import RunSettings

GATE_BATCH: Final = 16  # pairs of games between the looks of the gate
Games = Annotated[int, Meta(ge=2, le=1_000_000)]


class TuneTable(Terms, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The file of `tourney tune`. Paths are relative to its folder."""

    game: Annotated[
        GameName, Meta(description="Game to play; see `tourney games`.", examples=["sage-stones"])
    ]
    games: Annotated[
        Games, Meta(description="Games of the tuning, those of the gate apart.", examples=[4000])
    ]
    seed: Annotated[
        Seed | None,
        Meta(
            description="Source of all chance, as in a tournament file; the same seed tunes the same way if"
            " the bots play by nodes or fuel. Default: random bits."
        ),
    ] = None
    method: Annotated[
        Literal["spsa", "random", "tpe", "cma-es"],
        Meta(
            description="`spsa` moves all values by pairs of games between values shifted up and down."
            " `random`, and `tpe` and `cma-es` of Optuna (`pip install 'tourney[tune]'`), try values against"
            " those of `bot.toml`, a batch each."
        ),
    ] = "spsa"
    parameters: Annotated[
        tuple[ParameterName, ...],
        Meta(description="Names of the parameters to tune; the others keep their values. Default: all."),
    ] = ()
    batch: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="Pairs of games between moves, or for each set of values tried; half the workers or"
            " more, so that none waits.",
        ),
    ] = 8
    rate: Annotated[
        float | None,
        Meta(
            description="For `spsa`: how far the last pair moves the values (`r_end`), from 0.0001 to 1."
            " Default: by the number of parameters, such as 0.0194 for two."
        ),
    ] = None
    gain: Annotated[
        float,
        Meta(gt=0, le=500, description="Elo: the gate rejects the tuned bot once it is proven to gain less."),
    ] = 10.0
    gate_games: Annotated[Games | None, Meta(description="The most games of the gate. Default: `games`.")] = (
        None
    )
    options: Annotated[dict[str, str | int], Meta(description="Options of the game.")] = field(
        default_factory=dict
    )
    run: Annotated[RunSettings, Meta(description="How matches are run.")] = RunSettings()

    def __post_init__(self) -> None:
        """Check what the types cannot express. Raises SchemaError."""
        if self.seed is not None:
            seed_of("seed", self.seed)
        for name in self.parameters:
            if self.parameters.count(name) > 1:
                raise SchemaError(("parameters",), f"names {name} twice")
        for key, games in (("games", self.games), ("gate-games", self.gate_games)):
            if games is not None and games % 2:
                raise SchemaError((key,), f"is {games}, but must be even: bots play pairs of games")
        if self.rate is not None and self.method != "spsa":
            raise SchemaError(("rate",), f'does not go with method = "{self.method}"')
        if self.rate is not None and not 0.0001 <= self.rate <= 1:
            raise SchemaError(("rate",), f"is {self.rate:g}, but must be from 0.0001 to 1")


@dataclass(frozen=True, slots=True)
class TuneFile:
    """A file of ``tourney tune``, read."""

    path: Path
    table: TuneTable
    limits: Limits

    def tuning(self, bot: StoredBot) -> BotQuestion[TuneResult]:
        """The question which values are best. Raises UsageError for a bot without parameters."""
        table = self.table
        parameters = bot.manifest.parameters
        if not parameters:
            raise UsageError(
                f"{bot.label} has no parameters: name each in its bot.toml, as [parameters.reach] with value,"
                " low, high and step"
            )
        for name in table.parameters:
            if name not in parameters:
                raise UsageError(
                    f"{self.path}: parameters names {name}, but those of {bot.label} are:"
                    f" {', '.join(parameters)}"
                )
        if table.parameters:
            parameters = {name: parameters[name] for name in table.parameters}
        rate = default_rate(len(parameters)) if table.rate is None else Decimal(f"{table.rate:.6f}")
        pairs = table.games // 2
        # A seed of its own, so that the search's draws and the games' dice do not depend on each other.
        draws = derive(self._seed or 0, "tune")
        names = tuple(parameters)
        values = tuple(parameters.values())
        terms = SearchTerms(names, values, pairs, min(table.batch, pairs), draws, rate)
        rule = TuneRule(terms, table.method, version_of(table.method), luck=True)
        return self._question(rule, (bot.digest, bot.digest), self._seed)

    def gate(self, candidate: Path, bot: StoredBot) -> BotQuestion[GateResult]:
        """The question whether the tuned bot is better than the bot, with dice of its own."""
        games = self.table.gate_games or self.table.games
        pairs = max(1, games // 2)
        rule = GateRule(0.0, self.table.gain, batch=min(GATE_BATCH, pairs), max_pairs=pairs, luck=True)
        # New dice: the tuning has chosen the values that did well with its own.
        seed = None if self._seed is None else derive(self._seed, "gate")
        return self._question(rule, (str(candidate), bot.digest), seed)

    @property
    def _seed(self) -> int | None:
        return None if self.table.seed is None else seed_of("seed", self.table.seed)

    def _question(
        self, rule: QuestionRule[R_co], bots: tuple[str, str], seed: int | None
    ) -> BotQuestion[R_co]:
        table = self.table
        return BotQuestion(
            rule,
            tuple(map(EntrantLine, bots)),
            table.game,
            options={key: str(value) for key, value in table.options.items()},
            limits=self.limits,
            opening_plies=table.opening_plies,
            book=None if table.opening_book is None else self.path.parent / table.opening_book,
            opening_order=table.opening_order,
            seed=seed,
            any_memory=table.limits.memory_mb is None,
            run=table.run,
        )


def read_tune_file(path: Path) -> TuneFile:
    """Read a file of ``tourney tune``. Raises TournamentError, naming the file and the key."""
    data = load_tables(path, read_text(path, "a tuning file", MAX_BYTES))
    try:
        table = read(data, TuneTable, toml=True)
        return TuneFile(path, table, table.limits.planned(data))
    except SchemaError as error:
        raise TournamentError(error.in_toml(str(path)), file=path, key=error.key) from error


_TABLE = re.compile(r"\s*\[+\s*(.*?)\s*\]+\s*(?:#.*)?\Z")
_NUMBER = re.compile(r"(?P<key>\s*value\s*=\s*)[^\s#]+")
_VERSION = re.compile(r"""(?P<key>\s*version\s*=\s*)(?:"[^"]*"|'[^']*')""")


def raised(version: str) -> str:
    """A version after this one: its last number is one higher, or ``.1`` follows."""
    changed = re.sub(r"(\d+)(\D*)\Z", lambda last: f"{int(last[1]) + 1}{last[2]}", version)
    return f"{version}.1" if changed == version else changed


def tuned_manifest(text: str, values: Mapping[str, str], where: str) -> str:
    """The text of a ``bot.toml`` with other values and the next version; all other lines stay.

    Raises BotError, naming the file, for one whose values are not in tables of their own.
    """
    old = read_manifest(text, where)
    version = raised(old.version)
    lines = []
    table = ""
    for line in text.splitlines(keepends=True):
        if header := _TABLE.match(line.rstrip("\r\n")):
            table = re.sub("[\"']", "", header[1])
        name = table.removeprefix("parameters.")
        if not table:
            line = _VERSION.sub(rf'\g<key>"{version}"', line, count=1)  # noqa: PLW2901 - the same line
        elif table.startswith("parameters.") and name in values:
            line = _NUMBER.sub(rf"\g<key>{values[name]}", line, count=1)  # noqa: PLW2901 - as above
        lines.append(line)
    changed = "".join(lines)
    parameters = {
        name: structs.replace(parameter, value=float(values.get(name, parameter.value)))
        for name, parameter in old.parameters.items()
    }
    # Lines were replaced by their form: reading the whole again shows whether the right ones were.
    if read_manifest(changed, where) != structs.replace(old, version=version, parameters=parameters):
        raise BotError(
            f"{where}: write each parameter as a table [parameters.NAME] with a line `value = NUMBER`, and"
            " the version on a line of its own, so that tuned values can take their place",
            file=where,
        )
    return changed


def check_out(bot: StoredBot, folder: Path) -> None:
    """Raise UsageError or BotError if a tuned copy of a bot could not be written to a new folder."""
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder} exists already; choose another folder by --out")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {folder.absolute().parent} for {folder.name}; make it first")
    values = {
        name: parameter.text(parameter.low if parameter.value != parameter.low else parameter.high)
        for name, parameter in bot.manifest.parameters.items()
    }
    tuned_manifest(toml_text((bot.folder / FILE_NAME).read_bytes()), values, FILE_NAME)


def write_tuned(bot: StoredBot, values: Mapping[str, str], folder: Path) -> None:
    """Write a tuned copy of a bot to a new folder, whole or not at all; a failure leaves nothing of it.

    All files are made by descriptors, since another account that may write beside the copy could exchange a
    folder on its way. Raises UnsafeFileError if it does, and OSError.
    """
    manifest = tuned_manifest(toml_text((bot.folder / FILE_NAME).read_bytes()), values, FILE_NAME)
    temporary = f".{folder.name}-{secrets.token_hex(8)}"
    with hold(folder.absolute().parent) as parent:
        os.mkdir(temporary, 0o700, dir_fd=parent.fd)
        try:
            with parent.hold(temporary) as copy:
                _copy_bot(bot.folder, copy)
                copy.write(FILE_NAME, manifest.encode(), mode=0o644)
                os.fchmod(copy.fd, 0o755)
            parent.move(temporary, parent, folder.name)
        except BaseException:
            with suppress(OSError):
                parent.remove(temporary)
            raise


def _copy_bot(source: Path, target: HeldFolder) -> None:
    """Copy a bot of a store, whose files are read-only, to an empty folder of this account, to be written."""
    if target.owner != os.geteuid():
        raise UnsafeFileError(f"{target.place} was exchanged by {account_name(target.owner or 0)}")
    with hold(source) as held, ExitStack() as stack:
        folders = {"": target}
        for file in walk(held, whole=True):
            *inner_names, name = file.path.split("/")
            path = ""
            for inner_name in inner_names:
                above, path = folders[path], f"{path}/{inner_name}".lstrip("/")
                if path not in folders:
                    folders[path] = stack.enter_context(above.make_folder(inner_name, 0o755))
            held.copy_file(file.path, folders[path], name, SUBMITTED.bytes, mode=0o644)
