"""References to entrants: bots, programs that are asked for their protocol, and entrants of files."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.support.folders import write_bot
from tests.support.tournaments import refused
from tourney.bots.catalogue.command import add_program
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.channel.interface import Event
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.errors import BotError, TournamentError, UsageError
from tourney.match.runner import StoreLauncher
from tourney.run.entrant_reference import ENGINES, ProgramSettings, ReferenceReader
from tourney.run.entrant_reference import TOURNEY as TOURNEY_ASKS
from tourney.run.file_schema import EntrantLine
from tourney.run.tournament_file import read_tournament_file

pytestmark = pytest.mark.addon("chess")  # its protocols

ENDS = "#!/bin/sh\nwhile read -r line; do case $line in {} *) exit;; esac; done\n"
UCI = "uci) echo uciok;;"
XBOARD = "xboard) ;; 'protover 2') echo 'feature ping=1 done=1';;"
TOURNEY = "'tourney 1') echo bot;;"


def program(folder: Path, name: str, cases: str) -> str:
    """Write a program that answers some lines and ends at any other one; return its path."""
    path = folder / name
    path.write_text(ENDS.format(cases))
    path.chmod(0o755)
    return str(path)


def sandbox() -> Sandbox:
    return open_sandbox("off")


def never() -> Sandbox:
    pytest.fail("a program was asked although its protocol is clear")


@pytest.fixture
def store(tmp_path: Path) -> BotStore:
    return BotStore(tmp_path / "store")


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


@pytest.mark.parametrize(("cases", "protocol"), [(UCI, "uci"), (XBOARD, "xboard")])
def test_program_on_path_is_asked_for_its_protocol(
    cases: str, protocol: str, store: BotStore, on_path: Path
) -> None:
    program(on_path, "my-engine", cases)
    sentences: list[str] = []
    line = ReferenceReader(store, sandbox, say=sentences.append).read("my-engine")
    assert line == EntrantLine(command=("my-engine",), protocol=protocol)
    assert f"{protocol}:my-engine saves the question" in sentences[0]


def test_program_by_path_is_asked_and_a_bot_stays_a_bot(tmp_path: Path, store: BotStore) -> None:
    reader = ReferenceReader(store, sandbox)
    engine = program(tmp_path, "engine", UCI)
    assert reader.read(engine) == EntrantLine(command=(engine,), protocol="uci")
    bot = program(tmp_path, "bot", TOURNEY)
    assert reader.read(bot) == EntrantLine(bot)


def test_program_that_answers_nothing_is_refused(on_path: Path, store: BotStore) -> None:
    program(on_path, "mute", "x) ;;")
    with refused(
        BotError, "the program mute answers none of Tourney's protocol, UCI, ", "within 3 s", "uci:mute"
    ):
        ReferenceReader(store, sandbox).read("mute")


def test_silent_program_gets_all_greetings_before_the_first_times_out(
    on_path: Path, store: BotStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked one after the other, it would take the time of all of them together."""
    steps: list[str] = []

    class Mute(ScriptedChannel):
        def __init__(self) -> None:
            super().__init__([])

        def request(self, data: bytes) -> None:
            steps.append("ask")

        def wait(self, deadline: int) -> Event:
            steps.append("time-out")
            return Event("timeout")

    monkeypatch.setattr(StoreLauncher, "__call__", lambda *_: Mute())
    program(on_path, "mute", "x) ;;")
    with refused(BotError, "the program mute answers none of Tourney's protocol, UCI, "):
        ReferenceReader(store, sandbox).read("mute")
    head_start = ["ask", "time-out"]
    assert steps == [*head_start, *["ask"] * len(ENGINES), *["time-out"] * len((TOURNEY_ASKS, *ENGINES))]


def test_named_protocol_is_not_asked_for(on_path: Path, store: BotStore) -> None:
    program(on_path, "my-engine", UCI)
    line = ReferenceReader(store, never).read("xboard:my-engine --deep 5")
    assert line == EntrantLine(command=("my-engine", "--deep", "5"), protocol="xboard")
    settings = ProgramSettings.read(("protocol=uci-fen",), {})
    assert ReferenceReader(store, never, settings).read("my-engine").protocol == "uci-fen"
    with refused(BotError, "no program nothing-here on PATH"):
        ReferenceReader(store, never).read("uci:nothing-here")


def test_file_takes_a_program_with_its_protocol_as_a_command_line_does(
    tmp_path: Path, on_path: Path, store: BotStore
) -> None:
    program(on_path, "my-engine", UCI)
    file = tmp_path / "cup.toml"
    head = 'name = "cup"\ngame = "chess"\n'
    entrant = '[[entrant]]\nbot = "xboard:my-engine --deep 5"\nname = "deep"\noptions = {Hash = 4}\n'
    file.write_text(head + 'bots = ["uci:my-engine", "random"]\n' + entrant)
    first, second, third = read_tournament_file(file).entrants
    read = ReferenceReader(store, never).read
    assert (first, second) == (read("uci:my-engine"), EntrantLine("random"))
    assert third == replace(read("xboard:my-engine --deep 5"), name="deep", options={"Hash": 4})


