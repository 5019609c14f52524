"""The board in a real browser: every position, as the game draws it; views, animation, flipping, words."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.report.browser import needs_browser, probe
from tests.report.film import Picture, Shown, golden, pictures, random_record, views
from tests.support.toys import Toe
from tourney.bots.catalogue.shipped import templates_dir
from tourney.games.base import AnyGame
from tourney.games.diagrams import Diagram
from tourney.games.registry import GAMES, find_game
from tourney.match.record import Record
from tourney.report.pages.match_script import script_json
from tourney.report.replays.replay import definitions, replay, shared_files, still

pytestmark = [pytest.mark.browser, needs_browser]

HELPERS = """
const data = JSON.parse(document.getElementById('data').textContent);
const svg = document.getElementById('board');
const board = TourneyBoard(svg, data, data.actions.split(' '));
const at = node => node.getAttribute('transform').match(/-?\\d+/g).map(Number);
const seen = node => ({
  layer: +node.parentNode.dataset.layer,
  at: at(node),
  title: node.querySelector('title') ? node.querySelector('title').textContent : '',
  kind: node.querySelector('use') ? +node.querySelector('use').getAttribute('href').slice(2) : -1,
  paths: [...node.querySelectorAll(':scope > path')]
    .map(p => p.getAttribute('class') + ' ' + p.getAttribute('d')),
  shape: [...node.querySelectorAll('use')]
    .every(use => document.querySelector(use.getAttribute('href')) !== null),
});
const state = () => ({
  things: [...svg.querySelectorAll('[data-layer] > g:not([data-leaving])')].map(seen),
  notes: board.notes(board.ply()),
  position: board.position(board.ply()),
  text: board.text(board.ply()),
});
const wait = ms => new Promise(done => setTimeout(done, ms));
"""


class Page:
    """A page with nothing but the board of a match."""

    def __init__(self, folder: Path, game: AnyGame, record: Record) -> None:
        self.game, self.record, self.film = game, record, replay(game, record)
        (folder / "matches").mkdir(parents=True)
        (folder / "board").mkdir()
        for path, content in shared_files(game, len(record.seats), record.options).items():
            (folder / path).write_bytes(content)
        board = (templates_dir() / "static" / "board.js").read_text()
        data = script_json({**self.film.data(), "actions": " ".join(self.film.actions)})
        self.path = folder / "matches" / "1.html"
        shown = [still(self.film, ply) for ply in (0, *self.film.captures(2), self.film.count - 1)]
        self.path.write_text(
            "<!doctype html><meta charset=utf-8><body>"
            f'<svg id="board" class="tb" viewBox="{" ".join(map(str, self.film.box))}">'
            f"<title>the board</title><defs>{definitions(self.film, shown)}</defs></svg>"
            f'<script type="application/json" id="data">{data}</script>'
            f'<script src="../board/game.js"></script><script>{board}</script></body>'
        )
        table = self.film.table
        self._sprites = {k: sprite.svg for k, sprite in enumerate(table.sprites[: table.shared_sprites])}
        self._sprites |= {k: table.sprites[sprite].svg for k, sprite in self.film.own_sprites()}

    def run(self, script: str, profile: Path) -> Any:
        return probe(self.path, HELPERS + script, profile)

    def shown(self, state: dict[str, Any]) -> tuple[list[Shown], int]:
        """Return the marks, arrows and pieces of a state of the browser, and the number of its cells."""
        found, ground = [], 0
        for thing in state["things"]:
            assert thing["shape"]
            x, y = thing["at"]
            if thing["layer"] < 2:
                ground += 1
            elif thing["layer"] == 3:
                look = "".join(
                    f'<path class="{kind}" d="{d}"/>'
                    for kind, _, d in (p.partition(" ") for p in thing["paths"])
                )
                found.append(Shown(look, "", x, y))
            else:
                found.append(Shown(self._sprites[thing["kind"]], thing["title"], x, y))
        return sorted(found), ground

    def compare(self, state: dict[str, Any], picture: Picture) -> None:
        """Check that the browser shows a picture."""
        things, ground = self.shown(state)
        assert things == picture.things
        assert ground == len(picture.ground)
        assert tuple(state["notes"]) == picture.notes
        assert state["position"] == picture.position


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profile")


@pytest.mark.parametrize("name", GAMES.names())
def test_board_shows_golden_matches_forwards_backwards_and_in_jumps(
    name: str, tmp_path: Path, profile: Path
) -> None:
    page = Page(tmp_path, find_game(name), golden(name))
    last = page.film.count - 1
    plies = [last, 0, 1, 2, 3, 30, 31, 30, 29, last - 1, last, last // 2, 0, 9]
    script = f"""return {json.dumps(plies)}.map((ply, k) => {{
      board.show(ply, {{animate: k % 2 > 0}});
      return state();
    }});"""
    found = page.run(script, profile)
    expected = pictures(page.game, page.record)
    for ply, state in zip(plies, found, strict=True):
        page.compare(state, expected[ply])


def test_board_says_in_words_where_pieces_are(tmp_path: Path, profile: Path) -> None:
    page = Page(tmp_path, find_game("sages-tafl"), golden("sages-tafl"))
    found = page.run("board.show(1); return state().text;", profile)
    assert found == [
        "Black apprentice c1, c2, d1, d2, e1, e2, f1, f4",
        "Black sage in the tower",
        "Black skyship a2, h2",
        "Red apprentice c8, c9, d8, d9, e8, e9, f8, f9",
        "Red sage in the tower",
        "Red skyship a8, h8",
    ]


def test_words_name_every_piece_of_every_position(tmp_path: Path, profile: Path) -> None:
    page = Page(tmp_path, find_game("cyvasse"), golden("cyvasse"))
    found = page.run(
        "const all = []; for (let k = 0; k < board.count; k++) all.push(board.text(k)); return all;", profile
    )
    for lines, (view, last) in zip(found, views(page.game, page.record), strict=True):
        titles = [piece.title for piece in page.game.diagram(view, last).pieces if not piece.aside]
        said = [
            f"{line.partition(' on ')[0]} on {name}"
            for line in lines
            for name in line.partition(" on ")[2].split(", ")
        ]
        assert sorted(said) == sorted(titles)


def test_viewpoints_show_what_each_seat_saw(tmp_path: Path, profile: Path) -> None:
    page = Page(tmp_path, find_game("cyvasse"), golden("cyvasse"))
    plies = [0, 1, 2, 20, 40, 5, page.film.count - 1]
    script = f"""
    const found = {{views: board.views}};
    for (const seat of [0, 1, 2]) {{
      board.view(seat);
      found[seat] = {json.dumps(plies)}.map(ply => {{ board.show(ply); return state(); }});
    }}
    return found;
    """
    found = page.run(script, profile)
    assert found["views"] == ["White", "Black"]
    for seat in (0, 1, 2):
        expected = pictures(page.game, page.record, seat)
        for ply, state in zip(plies, found[str(seat)], strict=True):
            page.compare(state, expected[ply])


def test_flipped_board_turns_places_but_not_pieces(tmp_path: Path, profile: Path) -> None:
    page = Page(tmp_path, find_game("seven-sages"), golden("seven-sages"))
    script = """
    board.show(20); const before = state(); board.flip(true); const turned = state();
    board.show(21); board.show(20, {animate: true}); const again = state();
    const on = board.flip(); board.flip(false); return {before, turned, again, on, after: state()};
    """
    found = page.run(script, profile)
    left, top, width, height = page.film.box
    assert found["on"]
    assert found["after"] == found["before"]
    assert page.shown(found["again"]) == page.shown(found["turned"])

    def places(state: dict[str, Any]) -> list[tuple[int, int, int, str]]:
        return sorted((t["kind"], *t["at"], t["title"]) for t in state["things"])

    assert places(found["turned"]) == sorted(
        (kind, 2 * left + width - x, 2 * top + height - y, title)
        for kind, x, y, title in places(found["before"])
    )


def test_moves_slide_unless_far_or_motion_is_reduced(tmp_path: Path, profile: Path) -> None:
    page = Page(tmp_path, find_game("sages-tafl"), golden("sages-tafl"))
    script = """
    const running = () => document.getAnimations().length;
    const steps = [];
    const step = (ply, how) => {
      document.getAnimations().forEach(a => a.finish()); board.show(ply, how); steps.push(running());
    };
    step(0); step(1, {animate: true}); step(2); step(9, {animate: true}); step(8, {animate: true});
    window.matchMedia = () => ({matches: true});
    step(9, {animate: true});
    return steps;
    """
    found = page.run(script, profile)
    assert found[0] == found[2] == found[3] == found[5] == 0
    assert found[1] == 1
    assert found[4] >= 1


def test_captured_piece_fades_and_then_is_gone(tmp_path: Path, profile: Path) -> None:
    page = Page(tmp_path, find_game("cyvasse"), golden("cyvasse"))
    last = page.film.count - 1
    expected = pictures(page.game, page.record)
    script = f"""
    board.show({last - 1}); board.show({last}, {{animate: true}});
    const fading = svg.querySelectorAll('[data-leaving]').length;
    document.getAnimations().forEach(a => a.finish());
    for (let k = 0; k < 100 && svg.querySelector('[data-leaving]'); k++) await wait(50);
    return {{fading, left: svg.querySelectorAll('[data-leaving]').length, state: state()}};
    """
    found = page.run(script, profile)
    assert len(expected[last].things) != len(expected[last - 1].things)
    assert found["fading"] == 1
    assert found["left"] == 0
    page.compare(found["state"], expected[last])


class HostileToe(Toe):
    """A game whose notes, titles and letters contain markup."""

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        made = super().diagram(view, last)
        pieces = tuple(replace(p, title=f"{BAD} {p.x},{p.y}", glyph="<b") for p in made.pieces)
        return replace(made, pieces=pieces, notes=(BAD, *made.notes))


BAD = "<img src=x onerror=document.title='run'>$&</script>"


def test_markup_in_titles_and_notes_stays_text(tmp_path: Path, profile: Path) -> None:
    game = HostileToe()
    page = Page(tmp_path, game, random_record(game, 2))
    found = page.run(
        "board.show(2); const s = state(); await wait(200); return [s, document.title];", profile
    )
    expected = pictures(game, page.record)
    page.compare(found[0], expected[2])
    assert found[0]["notes"][0] == BAD
    assert found[0]["text"][0].startswith(BAD)
    assert found[1] == ""


def test_long_match_opens_at_any_ply(tmp_path: Path, profile: Path) -> None:
    game = find_game("seven-sages")
    record = max((random_record(game, 2, 1440, seed) for seed in range(4)), key=lambda r: len(r.actions))
    page = Page(tmp_path, game, record)
    last = page.film.count - 1
    assert last > 500
    plies = [last, 3, last - 2, last // 2, 0, last]
    found = page.run(
        f"return {json.dumps(plies)}.map(ply => {{ board.show(ply); return state(); }});", profile
    )
    expected = pictures(game, record)
    for ply, state in zip(plies, found, strict=True):
        page.compare(state, expected[ply])
