"""Writes the folder of a new bot from a template.

A folder of ``starters`` holds a template's files for a language, and below ``games`` what is different for
each game; ``any`` is for other games. Without the SDK a search needs rules of its own; a bot
that ships and has them is the search template, under the new name. A WebAssembly module has the same source
as the native program; only its command and its build differ.
"""

import re
import shutil
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from unicodedata import normalize

from tourney.bots.catalogue.command import search_path
from tourney.bots.catalogue.manifest import FILE_NAME, read_manifest
from tourney.bots.catalogue.shipped import shipped_bots
from tourney.bots.modules import find_runtime
from tourney.errors import BotError
from tourney.files import write_folder
from tourney.games.registry import find_game
from tourney.schema import NAME

LANGUAGES = ("python", "c", "cpp", "javascript", "rust", "java", "go", "shell")
TOOLS = {
    "c": (("make", "cc"), "make gcc libc6-dev"),
    "cpp": (("make", "c++"), "make g++"),
    "javascript": (("node",), "nodejs"),
    "rust": (("rustc",), "rustc"),
    "java": (("javac",), "default-jdk-headless"),
    "go": (("go",), "golang-go"),
}
"""By language: the programs that build or run its bots, and Debian's packages that have them."""
TEMPLATES = ("simple", "search")
BEATEN = {"simple": "random", "search": "greedy"}  # the shipped bot that a bot of each template beats
DEFAULT_GAME = "sages-tafl"
SEARCH_ENGINES = {
    ("c", "sage-stones"): "mason",
    ("c", "sages-tafl"): "skipper",
    ("javascript", "sage-stones"): "heron",
}
"""The shipped bots that are search templates, by language and game."""

_STARTERS = Path(__file__).parent / "starters"
_SUFFIX = ".in"
_AS_IN_C = ("search", "cpp")
"""The template and the language that have the source and the rules of C, which are C++ too."""
_VERSION = "0.1"
_UNPACK = "unpack.py"
_IMPORTABLE = """import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "packages"))  # what unpack.py unpacked; before other imports

"""


def missing_tools(language: str) -> str:
    """What this machine lacks to build or run a template's bot, in a sentence, or "".

    PATH is a bot's, so a compiler in a home folder counts as missing.
    """
    programs, packages = TOOLS.get(language, ((), ""))
    missing = [program for program in programs if shutil.which(program, path=search_path()) is None]
    if not missing:
        return ""
    return (
        f"a bot in {language} needs {' and '.join(missing)}, not found on PATH ({search_path()});"
        f" Debian has it: apt-get install {packages}"
    )


def new_bot(
    folder: Path,
    language: str,
    game: str = DEFAULT_GAME,
    template: str = TEMPLATES[0],
    *,
    wasm: bool = False,
    packages: bool = False,
) -> tuple[Path, ...]:
    """Write a bot that plays a game into a new folder, whose name is the bot's; return its files, sorted.

    ``language`` is one of LANGUAGES, ``template`` one of TEMPLATES. With ``wasm`` the bot builds to a
    WebAssembly module. With ``packages`` the build unpacks wheels that the
    folder will have, in Python. Raises BotError for a name that no bot can have or
    that a shipped bot has, for a folder that exists, for a language that builds to no module, and for a
    template that the language does not have for the game; GameError for an unknown game, and for one
    that needs a package which is not installed.
    """
    name = folder.name
    if NAME.fullmatch(name) is None:
        letters = re.sub(r"[\u0300-\u036f]", "", normalize("NFKD", name.casefold()))  # without accents
        likely = re.sub(r"[^a-z0-9._-]+", "-", letters).strip("-._")[:64]
        hint = f", such as {likely}" if NAME.fullmatch(likely) else ""
        raise BotError(
            f"{name!r} is not a name for a bot: names have small letters, digits, dots, hyphens and"
            f" underscores, and begin with a letter or a digit{hint}"
        )
    if name in shipped_bots():
        raise BotError(f"{name} is the name of a bot that ships with Tourney; choose another name")
    if wasm and language not in (languages := find_runtime().languages):
        raise BotError(f"there is no template in {language} for WebAssembly, but in {', '.join(languages)}")
    if packages and (language != LANGUAGES[0] or wasm):
        raise BotError("packages come with a bot in python that is not a WebAssembly module")
    rules = find_game(game)
    rules.new()  # raises GameError if a package is missing, without which the bot could not play
    files = dict(_files(name, language, rules.name, template))
    if wasm:
        files = dict(find_runtime().as_module(files, language))
    if packages:
        files = _with_packages(files)
    return write_folder(folder, files, BotError)