@pytest.mark.parametrize(
    ("bot", "sentence"),
    [
        ('"uci:"', 'bot is "uci:", which names no program: write uci:stockfish'),
        ('"uci:x"\nprotocol = "gtp"', "protocol is set, and bot names uci: leave it out"),
        ('"x"\noptions = {Hash = 4}', "options goes with command only"),
        ('"uci:x"\ncommand = ["x"]', "bot must be set, or command"),
    ],
)
def test_file_refuses_a_program_without_one_meaning(bot: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(f'name = "cup"\ngame = "chess"\nbots = ["random"]\n[[entrant]]\nbot = {bot}\n')
    with refused(TournamentError, "cup.toml, [[entrant]] 1", sentence):
        read_tournament_file(file)


def test_unknown_protocol_is_named_with_those_that_exist(store: BotStore) -> None:
    with refused(BotError, "there is no bot 'ucl:engine'; before the colon stands a protocol", "uci"):
        resolve_bot("ucl:engine", store)


def test_program_whose_path_has_blanks_is_one_word(tmp_path: Path, store: BotStore) -> None:
    (tmp_path / "my engines").mkdir()
    engine = program(tmp_path / "my engines", "engine 1", UCI)
    assert ReferenceReader(store, sandbox).read(engine) == EntrantLine(command=(engine,), protocol="uci")


def test_bots_go_before_programs_of_their_name(tmp_path: Path, on_path: Path, store: BotStore) -> None:
    """A bot that was added or ships, a folder, and a used bot; but not the kept copy of a program."""
    reader = ReferenceReader(store, never)
    for name in ("random", "mybot", "used"):
        program(on_path, name, UCI)
    store.add(write_bot(tmp_path, "mybot"))
    store.add(write_bot(tmp_path, "used"), origin="used")
    for name in ("random", "mybot", "used", str(tmp_path / "mybot"), "unknown"):
        assert reader.read(name) == EntrantLine(name)
    program(on_path, "engine", UCI)
    add_program(("engine",), store, tmp_path, protocol="uci", options={"Hash": 1}, go={})
    assert ReferenceReader(store, sandbox).read("engine") == EntrantLine(command=("engine",), protocol="uci")


def test_entrant_of_a_file_has_its_settings(tmp_path: Path, store: BotStore) -> None:
    engine = program(tmp_path, "engine", UCI)
    write_bot(tmp_path, "mybot")
    file = tmp_path / "cup.toml"
    file.write_text(
        'name = "cup"\ngame = "sage-stones"\nbots = ["random", "./mybot"]\n'
        '[[entrant]]\ncommand = ["./engine"]\nname = "a"\noptions = {Hash = 4}\n'
        '[[entrant]]\nbot = "random"\nname = "slow"\nlimits = {move-ms = 9}\n'
    )
    settings = ProgramSettings.read(("go.nodes=7",), {"Hash": "1", "Ponder Off": "true"})
    reader = ReferenceReader(store, never, settings)
    line = reader.read(f"{file}#a")
    assert line.command == (engine,)
    assert (line.name, dict(line.go)) == ("a", {"nodes": 7})
    assert dict(line.options) == {"Hash": 4, "Ponder Off": True}
    assert reader.read(f"{file}#random") == EntrantLine("random")
    assert reader.read(f"{file}#mybot") == EntrantLine(str(tmp_path / "mybot"))
    with refused(UsageError, "has no entrant 'b'; its entrants: random, mybot, a, slow"):
        reader.read(f"{file}#b")
    with refused(UsageError, "slow has limits of its own"):
        reader.read(f"{file}#slow")


def test_entrant_of_a_file_below_the_current_folder(
    tmp_path: Path, store: BotStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cups").mkdir()
    write_bot(tmp_path / "cups", "mybot")
    (tmp_path / "cups" / "cup.toml").write_text('name = "cup"\ngame = "sage-stones"\nbots = ["./mybot"]\n')
    monkeypatch.chdir(tmp_path)
    assert ReferenceReader(store, never).read("cups/cup.toml#mybot") == EntrantLine("./cups/mybot")


@pytest.mark.parametrize("word", ["Hash=4", "option.=1", "go.nodes=many", "arg", "colour=red"])
def test_unknown_setting_is_refused(word: str) -> None:
    with refused(UsageError, "is not one of option.NAME=VALUE"):
        ProgramSettings.read((word,), {})
