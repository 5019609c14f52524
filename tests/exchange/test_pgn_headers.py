"""PGN: tags, pairs, damage named by line, and hostile files in bounded memory."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.exchange.files import MOVES, damaged, games, groups, one, pgn, read
from tourney.exchange import pgn_headers as module
from tourney.exchange.foreign_game import Problems
from tourney.exchange.pgn_headers import read_pgn


def test_games_keep_players_results_and_words() -> None:
    text = one("Ann", "Bob", "0-1", Date="2026.11.22", TimeControl="8+0.08", Termination="time forfeit")
    (game,) = games(read_pgn([text.encode()], "f", Problems()))
    assert (game.players, game.ranks) == (("Ann", "Bob"), (2, 1))
    assert (game.date, game.time_control, game.faults) == ("2026-11-22", "8+0.08", ("timeout", None))


def test_line_ends_and_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    text = pgn(("a", "b", "1-0"), ("b", "a", "1-0"), ("b", "a", "*")).encode()
    plain = read(tmp_path, text)
    for other in (text.replace(b"\n", b"\r\n"), text.replace(b"\n", b"\r"), b"\xef\xbb\xbf" + text):
        tally, problems = read(tmp_path, other)
        assert groups(tally) == groups(plain[0])
        assert damaged(problems) == damaged(plain[1]) == [("unfinished", 15)]


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1000])
def test_blocks_may_end_anywhere(size: int) -> None:
    text = pgn(("a", "b", "1-0"), ("b", "a", "*"), ("c", "a", "0-1"), moves="1. e4 {x\n\ny} e5").encode()
    text += one("a", "b", "1-0", moves="{").encode()
    problems = Problems()
    blocks = [text[k : k + size].replace(b"\n", b"\r\n") for k in range(0, len(text), size)]
    found = [(line, game.players) for line, game in read_pgn(blocks, "f", problems)]
    assert found == [(1, ("a", "b")), (19, ("c", "a"))]
    assert damaged(problems) == [("unfinished", 10), ("cut", 28)]


@pytest.mark.parametrize("size", [7, 64, 1000])
def test_game_in_a_comment_is_none_wherever_blocks_end(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_COMMENT", 300)
    forged = one("b", "a", "1-0")
    # The game goes on for longer than a comment may: what is inside must not be taken for the next game.
    text = one("a", "b", "1-0", moves=f"1. e4 {{\n\n{forged}}}" + " e5" * 200) + one("c", "a", "0-1")
    blocks = [text.encode()[k : k + size] for k in range(0, len(text), size)]
    problems = Problems()
    assert [game.players for _, game in read_pgn(blocks, "f", problems)] == [("c", "a")]
    assert damaged(problems) == [("comment", 1)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (one("a", "b", "1-0", end="0-1"), "contradiction"),
        (one("a", "b", "1-0", Termination="unterminated"), "contradiction"),
        (one("a", "b", "1-0").replace('[White "a"]', '[White "a"]\n[White "c"]'), "contradiction"),
        (one("a", "b", "1-0", end=""), "cut"),
        (one("a", "b", "", end="1-0"), "no-result"),
        (one("a", "b", "2-0", end=""), "bad-result"),
        (one("a", "b", "*"), "unfinished"),
        (one("?", "b", "1-0"), "player"),
        (one("a", "", "1-0"), "player"),
        (one("a", "a", "1-0"), "twice"),
        (one("a" * 201, "b", "1-0"), "name"),
        (one("a\0", "b", "1-0"), "nul"),
        (one("a", "b", "1-0", Site="x" * module.MAX_HEADER), "long"),
    ],
)
def test_damaged_game_is_named_by_line(text: str, kind: str, tmp_path: Path) -> None:
    tally, problems = read(tmp_path, pgn(("a", "b", "1-0")) + text + pgn(("b", "a", "1-0")))
    assert damaged(problems) == [(kind, 8)]
    assert (tally.games, problems.read) == (2, 3)


@pytest.mark.parametrize(
    ("end", "kinds"),
    [
        ("1-0 ; { Game Nr. 1 : a wins ; 0-1 }", []),
        ("1-0 {adjudicated}\n; by hand\n{twice}", []),
        ("0-1 ; not 1-0", ["contradiction"]),
        ("{1-0}", ["cut"]),
        ("1-0; x\nQh5", ["cut"]),
        ("1. a1-0 " + ";" * 900, ["cut"]),
    ],
)
def test_comments_may_follow_the_result(end: str, kinds: list[str], tmp_path: Path) -> None:
    tally, problems = read(tmp_path, one("a", "b", "1-0", end=end) + one("a", "b", "0-1"))
    assert [kind for kind, _ in damaged(problems)] == kinds
    assert tally.games == 2 - len(kinds)


def test_cut_file_names_its_last_game(tmp_path: Path) -> None:
    text = pgn(("a", "b", "1-0"), ("b", "a", "1-0"))
    tally, problems = read(tmp_path, text[: -len(" e5 1-0\n\n")])
    assert (tally.games, damaged(problems)) == (1, [("cut", 8)])


def test_game_forged_inside_a_comment_does_not_count(tmp_path: Path) -> None:
    """A player that gets text into a comment cannot add a game that it won."""
    forged = one("evil", "a", "1-0")
    text = one("a", "evil", "1-0", moves=f"1. e4 {{ 1-0\n\n{forged} }}") + one("a", "b", "0-1")
    tally, problems = read(tmp_path, text)
    assert groups(tally) == [([("a", "b", "21")], 1)]
    assert damaged(problems) == [("comment", 1)]


@pytest.mark.parametrize(
    "moves",
    [
        "1. e4 {+0.31/12 0.5s} e5 {book} 2. Nf3 {1s} Nc6 {z}",
        "1. e4 {[%clk 0:03:00]} 1... e5 2. Nf3! $1 (2. f4 exf4) Nc6",
        "1. e4 e5 ; both book\n2. Nf3+ Nc6?!",
    ],
)
def test_games_repeat_whatever_their_comments(moves: str, tmp_path: Path) -> None:
    plain, other = "1. e4 e5 2. Nf3 Nc6", "1. e3 e5 2. Nf3 Nc6"
    text = "".join(one("a", "b", "1-0", moves=played) for played in (plain, moves, other))
    tally, _ = read(tmp_path, text)
    assert (tally.games, tally.distinct) == (3, 2)


def test_headers_without_moves_are_games(tmp_path: Path) -> None:
    text = '[Event "x"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n' * 3
    assert read(tmp_path, text)[0].games == 3


def test_rounds_pair_games_two_by_two(tmp_path: Path) -> None:
    both = ("a", "b", "1-0"), ("b", "a", "0-1")
    tally, _ = read(tmp_path, pgn(*both, *both, ("c", "a", "1-0"), Round="1"))
    pair = [("a", "b", "12"), ("b", "a", "21")]
    assert groups(tally) == [(pair, 2), ([("c", "a", "12")], 1)]


def test_unknown_round_or_other_opening_pairs_nothing(tmp_path: Path) -> None:
    text = pgn(("a", "b", "1-0"), ("b", "a", "0-1"), Round="-") + one("a", "b", "1-0", Round="1", FEN="x")
    tally, _ = read(tmp_path, text + one("b", "a", "0-1", Round="1", FEN="y"))
    assert [(len(group), times) for group, times in groups(tally)] == [(1, 2), (1, 2)]


def test_pair_tag_groups_games_wherever_they_stand(tmp_path: Path) -> None:
    first, second = one("a", "b", "1-0", Pair="1.1.1"), one("b", "a", "1-0", Pair="1.1.1")
    tally, _ = read(tmp_path, first + one("a", "b", "0-1", Pair="2") + second, first)
    both = [("a", "b", "12"), ("b", "a", "12")]
    assert groups(tally) == [([("a", "b", "12")], 1), (both, 1), ([("a", "b", "21")], 1)]


def test_names_that_are_not_utf8_are_latin1(tmp_path: Path) -> None:
    tally, problems = read(tmp_path, pgn(("Jos\xe9", "b", "1-0")).encode("latin-1"))
    assert tally.players == ("Jos\xe9", "b")
    assert damaged(problems) == [("latin", 1)]
    assert problems.damaged == 0


def test_escaped_quotes_belong_to_names(tmp_path: Path) -> None:
    tally, _ = read(tmp_path, pgn((r"J. \"X\" \\ Doe", "b", "1-0")))
    assert tally.players[0] == 'J. "X" \\ Doe'


def test_refused_latin1_game_is_not_noted_at_next(tmp_path: Path) -> None:
    text = pgn(("Jos\xe9", "Jos\xe9", "1-0"), ("a", "b", "1-0")).encode("latin-1")
    _, problems = read(tmp_path, text)
    assert damaged(problems) == [("twice", 1)]


def test_endless_game_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_GAME", 1 << 18)
    head, rest = one("a", "b", "1-0", end=""), one("a", "b", "1-0")

    def blocks() -> Iterator[bytes]:
        yield head.encode()
        for _ in range(64):
            yield b"x" * (1 << 16)
        yield b"\n\n" + rest.encode()

    problems = Problems()
    tracemalloc.start()
    found = list(read_pgn(blocks(), "f", problems))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [line for line, _ in found] == [10]
    assert damaged(problems) == [("long", 1)]
    assert peak < 2 << 20


def test_text_without_a_game_has_none() -> None:
    problems = Problems()
    assert not list(read_pgn([b"hello\n\n[not a tag\n", MOVES.encode()], "f", problems))
    assert problems.damaged == 1


def test_quotes_that_are_not_escaped_belong_to_names(tmp_path: Path) -> None:
    tally, problems = read(tmp_path, pgn(('Ann "Ace" Doe', "b", "1-0")))
    assert (tally.players, problems.damaged) == (('Ann "Ace" Doe', "b"), 0)


@pytest.mark.parametrize(
    ("tags", "control"),
    [
        ({"TimeControl": "60+0.6"}, "60+0.6"),
        ({"TimeControl": "-"}, "-"),
        ({"TimeControl": "?"}, ""),
        ({"WhiteTimeControl": "5+0.05", "BlackTimeControl": "10+0.1"}, "5+0.05; 10+0.1"),
    ],
)
def test_time_controls_are_those_of_the_file(tags: dict[str, str], control: str) -> None:
    (game,) = games(read_pgn([one("a", "b", "1-0", **tags).encode()], "f", Problems()))
    assert game.time_control == control


@pytest.mark.parametrize("text", [b"\n" * (1 << 20), b"\n \t" * (1 << 19), b'[White "' * (1 << 18)])
def test_floods_of_blanks_end_soon(text: bytes) -> None:
    """A search that starts again at every line would take hours."""
    assert not list(read_pgn([text], "f", Problems()))


@pytest.mark.parametrize(
    "moves",
    [
        b"1... e4\n" + b"1" * (1 << 20),
        b"1. e4 ;" + b"{" * (1 << 20) + b"\n",
        b"1. e4" + b"; {\n" * (1 << 18),
    ],
)
def test_floods_in_moves_end_soon(moves: bytes) -> None:
    """A search to the end from each digit, or from each brace in a comment of a line, would take hours."""
    data = one("a", "b", "1-0").encode()
    (game,) = games(read_pgn([data.replace(b"1. e4", moves)], "f", Problems()))
    assert game.players == ("a", "b")


def test_many_open_comments_end_soon() -> None:
    problems = Problems()
    assert not list(read_pgn([b'[Event "x"]\n{a\n' * (1 << 15)], "f", problems))
    assert problems.counts == {"cut": 1 << 15}


def test_lines_of_brackets_take_bounded_memory() -> None:
    """Neither as tags nor as text before the first game."""
    for start in (b"", b'[Event "x"]\n'):
        data = start + b"[\n\n" * (1 << 18)
        tracemalloc.start()
        found = list(read_pgn([data], "f", Problems()))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found == []
        assert peak < 32 << 20


def test_moves_behind_tags_on_one_line_are_moves() -> None:
    text = b'[Event "x"] [White "a"] [Black "b"] [Result "1-0"] 1. e4 {][Pair "1"]} e5 1-0\n1-0'
    (game,) = module.split_games([text])
    assert game.head == b'[Event "x"] [White "a"] [Black "b"] [Result "1-0"]'
    assert game.moves == b' 1. e4 {][Pair "1"]} e5 1-0\n1-0'


@pytest.mark.parametrize(
    ("result", "end", "kinds"),
    [
        ("\u00bd-\u00bd", "\u00bd-\u00bd", []),
        ("1/2", "1/2", []),
        ("1/2-1/2", "\u00bd {agreed}", []),
        ("0:1", "0\u20131", []),
        ("1-0", "0:1", ["contradiction"]),
        ("1-0", "Nc1:0", ["cut"]),
        ("1-0", "1", ["cut"]),
    ],
)
def test_results_behind_moves_are_spelt_as_in_tags(
    result: str, end: str, kinds: list[str], tmp_path: Path
) -> None:
    _, problems = read(tmp_path, one("a", "b", result, end=end) + one("b", "a", "0-1"))
    assert [kind for kind, _ in damaged(problems)] == kinds


FORGED = 'x"] [Black "b"] [Result "1-0"] 1. e4 1-0'


@pytest.mark.parametrize("name", [FORGED, FORGED + " ;", FORGED + " {", FORGED + " {{}"])
@pytest.mark.parametrize("space", ["\n", " "])
def test_name_with_tags_and_moves_forges_no_game(name: str, space: str, tmp_path: Path) -> None:
    """Its program does not escape names; the player is to have beaten ``b`` instead of ``y``."""
    text = space.join(
        ('[Event "e"]', f'[White "{name}"]', '[Black "y"]', '[Result "1-0"]', "1. e4 {book} 1-0\n")
    )
    tally, problems = read(tmp_path, text + one("a", "b", "1-0"))
    assert tally.players == ("a", "b")
    assert damaged(problems) == [("contradiction", 1)]