def _files(name: str, language: str, game: str, template: str) -> Iterator[tuple[str, str]]:
    source = _STARTERS / template / language
    sources = {file.name.removesuffix(_SUFFIX): file for file in source.glob(f"*{_SUFFIX}")}
    if (template, language) == _AS_IN_C:
        source = _STARTERS / template / "c"
        sources |= {"bot.cpp": source / f"bot.c{_SUFFIX}", "rules.h": source / f"rules.h{_SUFFIX}"}
    search_file = next(source.glob(f"games/{game}.*"), None) or next(source.glob("games/any.*"), None)
    if search_file is None:
        yield from _engine_files(name, language, game)
        return
    words = {
        "@NAME@": name,
        "@GAME@": game,
        "@HIDDEN@": ", hidden=True" if find_game(game).has_hidden_actions else "",
        "@VALUE@": search_file.read_text("utf-8").rstrip("\n"),
    }
    for file_name in sorted(sources):
        text = sources[file_name].read_text("utf-8")
        for mark in reversed(words):  # what is different for a game has marks too
            text = text.replace(mark, words[mark])
        yield file_name, text


def _with_packages(files: dict[str, str]) -> dict[str, str]:
    """The files of a bot in Python that imports packages of its own wheels."""
    docstring, quotes, code = files["bot.py"].partition('"""\n\n')
    unpack = (_STARTERS / "packages" / f"{_UNPACK}{_SUFFIX}").read_text("utf-8")
    build = f'build = ["python3", "{_UNPACK}"]\nbuild-output = ["packages/*"]\n'
    text = f"{docstring}{quotes}{_IMPORTABLE}{code}"
    return {**files, FILE_NAME: files[FILE_NAME] + build, "bot.py": text, _UNPACK: unpack}


def _engine_files(name: str, language: str, game: str) -> Iterator[tuple[str, str]]:
    """Yield the files of the shipped bot that is a search template, under another name."""
    engine = SEARCH_ENGINES.get((language, game))
    if engine is None:
        raise BotError(
            f"there is no search template in {language} for {game}, but there is in python for every game,"
            f" {_others()}; or choose --template simple"
        )
    folder = shipped_bots()[engine]
    manifest = read_manifest((folder / FILE_NAME).read_text("utf-8"), FILE_NAME)
    for file in sorted(folder.iterdir()):
        if any(fnmatch(file.name, pattern) for pattern in manifest.build_output):
            continue
        text = file.read_text("utf-8")
        if file.name == FILE_NAME:
            text = re.sub(r"(?m)^title = .*\n", "", text)
            for key, value in (("name", name), ("version", _VERSION), ("author", "")):
                text = re.sub(rf'(?m)^{key} = ".*"$', f'{key} = "{value}"', text)
        yield file.name, re.sub(rf"\bname={engine} version=[\d.]+", f"name={name} version={_VERSION}", text)


def _others() -> str:
    """Games for which the other languages have a search template, in words."""
    games: dict[str, list[str]] = {}
    for language, game in searches():
        if language != LANGUAGES[0]:
            games.setdefault(language, []).append(game)
    return ", ".join(f"in {language} for {' and '.join(languages)}" for language, languages in games.items())


def searches() -> tuple[tuple[str, str], ...]:
    """The languages and games that have a search template; Python has one for other games too."""
    files = {
        (file.parent.parent.name, file.name.partition(".")[0])
        for file in (_STARTERS / "search").glob("*/games/*")
    }
    files |= {("cpp", game) for language, game in files if language == "c"}
    pairs = {(language, game) for language, game in files | SEARCH_ENGINES.keys() if game != "any"}
    return tuple(sorted(pairs, key=lambda pair: (LANGUAGES.index(pair[0]), pair[1])))
