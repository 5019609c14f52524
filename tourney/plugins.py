"""The plug-in surface: what an add-on can bring, and the registries that look it up by name.

``CORE`` lists what the core itself brings, by the same value that an add-on declares. The add-ons that ship
are the folders of ``tourney/addons``, each with a value ``ADDON`` in its ``__init__``. Other packages offer
the same value by an entry point of the group ``tourney.addons``.

Everything is named by ``module:attribute`` and imported when it is used. What the core brings is found
without reading an add-on or the installed packages, which would double a bot's start-up time. A broken
add-on, or a name that two add-ons offer, raises an error when it is requested or listed.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeVar, cast

from tourney.errors import TourneyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.metadata import EntryPoint

T = TypeVar("T")

GROUP: Final = "tourney.addons"
"""The entry-point group by which other packages offer an ``Addon``."""
OLD_GROUPS: Final = (
    *("tourney.games", "tourney.game_families", "tourney.formats", "tourney.rating_methods"),
    *("tourney.executors", "tourney.sandboxes", "tourney.protocols"),
)
"""The groups by which other packages offered things of one kind, before there was ``GROUP``.

They are no longer read: what a package offers by them is as broken as an add-on that cannot be imported.
"""
PACKAGE: Final = "tourney"
"""The name of Tourney's own distribution."""
_NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)

Kind = Literal[
    "games",
    "game_families",
    "formats",
    "rating_methods",
    "executors",
    "sandboxes",
    "protocols",
    "launchers",
    "report_pages",
]
"""The fields of an ``Addon`` that map a name to ``module:attribute``."""

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Command(NamedTuple):
    """A command of an add-on.

    ``target`` is the ``module:attribute`` of a click command. ``help`` is its line in the help of the group;
    the help is printed without importing the commands. ``section`` is the heading above it in
    ``tourney --help`` ("Bots"); commands inside a group, such as ``bots promote``, have none.
    """

    target: str
    help: str
    section: str = ""


class Addon(NamedTuple):
    """All that an add-on brings, by name. Every value but a command is ``module:attribute``.

    =================  ================================================================================
    field              what the attribute is
    =================  ================================================================================
    games              a subclass of ``tourney.games.base.Game``
    game_families      a subclass of ``tourney.games.registry.GameFamily``
    game_files         by game: a function as ``tourney.exchange.game_writers.GameWriter``, which writes a
                       match as a game for other programs (PGN)
    formats            a subclass of ``tourney.schedule.format.Format``
    rating_methods     a subclass of ``tourney.ratings.method.RatingMethod``
    executors          a subclass of ``tourney.run.workers.executor.MatchExecutor``
    sandboxes          a subclass of ``tourney.bots.sandbox.sandbox.Sandbox``
    protocols          a subclass of ``tourney.bots.protocols.BotProtocol``
    launchers          a subclass of ``tourney.match.launcher.MatchLauncher``: it plays matches whose bots are
                       not processes of the runner
    module_runtimes    a subclass of ``tourney.bots.modules.ModuleRuntime``: it runs WebAssembly modules
    report_pages       a ``tourney.report.site.PageKind``
    tournament_checks  by format: a function ``(database, tournament)`` that yields a sentence for
                       everything in it that ``tourney verify`` must refuse
    folder_checks      by the name of a file: a function as ``tourney.check.folders.FolderCheck``, by which
                       ``tourney verify FOLDER`` checks a folder that holds such a file
    entrant_files      a function as ``tourney.exchange.entrant_files.EntrantFiles``: the private files of an
                       entrant for its author, of ``tourney export --bot`` and of a league's receipts
    commands           by the command's words after ``tourney``: a ``Command``
    =================  ================================================================================

    The ``name`` attribute of a class equals its name here, of the form ``[a-z][a-z0-9-]*``.
    """

    games: Mapping[str, str] = _NOTHING
    game_families: Mapping[str, str] = _NOTHING
    game_files: Mapping[str, str] = _NOTHING
    formats: Mapping[str, str] = _NOTHING
    rating_methods: Mapping[str, str] = _NOTHING
    executors: Mapping[str, str] = _NOTHING
    sandboxes: Mapping[str, str] = _NOTHING
    protocols: Mapping[str, str] = _NOTHING
    launchers: Mapping[str, str] = _NOTHING
    module_runtimes: Mapping[str, str] = _NOTHING
    report_pages: Mapping[str, str] = _NOTHING
    tournament_checks: Mapping[str, str] = _NOTHING
    folder_checks: Mapping[str, str] = _NOTHING
    entrant_files: Mapping[str, str] = _NOTHING
    commands: Mapping[str, Command] = _NOTHING


