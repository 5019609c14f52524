"""What a later tournament file may change."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from tests.support.folders import write_shell_bot
from tests.support.tournaments import refused, write_file
from tourney.bots.catalogue.store import BotStore
from tourney.check.root import commitment_of
from tourney.errors import TournamentError
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.preparation import enter
from tourney.run.tournament_file import read_tournament_file
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.swiss import Swiss
from tourney.store.database import Database
from tourney.store.values import RunSettings

FILE = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble", "random"]
[[entrant]]
bot = "pebble"
name = "second"
args = ["--calm"]
[limits]
clock-ms = 5000
[run]
sandbox = "off"
"""


def go_on(folder: Path, text: str) -> tuple[list[str], list[str]]:
    """Start a tournament file as a run does; return the entrants' names and the messages."""
    file = read_tournament_file(write_file(folder, text))
    bots = BotStore(folder / "bots")
    messages: list[str] = []
    with open_tournament(file, str(folder / "t.db"), bots, messages.append) as (repository, amended, _):
        assert amended == repository.tournaments.get()
        assert amended.run.settings == file.run
        return [entrant.name for entrant in repository.tournaments.entrants(amended.id)], messages


def test_same_file_changes_nothing_and_warns_of_seed_once(tmp_path: Path) -> None:
    names, messages = go_on(tmp_path, FILE)
    assert names == ["pebble", "random", "second"]
    seed, commitment = messages
    assert seed == "seed: chosen by a person and below 2^64: any bot can find it and compute the dice"
    assert commitment.startswith("commitment to plan and seed: ")
    assert go_on(tmp_path, FILE) == (names, [])
    # The order of keys and the layout do not count.
    assert go_on(tmp_path, FILE.replace('"pebble", "random"', '"random","pebble"')) == (names, [])


SWISS = FILE.replace("seed = 7", 'seed = 7\nformat = "swiss"\nrounds = 2')


@pytest.mark.parametrize("older", [False, True], ids=["stored", "older"])
def test_begun_tournament_keeps_its_ranking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, older: bool
) -> None:
    """A later file of a version with other tie-breaks continues it; one from before the key stays without."""
    go_on(tmp_path, SWISS)
    if older:
        with sqlite3.connect(tmp_path / "t.db") as connection:
            connection.execute("UPDATE tournament SET plan = json_remove(plan, '$.ranking')")
        connection.close()
    began = None if older else Swiss().new_rule(2)
    monkeypatch.setattr(Swiss, "tie_breaks", lambda _, seats: ("wins",))
    assert go_on(tmp_path, SWISS.replace("rounds = 2", "rounds = 3"))[0] == ["pebble", "random", "second"]
    with Database.open(str(tmp_path / "t.db")) as database:
        plan = database.tournaments.get().plan
    assert (plan.rounds, plan.ranking) == (3, began)


def test_tournament_of_a_newer_version_is_not_continued(tmp_path: Path) -> None:
    go_on(tmp_path, SWISS)
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("""UPDATE tournament SET plan = replace(plan, '"wins"', '"koya"')""")
    connection.close()
    with refused(TournamentError, "cup.toml: cup: it was made by a newer Tourney", "'koya'"):
        go_on(tmp_path, SWISS)


def test_run_settings_may_change(tmp_path: Path) -> None:
    names, _ = go_on(tmp_path, FILE)
    assert go_on(tmp_path, FILE.replace('"off"', '"auto"\nreuse = true')) == (names, [])
    assert read_tournament_file(tmp_path / "cup.toml").run == RunSettings(reuse=True, sandbox="auto")


def test_added_entrant_gets_the_last_number(tmp_path: Path) -> None:
    go_on(tmp_path, FILE)
    names, messages = go_on(tmp_path, FILE.replace('["pebble"', '["greedy", "pebble"'))
    assert names == ["pebble", "random", "second", "greedy"]
    assert messages == ["greedy joins cup from round 4 on"]


