"""The site: complete, safe, reproducible, and usable without scripts."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from msgspec import structs

from tests.report import world
from tests.report.conftest import Report
from tests.report.html_pages import Page, pages, read
from tests.support.command import TOYS, invoke, offering
from tests.support.records import as_json
from tests.support.sites import site, sites
from tourney.bots.catalogue.shipped import shipped_digests
from tourney.match.spec import Entrant
from tourney.report.display import label
from tourney.report.output.layout import Options
from tourney.report.output.placement import MANIFEST
from tourney.report.output.write import MARKER, write
from tourney.report.pages.match_lines import MatchDetail, picked
from tourney.report.pages.match_list import DATA, PAGE, list_page, pages_of
from tourney.report.pages.match_script import listed
from tourney.report.site import Versions
from tourney.report.source import ReportSource, load
from tourney.results.versions import Wanted, pools_of_games
from tourney.store.database import Database
from tourney.store.values import StoredEntrant


def files(source: ReportSource, options: Options | None = None) -> dict[str, bytes]:
    made = list(site(source, options))
    assert len({file.path for file in made}) == len(made)
    return {file.path: file.content for file in made}


def test_pages_are_well_formed(report: Report) -> None:
    found = pages(report.folder)
    assert len(found) > 60
    for path in found:
        page = read(path)
        assert page.problems == [], path
        assert len(set(page.ids)) == len(page.ids), path


def test_links_have_targets(report: Report) -> None:
    for path in pages(report.folder):
        for _, target in read(path).references:
            if target == "data:,":
                continue
            file, _, fragment = target.partition("#")
            place = (path.parent / unquote(file)).resolve() if file else path
            assert place.is_relative_to(report.folder.resolve()), (path, target)
            assert place.is_file(), (path, target)
            if fragment.startswith("ply="):
                assert int(fragment[4:]) <= len(actions_of(read(place))), (path, target)
            elif fragment.startswith("bot="):  # a filter of the list
                assert place.name == "matches.html", (path, target)
            elif fragment:
                assert fragment in read(place).ids, (path, target)


def test_pages_load_nothing_from_elsewhere(report: Report) -> None:
    for path in report.folder.rglob("*"):
        if path.suffix in {".html", ".css", ".js"}:
            text = path.read_text(encoding="utf-8").replace('"http://www.w3.org/2000/svg"', "")
            assert re.search(r"(https?:)?//\w", text) is None, path
            assert "@import" not in text
            assert "url(" not in text


def test_style_sheets_close_every_block(report: Report) -> None:
    for path in (report.folder / "assets").glob("*.css"):
        depth = 0
        for brace in re.findall(r"[{}]", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)):
            depth += 1 if brace == "{" else -1
            assert 0 <= depth <= 3, path
        assert depth == 0, path


def test_hostile_names_are_plain_text(report: Report) -> None:
    for path in pages(report.folder):
        page = read(path)
        assert {tag for tag, _ in page.elements}.isdisjoint({"img", "iframe", "object"}), path
        sources = [attributes.get("src") for tag, attributes in page.elements if tag == "script"]
        data = [
            attributes for tag, attributes in page.elements if tag == "script" and "src" not in attributes
        ]
        known = ("assets/", "board/")
        assert all(s in {None, DATA} or any(k in str(s) for k in known) for s in sources), path
        assert all(attributes.get("type") == "application/json" for attributes in data), path
        text = path.read_text(encoding="utf-8")
        assert not re.search("[\u202a-\u202e\u200f\ud800-\udfff]", text), path
    index = "".join(read(report.folder / "index.html").text)
    for name in world.HOSTILE:
        assert label(name) in index


def test_pages_tell_shipped_bots_from_others(report: Report) -> None:
    """Digests decide; a title or an author says nothing, and hides no name."""
    others = report.source.entrants
    shipped = shipped_digests()
    claims = (
        StoredEntrant(0, Entrant("random", "random", "1", (), shipped["random"]), title="not the random bot"),
        StoredEntrant(1, Entrant("greedy", "greedy", "1", (), "c" * 64), title="The shipped greedy"),
        StoredEntrant(2, Entrant("mason-2", "mybot", "1", (), "d" * 64), title="mason", author="Tourney"),
    )
    source = replace(report.source, entrants=(*claims, *others[len(claims) :]))
    index, *found = (made[path].decode() for made in [files(source)] for path in pages_named(source))
    marks = ["shipped", "not the shipped bot", "submitted"]
    for stored, mark, page in zip(claims, marks, found, strict=True):
        lead = re.search(r'<p class="lead">(.*?)</p>', page, re.DOTALL)
        assert lead is not None
        assert re.findall(r"<span[^>]*>([^<]*)</span>", lead[1]) == [mark]
        assert f"<h1><bdi>{stored.name}</bdi></h1>" in page
    assert index.count(">shipped<") == 1
    assert index.count(">not the shipped bot<") == 1


def pages_named(source: ReportSource) -> list[str]:
    """Return the paths of the first page and of the first three bots' pages."""
    return ["index.html", *(source.labels[number].page for number in range(3))]