CORE: Final = Addon(
    games={
        "cyvasse": "tourney.games.cyvasse:Cyvasse",
        "element": "tourney.games.element:Element",
        "sage-stones": "tourney.games.sage_stones:SageStones",
        "sages-tafl": "tourney.games.sages_tafl:SagesTafl",
        "seven-sages": "tourney.games.seven_sages:SevenSages",
    },
    formats={
        "adaptive": "tourney.schedule.adaptive:Adaptive",
        "gauntlet": "tourney.schedule.round_robin:Gauntlet",
        "import": "tourney.schedule.format:Imported",
        "knockout": "tourney.schedule.knockout:Knockout",
        "results": "tourney.schedule.format:Results",
        "round-robin": "tourney.schedule.round_robin:RoundRobin",
        "swiss": "tourney.schedule.swiss:Swiss",
    },
    rating_methods={
        "batch": "tourney.ratings.batch:BatchMethod",
        "trueskill": "tourney.ratings.trueskill:TrueSkillMethod",
    },
    executors={"local": "tourney.run.workers.local:LocalExecutor"},
    sandboxes={
        "bubblewrap": "tourney.bots.sandbox.bubblewrap:Bubblewrap",
        "plain": "tourney.bots.sandbox.plain:PlainSandbox",
    },
    protocols={"tourney": "tourney.bots.protocols:TourneyProtocol"},
    launchers={"outside": "tourney.match.outside_referee:OutsideReferee"},
)
"""What the core brings, besides its commands (``tourney.cli.main``) and pages (``tourney.report.site``)."""


@cache
def shipped() -> Mapping[str, Addon]:
    """The add-ons in ``tourney/addons`` by name, sorted. A deleted folder is absent."""
    from pkgutil import iter_modules  # noqa: PLC0415 - bots of the core's games do without

    try:
        folder = import_module(GROUP)  # by name: nothing outside the folder imports an add-on
    except ModuleNotFoundError:  # as inside a bot in Python that is a module: it has the SDK and the games
        return {}
    names = sorted(module.name for module in iter_modules(folder.__path__) if module.ispkg)
    return {name: import_module(f"{GROUP}.{name}").ADDON for name in names}


def installed() -> tuple[EntryPoint, ...]:
    """The entry points of ``tourney.addons`` that other packages offer, sorted by name."""
    return _installed(tuple(sys.path))