def test_changed_bot_is_named_with_the_way_to_enter_it(tmp_path: Path) -> None:
    bot = write_shell_bot(tmp_path, "mine", "go) echo resign;;", games='["sage-stones"]')
    text = FILE.replace('["pebble"', '["./mine", "pebble"')
    names, _ = go_on(tmp_path, text)
    assert go_on(tmp_path, text) == (names, [])
    (bot / "bot.sh").write_text("exit 1\n")
    _, messages = go_on(tmp_path, text)
    (said,) = messages
    assert said.startswith("./mine has changed since mine entered cup; the stored copy plays on.")
    assert 'add [[entrant]] with bot = "./mine" and name = "mine-2"' in said
    more = text.replace("[limits]", '[[entrant]]\nbot = "./mine"\nname = "mine-2"\n[limits]')
    assert go_on(tmp_path, more)[0] == [*names, "mine-2"]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"sage-stones"', '"sages-tafl"', "game was"),
        ("seed = 7", "seed = 8", "seed was 7 when cup began and is 8 now"),
        ("seed = 7", "", "seed was 7 when cup began and is not set now"),
        (
            "seed = 7",
            'seed = 7\nformat = "gauntlet"',
            "only add entrants, or raise games-per-pairing, or change [run] and the texts for the report",
        ),
        ("seed = 7", "seed = 7\nopening-plies = 2", "opening-plies was 0"),
        ("seed = 7", "seed = 7\nseats = 3", "seats was 2"),
        ("clock-ms = 5000", "clock-ms = 6000", "[limits] clock-ms was 5000"),
        ("clock-ms = 5000", "clock-ms = 5000\nnodes = 9", "[limits] nodes was not set"),
        ("clock-ms = 5000", "", "[limits] clock-ms was 5000 when cup began and is not set"),
        (
            '["pebble", "random"]',
            '["pebble"]',
            'the entrant random is not in bots or [[entrant]] as it was when cup began ("random")',
        ),
        ('"--calm"', '"--wild"', "the entrant second is not in bots or [[entrant]]"),
        ('name = "second"', 'name = "third"', "the entrant second is not in bots or [[entrant]]"),
        ('["pebble", "random"]', '["pebble", "random", "unknown"]', "there is no bot 'unknown'"),
        ('["pebble", "random"]', '["pebble", "random", "./pebble"]', "there is no bot"),
    ],
)
def test_other_changes_are_refused_and_store_nothing(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    assert old in FILE
    names, _ = go_on(tmp_path, FILE)
    with refused(TournamentError, "cup.toml: ", sentence):
        go_on(tmp_path, FILE.replace(old, new))
    assert go_on(tmp_path, FILE) == (names, [])


def test_games_per_pairing_may_be_raised_and_not_lowered(tmp_path: Path) -> None:
    go_on(tmp_path, FILE)
    more = FILE.replace("seed = 7", "seed = 7\ngames-per-pairing = 4")
    assert go_on(tmp_path, more)[1] == []
    with Database.open(str(tmp_path / "t.db")) as repository:
        tournament = repository.tournaments.get()
        assert (tournament.plan.games_per_pairing, tournament.complete) == (4, False)
    assert go_on(tmp_path, more)[1] == []
    with refused(TournamentError, "games-per-pairing was 4 when cup began and is 2 now"):
        go_on(tmp_path, FILE)


@pytest.mark.parametrize(
    ("keys", "old", "new"),
    [
        ('format = "adaptive"\nbudget = 30', "budget = 30", "budget = 60"),
        ('format = "adaptive"\n[until]\nwidth = 9\ngames = 40', "games = 40", "games = 90"),
        ("games-per-pairing = 40\n[until]\nwidth = 9\ngames = 60", "games = 60", "games = 90"),
        ("games-per-pairing = 40\n[until]\norder = true", "pairing = 40", "pairing = 80"),
    ],
)
def test_number_of_matches_may_be_raised(tmp_path: Path, keys: str, old: str, new: str) -> None:
    top, table, until = keys.partition("[until]")
    file = FILE.replace("seed = 7", f"seed = 7\n{top}") + table + until
    go_on(tmp_path, file)
    with Database.open(str(tmp_path / "t.db")) as repository:
        tournament = repository.tournaments.get()
        commitment = commitment_of(tournament, repository.tournaments.entrants(tournament.id))
    go_on(tmp_path, file.replace(old, new))
    go_on(tmp_path, file.replace(old, new.replace("0", "00", 1)))
    with Database.open(str(tmp_path / "t.db")) as repository:
        tournament = repository.tournaments.get()
        entrants = repository.tournaments.entrants(tournament.id)
    key, _, value = old.rpartition(" = ")
    name = {"games": "until-games", "pairing": "games-per-pairing"}.get(key, key)
    assert dict(tournament.plan.extra)[f"first-{name}"] == int(value)
    assert commitment_of(tournament, entrants) == commitment
    with refused(TournamentError, "set it back"):
        go_on(tmp_path, file)


@pytest.mark.parametrize(
    ("keys", "old", "new"),
    [
        ("seats = 3\nrounds = 2\ngames-per-pairing = 6", "= 6", "= 12"),
        ('format = "swiss"\nrounds = 2\ngames-per-pairing = 2', "pairing = 2", "pairing = 4"),
        (
            'opening-order = "sequential"\nopening-book = "b.txt"\ngames-per-pairing = 2',
            "pairing = 2",
            "pairing = 4",
        ),
    ],
)
def test_number_of_matches_stays_where_a_raise_would_redraw(
    tmp_path: Path, keys: str, old: str, new: str
) -> None:
    (tmp_path / "b.txt").write_text("a2-a4\n")
    file = FILE.replace("seed = 7", f"seed = 7\n{keys}")
    if "b.txt" in keys:
        file = file.replace('"sage-stones"', '"sages-tafl"').replace('"pebble"', '"greedy"')
    go_on(tmp_path, file)
    with refused(TournamentError, "games-per-pairing was", "only add entrants, or change "):
        go_on(tmp_path, file.replace(old, new))


def test_sampled_seed_stays_and_may_be_named(tmp_path: Path) -> None:
    file = FILE.replace("seed = 7", "")
    _, messages = go_on(tmp_path, file)
    assert [message[:10] for message in messages] == ["commitment"]
    assert go_on(tmp_path, file)[1] == []
    with Database.open(str(tmp_path / "t.db")) as repository:
        tournament = repository.tournaments.get()
    assert not tournament.origin.chosen
    assert go_on(tmp_path, f"seed = {tournament.seed}\n{file}")[1] == []
    with refused(TournamentError, "seed was not set when cup began and is"):
        go_on(tmp_path, f"seed = {tournament.seed ^ 1}\n{file}")


def test_two_sampled_seeds_differ(tmp_path: Path) -> None:
    seeds = set()
    for name in ("one", "two"):
        path = write_file(tmp_path, FILE.replace("seed = 7", "").replace('"cup"', f'"{name}"'))
        file, bots = read_tournament_file(path), BotStore(tmp_path / "bots")
        with open_tournament(file, str(tmp_path / "t.db"), bots, print) as (_, tournament, _):
            seeds.add(tournament.seed)
    assert len(seeds) == 2


def test_format_without_late_entrants_refuses_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RoundRobin, "takes_entrants", False)
    go_on(tmp_path, FILE)
    with refused(TournamentError, 'bots names "greedy" too', "a round-robin takes no entrants later"):
        go_on(tmp_path, FILE.replace('["pebble"', '["greedy", "pebble"'))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('["pebble", "random"]', '["pebble", "pebble"]'), "two entrants are called pebble"),
        (('name = "second"', ""), "two entrants are called pebble; give one a name of its own"),
        (('["pebble", "random"]', '["mason", "unknown"]'), "there is no bot 'unknown'"),
        (('"sage-stones"', '"sages-tafl"'), "the bot mason does not play sages-tafl; it plays sage-stones"),
        (('["pebble", "random"]', "[]\nseats = 4"), "needs at least 4 entrants, not 1"),
    ],
)
def test_unplayable_tournament_creates_no_database(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    text = FILE.replace('"random"', '"mason"') if "mason does not" in sentence else FILE
    old, new = change[0].replace("random", "mason") if "mason does not" in sentence else change[0], change[1]
    assert old in text
    with refused(TournamentError, "cup.toml: ", sentence):
        go_on(tmp_path, text.replace(old, new))
    assert not (tmp_path / "t.db").exists()


def test_failed_build_is_reported_before_anything_is_stored(tmp_path: Path) -> None:
    bot = tmp_path / "broken"
    bot.mkdir()
    (bot / "bot.toml").write_text(
        'name = "broken"\nversion = "1"\ngames = ["sage-stones"]\ncommand = ["./b"]\nbuild = ["ls", "gone"]\n'
    )
    words = r"cup\.toml: the build of broken@1 \(ls gone\) failed"
    with pytest.raises(TournamentError, match=words) as caught:
        go_on(tmp_path, FILE.replace('"random"', '"./broken"'))
    assert "gone" in caught.value.__notes__[0]
    assert not (tmp_path / "t.db").exists()


def test_older_plan_keeps_its_openings(tmp_path: Path) -> None:
    """Its random order may repeat lines; the same file would plan another rule now."""
    (tmp_path / "b.txt").write_text("a2-a4\na2-b1\n")
    text = 'name = "cup"\ngame = "sages-tafl"\nbots = ["random", "mcts"]\nopening-book = "b.txt"\n'
    file = read_tournament_file(write_file(tmp_path, text))
    assert file.plan.opening_order == "shuffled"
    older = replace(file, plan=structs.replace(file.plan, opening_order="random"))
    for started in (older, file):
        with open_tournament(started, str(tmp_path / "t.db"), BotStore(tmp_path / "bots"), print) as opened:
            assert opened.tournament.plan.opening_order == "random"


def test_changed_book_is_named_by_its_number_of_openings(tmp_path: Path) -> None:
    text = FILE.replace('"sage-stones"', '"sages-tafl"\nopening-book = "b.txt"').replace("pebble", "greedy")
    (tmp_path / "b.txt").write_text("a2-a4\n")
    go_on(tmp_path, text)
    (tmp_path / "b.txt").write_text("a2-a4\na2-b1\n")
    with refused(
        TournamentError, "opening-book was a book of 1 opening when cup began and is a book of 2 openings now"
    ):
        go_on(tmp_path, text)


def test_all_entrants_that_cannot_play_are_named(tmp_path: Path) -> None:
    """Two bots of one name are named by their files."""
    write_shell_bot(tmp_path / "a", "mybot", "x) ;;")
    write_shell_bot(tmp_path / "b", "mybot", "y) ;;")
    write_shell_bot(tmp_path, "other", "x) ;;", games='["element"]')
    path = tmp_path / "cup.toml"
    bots = '["random", "./a/mybot", "./b/mybot", "./other", "./gone"]'
    path.write_text(f'name = "cup"\ngame = "sages-tafl"\nformat = "round-robin"\nbots = {bots}\n')
    with pytest.raises(TournamentError) as caught:
        enter(read_tournament_file(path), read_tournament_file(path).entrants, BotStore(tmp_path / "bots"))
    assert str(caught.value) == f"{path}: 3 of 5 entrants cannot play:"
    twice, game, gone = caught.value.__notes__
    assert "(./a/mybot and ./b/mybot are both mybot 1.0)" in twice
    assert "the bot other does not play sages-tafl" in game
    assert "there is no bot" in gone


def test_name_of_several_bots_is_not_exchanged_in_silence(tmp_path: Path) -> None:
    """A name that no bot was added under means the one used last, which is said."""
    store = BotStore(tmp_path / "bots")
    for author in ("a", "b"):
        store.add(write_shell_bot(tmp_path / author, "mybot", f"{author}) ;;"), origin="used")
    path = tmp_path / "cup.toml"
    path.write_text('name = "cup"\ngame = "sages-tafl"\nformat = "round-robin"\nbots = ["random", "mybot"]\n')
    said: list[str] = []
    file = read_tournament_file(path)
    enter(file, file.entrants, store, say=said.append)
    assert said == [said[0]]
    assert "mybot means the mybot@1.0 used last" in said[0]
    store.add(tmp_path / "a" / "mybot")
    said.clear()
    enter(file, file.entrants, store, say=said.append)
    assert said == []