def test_bots_do_not_choose_file_names(report: Report) -> None:
    for path in report.folder.rglob("*"):
        assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", path.name), path


def test_pages_work_without_scripts(report: Report) -> None:
    for line in json.loads((report.folder / "data" / "matches.json").read_bytes()):
        page = read(report.folder / "matches" / f"{line['match']}.html")
        if not line["digest"]:
            assert any("no record" in text for text in page.text)
            continue
        shown = re.sub(r"[A-Z]\w+:|[\[\];]|\((opening|substitute)\)", " ", page.by_id["moves"])
        assert shown.split() == [word for _, word in actions_of(page)]
        assert any(tag == "use" for tag, _ in page.elements)
        hidden = [a.get("id", a.get("class")) for _, a in page.elements if "hidden" in a]
        assert hidden == ["theme"]


def actions_of(page: Page) -> list[list[object]]:
    """Return the actions of a match's page as its script reads them."""
    data = json.loads(page.by_id["replay-data"])
    words = data["actions"].split() if "actions" in data else listed([page.by_id["moves"]])
    actors = data["actors"] * len(words)
    return [[int(actor), word] for word, actor in zip(words, actors, strict=False)]


def test_page_offers_its_record_without_scripts(report: Report) -> None:
    """A link of plain HTML to a file beside the page: the bytes of ``tourney show --record``."""
    checked = 0
    for match in report.source.matches:
        path = report.folder / "matches" / f"{match.number}.html"
        page, beside = read(path), path.with_suffix(".json")
        record = report.source.detail(match.number).record
        links = [a for tag, a in page.elements if tag == "a" and a.get("href") == beside.name]
        assert len(links) == beside.is_file() == (record is not None)
        if record is None:
            continue
        assert beside.read_bytes() == record.encode() + b"\n"
        assert "download" in links[0]
        assert actions_of(page) == as_json(record)["actions"]
        text = "".join(page.text)
        assert record.digest in text
        assert record.seed in text
        assert f"tourney verify cup/{match.number} or tourney verify {beside.name}" in " ".join(text.split())
        assert f"tourney show --record cup/{match.number}" in text
        checked += 1
    assert checked == len(report.source.matches) - 1
    made = files(report.source, Options(measured=False))
    for beside in (report.folder / "matches").glob("*.json"):
        assert made[f"matches/{beside.name}"] == beside.read_bytes()


def test_record_beside_a_page_is_taken_by_verify(report: Report) -> None:
    number = report.source.matches[0].number
    done = invoke("verify", str(report.folder / "matches" / f"{number}.json"))
    assert (done.exit_code, done.stdout) == (0, "1 record holds\n")