@cache
def _installed(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    points = (point for point in _entry_points(path)[GROUP] if _package(point) != PACKAGE)
    return tuple(sorted(points, key=lambda point: (point.name, point.value)))


@cache
def _entry_points(path: tuple[str, ...]) -> Mapping[str, tuple[EntryPoint, ...]]:
    """By group. Other paths, other packages."""
    groups = (GROUP, *OLD_GROUPS)
    if not _may_offer(path, groups):
        return dict.fromkeys(groups, ())
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import; few need it

    points = entry_points()
    return {group: tuple(points.select(group=group)) for group in groups}


def _may_offer(path: tuple[str, ...], groups: tuple[str, ...]) -> bool:
    """Whether an installed package may offer something by one of the groups.

    ``importlib.metadata`` would answer too, in twenty times the time: it imports the modules for mail, reads
    all that every package offers, and most machines have no package with an add-on. It reads the same files,
    and what is not a plain folder of packages is left to it.
    """
    from importlib.machinery import PathFinder  # noqa: PLC0415 - bots of the core's games do without

    if any(finder is not PathFinder and hasattr(finder, "find_distributions") for finder in sys.meta_path):
        return True
    heads = tuple(f"[{group}]".encode() for group in groups)
    for folder in dict.fromkeys(path):
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - pathlib alone would take a third of a bot's start
        except FileNotFoundError:
            continue
        except OSError:  # a ZIP file of modules, for one
            return True
        for name in names:
            if name.lower().endswith((".dist-info", ".egg-info")) or name.lower() == "egg-info":
                try:
                    with open(os.path.join(folder or ".", name, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123 - as above
                        text = file.read()
                except (FileNotFoundError, NotADirectoryError):
                    continue
                except OSError:
                    return True
                if any(head in text for head in heads):
                    return True
    return False


def _package(point: EntryPoint) -> str:
    return point.value if point.dist is None else point.dist.name


def outdated() -> Mapping[str, Mapping[str, str]]:
    """By old group and name: a sentence for what other packages offer by one of ``OLD_GROUPS``.

    A package that also offers an add-on is left out: it works with older versions of Tourney too.
    """
    return _outdated(tuple(sys.path))


@cache
def _outdated(path: tuple[str, ...]) -> Mapping[str, Mapping[str, str]]:
    adapted = {PACKAGE, *map(_package, _installed(path))}
    entries: dict[str, dict[str, str]] = {group: {} for group in OLD_GROUPS}
    for group, sentences in entries.items():
        for point in sorted(_entry_points(path)[group], key=lambda point: point.name):
            if (package := _package(point)) not in adapted:
                sentences[point.name] = (
                    f"the package {package} offers {point.name} by the entry-point group {group}, which"
                    f" Tourney no longer reads; the package must offer it in an Addon by the group {GROUP}"
                    " (docs/how-to/write-an-add-on.md)"
                )
    return entries


def others() -> tuple[Mapping[str, Addon], Mapping[str, str]]:
    """The working add-ons of other packages by name, and a sentence for each broken one.

    The name is that of the entry point, with its target behind it if two packages use one name. What is
    offered by an old group has the group's name before its own.
    """
    working, broken = _loaded(installed())
    old = {f"{group}:{name}": text for group, texts in outdated().items() for name, text in texts.items()}
    return working, {**broken, **old}


@cache
def _loaded(points: tuple[EntryPoint, ...]) -> tuple[Mapping[str, Addon], Mapping[str, str]]:
    working: dict[str, Addon] = {}
    broken: dict[str, str] = {}
    for point in points:
        name = (
            point.name
            if point.name not in working.keys() | broken.keys()
            else f"{point.name} ({point.value})"
        )
        try:
            addon = point.load()
        except Exception as error:  # noqa: BLE001 - whatever a stranger's module raises is reported
            broken[name] = f"the add-on {name} ({point.value}) is broken: {type(error).__name__}: {error}"
            continue
        if isinstance(addon, Addon):
            working[name] = addon
        else:
            broken[name] = f"the add-on {name} ({point.value}) is not a tourney.plugins.Addon"
    return working, broken


def offered(field: str) -> dict[str, str]:
    """The entries of a field of ``Addon`` by name, of the core and all working add-ons; Tourney's own win."""
    entries: dict[str, str] = {}
    # The last one wins, so a plugin cannot take the place of Tourney's own.
    for addon in (*others()[0].values(), *shipped().values(), CORE):
        entries |= getattr(addon, field)
    return entries


def load(target: str) -> Any:
    """The value that ``module:attribute`` names."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


class Registry(Generic[T]):
    """All things of one kind, by name: those of the core, of the add-ons that ship, and of other packages.

    ``noun`` ("game") names the kind in errors, ``plural`` several of them (default: ``noun`` + "s"). ``kind``
    is its field of ``Addon``. An entry is a subclass of ``base``, or a function that returns an instance of
    it, and its ``name`` equals the entry's. Every method raises ``error``.
    """

    def __init__(
        self, noun: str, kind: Kind, base: type, error: type[TourneyError], plural: str | None = None
    ) -> None:
        self.noun = noun
        self.plural = plural or noun + "s"
        self.kind: Kind = kind
        self._base = base
        self._error = error
        self._loaded: dict[str, T] = {}

    @property
    def own(self) -> Mapping[str, str]:
        """Tourney's own entries, of the core and of the add-ons that ship, sorted by name."""
        entries = dict(self._core)
        for addon in shipped().values():
            entries |= getattr(addon, self.kind)
        return dict(sorted(entries.items()))

    def find(self, name: str) -> T:
        """The thing of that name, made once. Raise ``error`` for an unknown name or a broken plugin.

        One of Tourney's own wins over every plugin of its name; ``clashes`` reports the plugin.
        """
        if name not in self._loaded:
            self._loaded[name] = self._make(name, self._target(name))
        return self._loaded[name]

    def find_class(self, name: str) -> type[T]:
        """The class of that name, for kinds made with arguments. Raise ``error`` as ``find`` does."""
        target = self._target(name)
        plugin = self._load(name, target)
        if not (isinstance(plugin, type) and issubclass(plugin, self._base)):
            raise self._error(f"{self._plugin(name, target)} is not a subclass of {self._base_name}")
        self._check_name(name, target, plugin)
        return cast("type[T]", plugin)

    def names(self) -> tuple[str, ...]:
        """All names, sorted; those of broken plugins too."""
        return tuple(sorted({*self._offers(), *self._outdated()}))

    def knows(self, name: str) -> bool:
        """Whether anything is offered under that name, broken or not."""
        return name in self._core or name in self._offers() or name in self._outdated()

    def all(self) -> tuple[T, ...]:
        """Everything offered, sorted by name. Raise ``error`` for the first one broken or offered twice."""
        plugins, broken = self.working()
        for sentence in broken.values():
            raise self._error(sentence)
        return plugins

    def working(self) -> tuple[tuple[T, ...], dict[str, str]]:
        """The working ones, sorted by name, and a sentence for each name that is broken or offered twice.

        An add-on of another package that cannot be read is broken under its own name: what it brings is
        unknown.
        """
        plugins: list[T] = []
        broken = {**others()[1], **self.clashes()}
        for name in sorted(self._offers()):  # ``others`` names what is offered by an old group
            try:
                plugins.append(self.find(name))
            except TourneyError as error:
                broken[name] = str(error)
        return tuple(plugins), broken

    def clashes(self) -> dict[str, str]:
        """The names offered more than once, each with a sentence that names the offering packages."""
        return {
            name: self._clash(name, targets)
            for name, targets in sorted(self._offers().items())
            if len(targets) > 1
        }

    def clear(self) -> None:
        """Forget everything loaded so far."""
        self._loaded.clear()

    @property
    def _core(self) -> Mapping[str, str]:
        return cast("Mapping[str, str]", getattr(CORE, self.kind))

    @property
    def _base_name(self) -> str:
        return f"{self._base.__module__}.{self._base.__qualname__}"

    def _plugin(self, name: str, target: str) -> str:
        return f"the plugin of {self.noun} {name} ({target})"

    def _offers(self) -> dict[str, list[str]]:
        """Each name's targets: Tourney's own first, then the others sorted."""
        offers = {name: [target] for name, target in self.own.items()}
        entries = [entry for addon in others()[0].values() for entry in getattr(addon, self.kind).items()]
        for name, target in sorted(entries):
            targets = offers.setdefault(name, [])
            if target not in targets:
                targets.append(target)
        return offers

    def _outdated(self) -> Mapping[str, str]:
        """Sentences on what other packages offer by the kind's old entry-point group, by name."""
        return outdated().get(f"{PACKAGE}.{self.kind}", _NOTHING)

    def _clash(self, name: str, targets: list[str]) -> str:
        if name in self.own:
            by = " and ".join(targets[1:])
            return (
                f"the {self.noun} {name} of Tourney's own is offered by {by} as well; uninstall that package"
            )
        by = " and ".join(targets)
        return f"the {self.noun} {name} is offered twice, by {by}; uninstall one of the packages"

    def _target(self, name: str) -> str:
        if name in self._core:
            return self._core[name]
        if name in (ours := self.own):
            return ours[name]
        offers = self._offers()
        if name not in offers:
            if name in (sentences := self._outdated()):
                raise self._error(sentences[name])
            names = ", ".join(sorted(offers)) or "none"
            from difflib import get_close_matches  # noqa: PLC0415 - bots start without it

            near = get_close_matches(name, offers, n=1, cutoff=0.7)
            hint = f"did you mean {near[0]}? " if near else ""
            # The missing one may be what a broken add-on would have brought.
            reasons = "".join(f"; {sentence}" for sentence in others()[1].values())
            raise self._error(
                f"there is no {self.noun} {name[:60]!r}; {hint}the {self.plural} are: {names}{reasons}"
            )
        if len(offers[name]) > 1:
            raise self._error(self._clash(name, offers[name]))
        return offers[name][0]

    def _load(self, name: str, target: str) -> object:
        try:
            return cast("object", load(target))
        except Exception as error:
            raise self._broken(name, target, error) from error

    def _make(self, name: str, target: str) -> T:
        factory = cast("Callable[[], T]", self._load(name, target))
        try:
            plugin = factory()
        except Exception as error:
            raise self._broken(name, target, error) from error
        if not isinstance(plugin, self._base):
            raise self._error(f"{self._plugin(name, target)} gives no {self._base_name}")
        self._check_name(name, target, plugin)
        return plugin

    def _broken(self, name: str, target: str, error: Exception) -> TourneyError:
        return self._error(f"{self._plugin(name, target)} is broken: {type(error).__name__}: {error}")

    def _check_name(self, name: str, target: str, plugin: object) -> None:
        own_name = getattr(plugin, "name", None)
        if own_name != name or _NAME.fullmatch(name) is None:
            raise self._error(
                f"{self._plugin(name, target)} calls itself {own_name!r};"
                " the names must be equal, of the form [a-z][a-z0-9-]*"
            )
