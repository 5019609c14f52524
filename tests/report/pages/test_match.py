"""A match's page: rounds, the first difference of two matches, and the data for the script."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup
from msgspec import structs

from tests.report import world
from tests.report.conftest import Report
from tests.support.records import as_json
from tourney.match.record import Record
from tourney.match.result import LogLine
from tourney.match.spec import Opening
from tourney.report.output.layout import Context
from tourney.report.pages.match import MatchJob, first_difference, match_page
from tourney.report.pages.match_lines import MatchDetail, match_lines, published_detail
from tourney.report.pages.match_script import listed
from tourney.report.replays import codes
from tourney.report.source import ReportSource, load
from tourney.store.database import Database


def page_of(
    source: ReportSource,
    number: int,
    detail: MatchDetail | None = None,
    others: dict[int, Record] | None = None,
) -> Context:
    lines = match_lines(source, {match.number for match in source.matches}, measured=True)
    line = next(line for line in lines if line.number == number)
    group = tuple(other for other in lines if other.round == line.round and other.table == line.table)
    job = MatchJob(line, group, None, None)
    return match_page(source.setting, job, detail or source.detail(number), others or {})


def data_of(page: Context) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page["data"])
    return found


def actions(page: Context) -> list[list[object]]:
    """Return the actions as the script reads them."""
    data = data_of(page)
    words = data["actions"].split() if "actions" in data else listed(page["rounds"])
    return [[int(data["actors"][k % len(data["actors"])]), word] for k, word in enumerate(words)]


def integers(code: str) -> list[int | None]:
    """Return what ``codes.integers`` was given."""
    found: list[int | None] = []
    size = 0
    for digit in map(codes.ALPHABET.find, code):
        if digit < 0:
            found.append(None)
            continue
        size = size * 44 + digit % 44
        if digit < 44:
            found.append(-(size + 1) // 2 if size % 2 else size // 2)
            size = 0
    return found


def steps(code: str) -> list[int | None]:
    """Return what ``codes.steps`` was given."""
    found: list[int | None] = []
    before = 0
    for step in integers(code):
        before += step or 0
        found.append(None if step is None else before)
    return found


@settings(max_examples=50)
@given(st.lists(st.none() | st.integers() | st.integers(-50, 50)))
def test_codes_of_integers_can_be_read(values: list[int | None]) -> None:
    assert integers(codes.integers(values)) == values
    assert steps(codes.steps(values)) == values


def test_unusual_actions_are_in_the_data(report: Report) -> None:
    detail = report.source.detail(1)

    def data(*actions: str) -> dict[str, Any]:
        assert detail.record is not None
        record = structs.replace(detail.record, actions=tuple((1, action) for action in actions))
        return data_of(page_of(report.source, 1, replace(detail, record=record)))

    assert "actions" not in data("a1-a2", "c:d", "<b>", "x(y")
    for unusual in ("[x]", "x;", "e:", "(opening)", "\u202e", "a" * 6000):
        assert data("a1-a2", unusual, "b")["actions"] == f"a1-a2 {unusual} b"


@pytest.mark.parametrize(
    ("other", "ply"),
    [
        ([(1, "a"), (2, "b")], 0),
        ([(1, "a"), (2, "c")], 2),
        ([(2, "a"), (2, "b")], 1),
        ([(1, "a")], 2),
        ([(1, "a"), (2, "b"), (1, "c")], 3),
        ([], 1),
    ],
)
def test_first_difference_of_two_matches(other: list[tuple[int, str]], ply: int) -> None:
    assert first_difference([(1, "a"), (2, "b")], other) == ply


def test_data_hold_actions_and_limits_of_the_record(report: Report) -> None:
    """The record itself is a file beside the page, so the page does not hold it again."""
    checked = 0
    for match in report.source.matches:
        record = report.source.detail(match.number).record
        if record is None:
            continue
        page = page_of(report.source, match.number)
        assert actions(page) == as_json(record)["actions"]
        assert data_of(page)["limits"] == as_json(record)["limits"]
        assert "record" not in data_of(page)
        checked += 1
    assert checked > 40


def test_data_hold_clocks_info_and_fates(report: Report) -> None:
    fault = next(m for m in report.source.matches if any(m.result.faults))
    detail = report.source.detail(fault.number)
    page = page_of(report.source, fault.number)
    data = data_of(page)
    times = [None if time is None else time / 1000 for time in integers(data["times"])]
    assert tuple(times) == detail.measured.times_ms
    assert data["fates"] == [[fault.number % 2 + 1, 3, data["fates"][0][2]]]
    plies: dict[int, list[int | None]] = {}
    for seat, info in data["info"].items():
        if "every" in info:
            first, step, count = info["every"]
            plies[int(seat)] = [first + k * step for k in range(count)]
        else:
            plies[int(seat)] = steps(info["at"])
        count = len(plies[int(seat)])
        coded = [column for column in info["of"].values() if isinstance(column, dict)]
        assert all(len(steps(code)) == count for column in coded for code in column.values())
        assert set(info["of"]) == {"score", "depth"}
    acted = [actor for actor, _ in actions(page)]
    assert plies == {
        seat: [ply for ply, actor in enumerate(acted, 1) if actor == seat] for seat in {*acted} - {0}
    }


def test_page_without_measurements_has_no_times_or_info(report: Report) -> None:
    lines = match_lines(report.source, {1}, measured=False)
    job = MatchJob(lines[0], (), None, None)
    page = match_page(
        report.source.setting, job, published_detail(report.source.detail(1), logs=True, measured=False), {}
    )
    assert {"times", "info", "waited"}.isdisjoint(data_of(page))
    assert [plot.name for plot in page["plots"]] == ["luck"]  # of the record alone


def test_rounds_hold_all_actions_in_order(report: Report) -> None:
    for number in (1, 2, 5):
        page = page_of(report.source, number)
        shown = re.sub(r"[A-Z]\w+:|[\[\];]|\(\w+\)", " ", " ".join(page["rounds"]))
        assert shown.split() == [action for _, action in actions(page)]
        chance = [action for actor, action in actions(page) if actor == 0]
        assert re.findall(r"\[([^\]]+)\]", " ".join(page["rounds"])) == chance
        for line in page["rounds"]:
            names = re.findall(r"[A-Z]\w+:", line)
            assert len(names) == len(set(names)), "a seat acts once a round"


def test_rounds_name_seats_where_their_order_changes(report: Report) -> None:
    def lines(*acts: tuple[int, str]) -> tuple[str, ...]:
        detail = report.source.detail(1)
        assert detail.record is not None
        record = structs.replace(detail.record, actions=acts)
        found: tuple[str, ...] = page_of(report.source, 1, replace(detail, record=record))["rounds"]
        return found

    assert lines((1, "a"), (2, "b"), (1, "c"), (2, "d"), (1, "e")) == ("First: a; Second: b", "c; d", "e")
    assert lines((0, "x"), (1, "a"), (1, "b"), (0, "y"), (2, "c"), (0, "z"), (1, "d")) == (
        "First: [x] a b; Second: [y] c",
        "[z] d",
    )
    assert lines((1, "a"), (2, "b"), (2, "c"), (2, "d"), (1, "e"), (2, "f"), (1, "g"), (0, "x")) == (
        "First: a; Second: b c d",
        "e; f",
        "First: g; [x]",
    )


def test_links_to_key_positions_lead_into_the_list_without_scripts(report: Report) -> None:
    page = page_of(report.source, 5)
    plies = [frame[0] for frame in page["board"]["frames"]]
    texts = "".join(page["linked_rounds"])
    assert plies
    assert re.findall(r'<u id="ply=(\d+)">', texts) == list(map(str, plies))
    assert Markup(texts).striptags() == Markup("".join(page["rounds"])).striptags()  # noqa: S704 - of this page


def test_headline_of_several_seats_names_all_bots(repository: Database) -> None:
    tournament = world.begin(repository, ("ann", "bob", "cid", "dan"), seats=4, games=4)
    world.play_all(repository, tournament)
    source = load(repository, repository.tournaments.get())
    page = page_of(source, 1)
    assert all(name in page["headline"] for name in ("ann", "bob", "cid", "dan"))
    assert re.fullmatch(
        r".*(ahead of \w+, \w+ and \w+|ahead of \w+ and \w+|ahead of \w+|A draw).*", page["headline"]
    )
    assert not any(seat.name in page["headline"] for seat in source.seats)
    assert [seat.name for plot in page["plots"] if plot.name == "time" for seat in plot.seats] == [
        seated.entrant.name for seated in page["line"].seats
    ]


def test_mate_names_the_first_different_action(report: Report) -> None:
    source = report.source
    one, other = source.detail(1).record, source.detail(2).record
    assert one is not None
    assert other is not None
    assert one.seed == other.seed
    changed = structs.replace(other, actions=(*one.actions[:6], (1, "<9z>")))
    page = page_of(source, 1, others={2: changed})
    (mate,) = page["mates"]
    assert (mate.line.number, mate.ply) == (2, 7)
    assert (mate.here, mate.there) == (f"7. {one.actions[6][1]}", "7. <9z>")
    assert data_of(page)["mates"] == [[2, 7]]
    changed = structs.replace(other, actions=one.actions[:6])
    assert page_of(source, 1, others={2: changed})["mates"][0].there == ""
    assert page_of(source, 1, others={2: structs.replace(other, seed="7")})["mates"] == ()
    assert page_of(source, 1, others={2: one})["mates"][0].ply == 0


def test_bots_have_their_last_words(report: Report) -> None:
    """The bot at fault has its fate and the referee's note too."""
    fault = next(m for m in report.source.matches if any(m.result.faults))
    detail = report.source.detail(fault.number)
    assert detail.record is not None
    seat = detail.record.outcome.faults[0][0]
    log = (
        *detail.log,
        *(LogLine(3, seat, "stderr", f"line {n} \u202e<b>") for n in range(50)),
        LogLine(3, 3 - seat, "stderr", "the other"),
        LogLine(3, seat, "note", "<i>exit code 3"),
    )
    page = page_of(report.source, fault.number, replace(detail, log=log))
    failed, well = page["seats"][seat - 1], page["seats"][2 - seat]
    assert len(failed["tail"]) == 20
    assert failed["tail"][-1] == "line 49 \N{REPLACEMENT CHARACTER}<b>"
    assert failed["fate"].endswith("after 3 actions")
    assert failed["why"] in {"<i>exit code 3", "it gave up"}
    assert (well["tail"][-1], well["fate"]) == ("the other", "")


def test_opening_ends_with_its_last_action(repository: Database) -> None:
    tournament = world.begin(repository, "ab", game="sages-tafl")
    world.play_all(repository, tournament)
    source = load(repository, repository.tournaments.get())
    detail = source.detail(1)
    assert detail.record is not None
    for opening, end in ((Opening(), 0), (Opening(plies=4), 4), (Opening(actions=("x", "y")), 2)):
        record = structs.replace(detail.record, opening=opening)
        page = page_of(source, 1, replace(detail, record=record))
        assert data_of(page)["opening"] == end
        assert " ".join(page["rounds"]).count("(opening)") == end


def test_page_of_a_short_match_is_small(repository: Database) -> None:
    """What is not the board's grows by little with each action."""
    tournament = world.begin(repository, "ab", game="sages-tafl")
    world.play_all(repository, tournament)
    source = load(repository, repository.tournaments.get())
    page = page_of(source, 1)
    data = data_of(page)
    assert len(page["record"].actions) > 50
    del data["board"]
    assert len(json.dumps(data, separators=(",", ":"))) < 1000 + 8 * len(page["record"].actions)