def test_changed_record_gives_a_warning(report: Report) -> None:
    source = report.source
    number = source.matches[0].number
    changed = source.detail(number)
    assert changed.record is not None
    record = structs.replace(changed.record, seed="1")
    other = replace(
        source,
        detail=lambda asked: MatchDetail(record) if asked == number else source.detail(asked),
    )
    made = files(other, Options(match_pages=len(source.matches)))
    assert (
        b"It was changed" in made[f"matches/{number}.html"]
        or b"it was changed" in made[f"matches/{number}.html"]
    )
    assert b"it was changed" not in made[f"matches/{source.matches[1].number}.html"]


def test_downloads_contain_the_tables(report: Report) -> None:
    folder = report.folder / "data"
    tables = {path.with_suffix("") for path in folder.rglob("*.csv")}
    assert tables == {path.with_suffix("") for path in folder.rglob("*.json")}
    assert len(tables) >= 9 + 2 * len(world.HOSTILE)
    for path in folder.rglob("*.json"):
        rows = json.loads(path.read_bytes())
        with path.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        assert len(lines) == len(rows) + 1
        assert all(list(row) == lines[0] for row in rows)
    standings = json.loads((folder / "standings.json").read_bytes())
    assert sorted(row["name"] for row in standings) == sorted(world.HOSTILE)


def test_same_database_gives_same_bytes(report: Report) -> None:
    again = files(report.source)
    for path, content in again.items():
        assert (report.folder / path).read_bytes() == content, path
    there = {str(p.relative_to(report.folder)) for p in report.folder.rglob("*") if p.is_file()}
    assert there == {*again, MARKER, MANIFEST}


def test_two_runs_give_same_bytes_without_measurements(tmp_path: Path) -> None:
    made = []
    for backwards, host in ((False, "alpha-host"), (True, "beta-host")):
        with Database.open(str(tmp_path / f"{host}.db"), create=True) as repository:
            tournament = world.begin(repository, "abcd")
            world.play_all(repository, tournament, backwards=backwards, host=host, void=(3,))
            source = load(repository, tournament)
            made.append(files(source, Options(measured=False)))
            full = b"".join(files(load(repository, tournament), Options(logs=True)).values())
            assert host.encode() in full
    assert made[0] == made[1]
    everything = b"".join(made[0][path] for path in made[0] if not path.startswith("assets/"))
    for word in (b"-host", b"2026-11-20", b"bubblewrap", b"it gave up", b'"times":[', b" ms<", b"lost three"):
        assert word not in everything, word


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "seats"), [("sages-tafl", 2), ("sage-stones", 4), ("element", 3), ("cyvasse", 2)]
)
def test_every_game_has_pages(repository: Database, game: str, seats: int) -> None:
    games = {2: 2, 3: 6, 4: 4}[seats]
    tournament = world.begin(repository, "abcd"[:seats], game=game, seats=seats, games=games)
    world.play_all(repository, tournament)  # a match that shares its seed with one to come is sealed
    made = files(load(repository, repository.tournaments.get()))
    page = Page(made["matches/1.html"].decode("utf-8"))
    assert page.problems == []
    assert len(actions_of(page)) > 4
    assert b"In progress: 1 of" in made["index.html"] or b"Finished" in made["index.html"]


def test_empty_tournament_has_pages(repository: Database, tmp_path: Path) -> None:
    world.begin(repository, "ab")
    write(site(load(repository, repository.tournaments.get())), tmp_path / "out")
    for path in pages(tmp_path / "out"):
        assert read(path).problems == []
    text = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "In progress: 0 of 2 matches" in text
    statistics = (tmp_path / "out" / "statistics.html").read_text(encoding="utf-8")
    assert "No match has been played yet" in statistics


def test_missing_game_leaves_tables_and_actions(repository: Database) -> None:
    tournament = world.begin(repository, "ab")
    world.play_all(repository, tournament)
    with offering(**TOYS):
        made = files(load(repository, tournament))
    page = made["matches/1.html"].decode("utf-8")
    assert "sage-stones is not installed" in page
    assert len(actions_of(Page(page))) > 4
    assert 'id="stage"' not in page


