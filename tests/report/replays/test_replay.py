"""The data of replays decode to the diagrams of all positions, and end at illegal actions."""

import re
from itertools import chain
from typing import Any

import pytest
from msgspec import structs

from tests.report.film import Film, drawn, golden, pictures, random_record, views
from tests.support.sessions import record_of, searching
from tests.support.tables import make_spec
from tests.support.toys import Odds, Race, Toe
from tourney.games.base import AnyGame
from tourney.games.diagrams import LAST, Cell, Diagram, Piece, fill, seat_colors
from tourney.games.registry import GAMES, find_game
from tourney.games.svg_diagram import PIECE
from tourney.match.record import Outcome, make_record
from tourney.report.pages.match_script import script_json
from tourney.report.replays.board_table import BoardTable, note_templates
from tourney.report.replays.replay import (
    BoardReplay,
    definitions,
    markup,
    picture_markup,
    replay,
    shared_data,
    shared_definitions,
    shared_files,
    shared_things,
    still,
)


def decoded(film: BoardReplay) -> Film:
    own = {number: film.table.sprites[sprite].svg for number, sprite in film.own_sprites()}
    return Film(shared_data(film.table), film.data(), own, film.actions)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES.names())
def test_data_of_golden_matches_decode_to_the_diagrams(name: str) -> None:
    game, record = find_game(name), golden(name)
    film = replay(game, record)
    assert film.problem == ""
    expected = pictures(game, record)
    assert decoded(film).pictures() == expected
    assert film.count == len(expected) == len(record.actions) + 1
    for ply in (0, 7, film.count - 1):
        assert film.notes(ply) == expected[ply].notes
        assert film.position(ply) == expected[ply].position


@pytest.mark.parametrize("name", GAMES.names())
def test_notes_leave_the_last_action_to_the_page(name: str) -> None:
    notes = list(chain.from_iterable(decoded(replay(find_game(name), golden(name))).note_sets()))
    assert notes
    assert not any(LAST in note for note in notes)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES.names())
def test_data_of_random_matches_decode_to_the_diagrams(name: str) -> None:
    game = find_game(name)
    record = random_record(game, game.seat_counts[-1], most=240)
    assert decoded(replay(game, record)).pictures() == pictures(game, record)


@pytest.mark.parametrize("game", [find_game("cyvasse"), Odds()])
def test_each_seat_has_the_pictures_that_it_saw(game: AnyGame) -> None:
    record = golden("cyvasse") if game.name == "cyvasse" else random_record(game, 2)
    film = replay(game, record)
    data: Any = film.data()
    assert {view["seat"] for view in data["views"]} == ({1, 2} if game.name == "cyvasse" else {2})
    open_ = pictures(game, record)
    for view in data["views"]:
        seen = pictures(game, record, view["seat"])
        last = view["last"]
        assert decoded(film).pictures(view) == seen[: last + 1]
        assert [p.position for p in seen[last + 1 :]] == [p.position for p in open_[last + 1 :]]
        assert seen[last] != open_[last]


def test_games_without_hidden_parts_have_no_viewpoints() -> None:
    assert "views" not in replay(find_game("sages-tafl"), golden("sages-tafl")).data()


def test_list_of_numbers_has_one_template_whatever_its_values() -> None:
    notes = ("in hand, by colour: 1: {}, 2: {}, 3: {}", "rolls: 7 of 500")
    templates = set()
    for hands in ((10, 10, 10), (9, 8, 9), (3, 10, 1)):
        view = f"... 2 3 {','.join(map(str, hands))} 7"
        shown = (notes[0].format(*hands), notes[1])
        template = note_templates(shown, view, "7")
        assert fill(template, view, "7") == shown
        templates.add(template)
    assert len(templates) == 1


def test_data_of_175_actions_take_at_most_8_kilobytes() -> None:
    game = find_game("sages-tafl")
    record = min(
        (random_record(game, 2, 400, seed) for seed in range(12)), key=lambda r: abs(len(r.actions) - 175)
    )
    count = len(record.actions)
    assert count > 150
    film = replay(game, record)
    assert len(script_json({**film.data(), "actions": " ".join(film.actions)})) < 8000 * count / 175


