"""The files in seeds/: golden matches verify and replay, books can be made again."""

import json
from pathlib import Path

import pytest

from scripts.make_seeds import LINES, PLIES, SEED, book_text, main, mirrored, play_golden, sample_openings
from tests.support.command import GOLDEN, ROOT
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.check.named_seeds import read_manifest
from tourney.check.record import compare, verify
from tourney.games.base import TERMINATIONS, GoldenMatch
from tourney.games.registry import find_game
from tourney.match.record import check_record
from tourney.run.tournament_file import read_book

SEEDS = ROOT / "seeds"
OWN = GOLDEN
BOOKS = [game for game in OWN if find_game(game).opening_book]


def golden_match(game: str) -> GoldenMatch:
    found = find_game(game).golden_match
    assert found is not None
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> BotStore:
    return BotStore(tmp_path_factory.mktemp("golden") / "store")


def test_every_game_has_a_golden_match() -> None:
    assert all(golden_match(game) for game in OWN)
    assert {path.stem for path in (SEEDS / "golden").iterdir()} == set(OWN)


@pytest.mark.parametrize("game", OWN)
def test_golden_match_verifies(game: str) -> None:
    """The record is valid, ends by the game's own rules and agrees with the table."""
    record = check_record(json.loads((SEEDS / "golden" / f"{game}.json").read_text(encoding="utf-8")))
    assert verify(record) == []
    assert record.outcome.faults == ()
    assert record.outcome.reason not in TERMINATIONS
    spec = record.spec
    assert (spec.game, spec.seed) == (game, golden_match(game).seed)
    assert tuple(entrant.bot for entrant in spec.seats) == golden_match(game).bots


@pytest.mark.parametrize("game", OWN)
def test_shipped_bots_replay_the_golden_match(game: str, store: BotStore) -> None:
    """Real processes repeat every action; a bot's log lines may change."""
    old = check_record(json.loads((SEEDS / "golden" / f"{game}.json").read_text(encoding="utf-8")))
    new = play_golden(game, golden_match(game), store, open_sandbox("off"))
    assert [finding for finding in compare(old, new) if "though not in actions" not in finding.text] == []


def test_named_seeds_cover_every_game_and_seat_count() -> None:
    """The tests of manifests check their digests."""
    named = [each.spec for each in read_manifest(SEEDS / "named-seeds.jsonl")]
    tables = {(spec.game, len(spec.seats)) for spec in named}
    assert tables == {(name, count) for name in OWN for count in find_game(name).seat_counts}
    assert any(spec.opening.plies for spec in named)
    assert any(spec.opening.actions for spec in named)


@pytest.mark.parametrize("game", BOOKS)
def test_committed_book_is_current(game: str) -> None:
    """All openings are legal and lead to different positions; sampling gives the same file."""
    path = SEEDS / f"{game}.book"
    rules = find_game(game)
    book = read_book(path, rules, 2, {})
    assert (len(book), {len(opening) for opening in book}) == (LINES, {PLIES})
    positions = set()
    for opening in book:
        state = rules.new()
        for action in opening:
            state = state.play(rules.read_action(state, action))
        positions.add(state.position())
    assert len(positions) == LINES
    assert path.read_text(encoding="ascii") == book_text(rules, PLIES, LINES, SEED)


def test_mirror_images_count_as_one_opening() -> None:
    """Of the 22 first moves of Sages Tafl 11 are left, and then sampling ends."""
    files = "abcdefgh"
    assert mirrored("a2-c4", files) == "h2-f4"
    assert mirrored("tower-d2", files) == "tower-e2"
    assert mirrored("h1xh8>k9", "abcdefghijklmno") == "h1xh8>e9"
    firsts = [opening[0] for opening in sample_openings(find_game("sages-tafl"), 1, 1)]
    assert len(firsts) == len({min(first, mirrored(first, files)) for first in firsts}) == 11


def test_main_writes_the_committed_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Golden games depend on the bots' present content, so the test compares only file names."""
    assert main([str(tmp_path / "seeds")]) == 0
    written = {path.relative_to(tmp_path / "seeds") for path in (tmp_path / "seeds").rglob("*.*")}
    committed = {path.relative_to(SEEDS) for path in SEEDS.rglob("*.*") if "__pycache__" not in path.parts}
    by_hand = {path for path in committed if path.name.startswith("check") and path.suffix in (".py", ".mjs")}
    assert written == committed - by_hand - {Path("README.md"), Path("named-seeds.jsonl")}
    (tmp_path / "file").touch()
    assert main([str(tmp_path / "file")]) == 3
    assert main([]) == 2
    assert capsys.readouterr().err.count("\n") == 2