def test_plugin_games_have_pages(repository: Database) -> None:
    with offering(**TOYS):
        tournament = world.begin(repository, "ab", game="race", options=())
        world.play_all(repository, tournament)
        made = files(load(repository, tournament))
    page = made["matches/1.html"].decode("utf-8")
    assert "roll-1" in page
    assert 'id="board"' not in page
    assert "replay.js" in page


def test_match_pages_are_limited(report: Report) -> None:
    source = report.source
    faulty = {m.number for m in source.matches if any(m.result.faults)}
    assert 3 <= len(faulty) < len(source.matches)
    few = picked(source, len(faulty) + 2)
    assert faulty < few
    assert sorted(few - faulty) == [n for n in range(1, 9) if n not in faulty][:2]
    made = files(source, Options(match_pages=3))
    assert sum(path.startswith("matches/") and path.endswith(".html") for path in made) == 3
    assert f"{len(source.matches) - 3} matches have no page" in made["matches.html"].decode("utf-8")
    targets = re.findall(rb'href="([^"#]*matches/\d+\.html)"', made["matches.html"])
    assert len(set(targets)) == 3


def test_long_lists_have_pages(report: Report) -> None:
    line = next(iter(report.source.matches))
    assert line.number == 1
    assert [len(page) for page in pages_of([None] * (2 * PAGE + 1))] == [PAGE, PAGE, 1]  # type: ignore[list-item] # only counted
    assert pages_of([]) == ((),)
    assert [list_page(k) for k in range(3)] == ["matches.html", "matches-2.html", "matches-3.html"]


def test_several_tournaments_share_one_report(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        for name, game in (("One cup", "sage-stones"), ("two/../cup", "sages-tafl")):
            world.play_all(repository, world.begin(repository, "ab", name=name, game=game))
        loaded = [load(repository, tournament) for tournament in repository.tournaments.all()]
        write(sites(loaded), tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir() if p.is_dir()) == [
        "assets",
        "t1-one-cup",
        "t2-two-..-cup",
    ]
    for path in pages(tmp_path / "out"):
        page = read(path)
        assert page.problems == []
        for _, target in page.references:
            file = target.partition("#")[0]
            assert not file or file == "data:," or (path.parent / file).is_file(), (path, target)


def test_list_of_tournaments_names_the_winners_beside_each(tmp_path: Path) -> None:
    """On a phone only the first two columns are in sight."""
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        for name in ("one", "two"):
            world.play_all(repository, world.begin(repository, "ab", name=name))
        loaded = [load(repository, tournament) for tournament in repository.tournaments.all()]
        index = next(file for file in sites(loaded, Options()) if file.path == "index.html")
    heads = re.findall(r"<th[^>]*>([^<]*)</th>", index.content.decode())
    assert heads[:3] == ["Tournament", "Podium", "Date"]


def test_versions_have_a_page_over_all_tournaments(tmp_path: Path) -> None:
    """The page says what is in the fit and what is left out, without dates if nothing measured is shown."""
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        for name, game, seats in (
            ("one", "sage-stones", 2),
            ("two", "sage-stones", 2),
            ("many", "sage-stones", 3),
        ):
            world.play_all(repository, world.begin(repository, "abc", name=name, game=game, seats=seats))
        loaded = [load(repository, tournament) for tournament in repository.tournaments.all()]
        pools = pools_of_games(repository, Wanted())
        anchored = Versions(pools, {pools[0].versions[0].label: 1000.0})
        files = {
            file.path: file.content.decode("utf-8", "replace")
            for file in sites(loaded, Options(measured=False), anchored)
        }
    assert [path for path in files if path.startswith("versions")] == ["versions-sage-stones.html"]
    page = files["versions-sage-stones.html"]
    assert "3 versions of 3 bots in one fit over 2 tournaments" in page
    assert "<bdi>many</bdi>: seats is 3, and 2 in two" in page
    assert "1000.0" in page
    assert "Since" not in page
    assert 'href="versions-sage-stones.html"' in files["index.html"]
    table = json.loads(files["data/versions-sage-stones.json"])
    assert [row["tournaments"] for row in table] == [2, 2, 2]
    assert "since" not in table[0]