def test_dice_of_one_picture_are_written_once() -> None:
    film = replay(find_game("sage-stones"), golden("sage-stones"))
    data: Any = film.data()
    placed = [thing for toggled in film.open.toggles for thing in toggled]
    assert len(data["t"].replace(" ", "")) < 1.5 * len(placed)
    assert decoded(film).pictures() == pictures(find_game("sage-stones"), golden("sage-stones"))


@pytest.mark.parametrize("name", ["sages-tafl", "cyvasse"])
def test_pictures_share_what_all_of_them_have(name: str) -> None:
    film = replay(find_game(name), golden(name))
    shown = [still(film, ply) for ply in (film.count // 2, film.count - 2, film.count - 1)]
    shared = shared_things(film, shown)
    alone = [picture_markup(film, picture) for picture in shown]
    together = [picture_markup(film, picture, shared) for picture in shown]
    defined = shared_definitions(film, shared, shown[0])
    assert len(defined) + sum(map(len, chain(*together))) < 0.8 * sum(map(len, chain(*alone)))
    uses = re.compile("<use href=#k[0-9]+ [^>]*>|<g transform=.*?</g>")
    groups: dict[str, str] = dict(re.findall("<g id=(same-[a-z]+)>(.*?)</g>", defined))
    for whole, parts in zip(alone, together, strict=True):
        for every, part in zip(whole, parts, strict=True):
            used = re.findall("<use href=#(same-[a-z]+) />", part)
            pieces = uses.findall(part) + [piece for ident in used for piece in uses.findall(groups[ident])]
            assert sorted(pieces) == sorted(uses.findall(every))


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES.names())
def test_data_do_not_depend_on_what_was_drawn_before(name: str) -> None:
    game = find_game(name)
    seats = game.seat_counts[0]
    before, record = (random_record(game, seats, 200, seed) for seed in range(2))
    used, fresh = (BoardTable(game, seats, record.options) for _ in range(2))
    assert shared_data(fresh) == shared_data(used)
    replay(game, before, used)
    one, other = replay(game, record, used), replay(game, record, fresh)
    assert script_json(one.data()) == script_json(other.data())
    shown = [[still(film, ply) for ply in (0, 50, film.count - 1)] for film in (one, other)]
    assert definitions(one, shown[0]) == definitions(other, shown[1])
    assert [markup(one, part) for part in shown[0][0]] == [markup(other, part) for part in shown[1][0]]


@pytest.mark.parametrize("game", [Toe(), Race(), Odds()])
def test_plugin_games_are_shown(game: AnyGame) -> None:
    record = random_record(game, 2)
    film = replay(game, record)
    assert film.problem == ""
    assert decoded(film).pictures() == pictures(game, record)
    assert (film.box[2] > 0) == (game.name == "toe")


class BrokenToe(Toe):
    """A game whose diagrams sometimes fail."""

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        if last == "b2":
            raise ZeroDivisionError
        return super().diagram(view, last)


class StackedToe(Toe):
    """A game with two pieces on one place, of which the larger number is above."""

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        pieces = [Piece(0, 0, glyph, 1, "token", f"{glyph} \x1f on <a1>") for glyph in "ZA"]
        return Diagram((Cell(0, 0, name="<a1>"),), tuple(pieces[: 1 + view.count("X")]), notes=("\x1f0\x1f",))


TOE = make_record(
    make_spec(options=(("misere", "no"),)),
    "1",
    [(1, "a1"), (2, "b2"), (1, "c3")],
    Outcome((1, 1), "draw", ()),
)


def test_failed_diagram_costs_one_picture() -> None:
    film = replay(BrokenToe(), TOE)
    assert film.problem == ""
    found = decoded(film).pictures()
    assert len(found) == 4
    assert found[2].things == found[2].ground == []
    assert found[2].notes
    assert found[3].ground == found[0].ground == found[1].ground != []


def test_pieces_on_one_place_keep_their_order() -> None:
    film = replay(StackedToe(), TOE)
    above = [film.table.sprites[thing.sprite] for thing in film.things(3)]
    looks = [sprite.svg for sprite in above if sprite.layer == PIECE]
    assert [re.findall(">([ZA])<", look) for look in looks] == [["Z"], ["A"]]
    assert film.notes(3) == ("\N{REPLACEMENT CHARACTER}0\N{REPLACEMENT CHARACTER}",)


@pytest.mark.parametrize(
    ("actions", "count", "problem"),
    [
        ([(1, "a1"), (2, "a1")], 2, "a1 is not legal here"),
        ([(1, "a1"), (1, "a2")], 2, "action 2 is by actor 1"),
        ([(1, "<z9>")], 1, "is not a square"),
    ],
)
def test_replay_ends_at_an_illegal_action(actions: list[tuple[int, str]], count: int, problem: str) -> None:
    film = replay(Toe(), structs.replace(TOE, actions=tuple(actions)))
    assert film.count == count
    assert len(decoded(film).pictures()) == count
    assert problem in film.problem


def test_other_rules_version_or_missing_game_gives_no_pictures() -> None:
    assert "rules version 2" in replay(Toe(), structs.replace(TOE, rules="2")).problem
    assert "not installed" in replay(None, TOE).problem
    film = replay(Toe(), structs.replace(TOE, options={"misere": "perhaps"}))
    assert "misere" in film.problem
    assert film.count == 0


def test_captures_are_the_largest_falls_of_what_stands_on_the_board() -> None:
    record = record_of("sages-tafl", [searching(2), searching(2)], 1)
    shown = replay(find_game("sages-tafl"), record)
    found = shown.captures(3)
    cells = {shown.table.things[thing].place for thing in shown.table.ground}
    counts = [sum(thing.place in cells for thing in shown.things(ply)) for ply in range(shown.count)]
    assert 0 < len(found) <= 3
    assert list(found) == sorted(found)
    assert all(counts[ply] < counts[ply - 1] for ply in found)
    assert replay(Toe(), TOE).captures(3) == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES.names())
def test_pictures_without_scripts_show_the_diagram(name: str) -> None:
    game, record = find_game(name), golden(name)
    film = replay(game, record)
    last = film.count - 1
    below, above = still(film, last)
    shown = markup(film, above)
    defined = dict(
        re.findall(
            r"<image id=(k\d+) href=\.\./board/sprites\.svg#(k\d+) />", definitions(film, [(below, above)])
        )
    )
    own = {f"k{number}": film.table.sprites[sprite].svg for number, sprite in film.own_sprites()}
    kinds = shared_files(game, len(record.seats), record.options)["board/sprites.svg"].decode()
    view, action = views(game, record)[last]
    colors = seat_colors(game.seat_names[: len(record.seats)])
    expected = drawn(game.diagram(view, action), view, colors).things
    found = []
    for kind, x, y in re.findall(r"<use href=#(k\d+) x=(-?\d+) y=(-?\d+) />", shown):
        look = own.get(kind)
        if look is None:
            look = kinds.partition(f'<g id="{defined[kind]}" class="k">')[2]
        thing = next(e for e in expected if (e.x, e.y) == (int(x), int(y)) and look.startswith(e.svg))
        found.append(thing)
    arrows = [thing for thing in expected if "tb-shaft" in thing.svg]
    assert sorted(found + arrows) == expected
    assert all(f'<g transform="translate({a.x} {a.y})">{a.svg}</g>' in shown for a in arrows)


@pytest.mark.parametrize("name", ["sages-tafl", "cyvasse"])
def test_lines_that_were_not_played_are_drawn_as_if_they_were(name: str) -> None:
    """Each from its own ply, as far as it is legal."""
    game, record = find_game(name), golden(name)
    texts = [text for _, text in record.actions]
    lines = {0: texts[:3], 6: [*texts[6:9], "never", texts[9]], 8: ["never"]}
    film = replay(game, record, None, lines.items())
    assert film.line_at == {0: (0, 3), 6: (4, 3), 8: (8, 0)}
    assert decoded(film).pictures() == pictures(game, record)
    track: Any = film.data()["lines"]
    found = decoded(film).pictures(track)
    played = pictures(game, record)
    assert [one.position for one in found] == [played[ply].position for ply in (*range(4), *range(6, 10), 8)]
    assert [one.things for one in found[:4]] == [one.things for one in played[:4]]


def test_line_ends_at_a_draw_by_chance() -> None:
    game, record = find_game("sage-stones"), golden("sage-stones")
    line = [record.actions[1][1], record.actions[2][1], record.actions[3][1]]
    assert record.actions[2][0] == 0
    assert replay(game, record, None, [(1, line)]).line_at == {1: (0, 1)}
