"""Help with examples and groups of options, and refusals that say what to write instead."""

from pathlib import Path

import pytest

from tests.support.command import invoke
from tests.support.tournaments import begin
from tourney.store.database import Database


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        (("run",), ["Processors and hosts:", "Time:", "A tournament without FILE:", "General:"]),
        pytest.param(
            ("compare",),
            ["When play ends:", "Bots and programs:", "Games:", "Run:", "General:"],
            marks=pytest.mark.addon("lab"),
        ),
    ],
)
def test_help_of_a_long_command_begins_with_examples(words: tuple[str, ...], titles: list[str]) -> None:
    lines = invoke(*words, "--help").stdout.splitlines()
    assert lines[2] == "Examples:"
    assert sum(line.startswith(f"  tourney {words[0]} ") for line in lines[3:6]) == 3
    places = [lines.index(title) for title in titles]
    assert places == sorted(places)
    assert "  -h, --help" in "\n".join(lines[places[-1] :])


def test_short_command_has_one_list_of_options() -> None:
    text = invoke("status", "--help").stdout
    assert "\nOptions:\n" in text
    assert "General:" not in text


def test_refusals_say_what_to_write(tmp_path: Path) -> None:
    url = str(tmp_path / "t.db")
    with Database.open(url, create=True) as database:
        begin(database, 3)
    file = tmp_path / "cup.toml"
    file.write_text('name = "cup"\ngame = "sages-tafl"\nbots = ["random", "greedy"]\n')
    for words, sentence in (
        (("export", "--tournament", "cup"), "write the tournament itself, as `tourney export TOURNAMENT`"),
        (("rules", "sages-tafel"), "did you mean sages-tafl?"),
        (("bots", "new", "My Bot"), "small letters, digits, dots, hyphens and underscores"),
        (("bots", "new", "My Bot"), "such as my-bot"),
        (("bots", "new", "\u00dcmlaut-Fuchs"), "such as umlaut-fuchs"),
        (("bots", "show", "stokfish"), "as ./stokfish; a program must be on PATH)"),
        (("show", "999", "--db", url), "there is no match 999 in this tournament: its matches are 1 to 6"),
        (("ratings", "--anchor", "a=1", "--db", url), "--anchor is for --all --game GAME"),
        (
            ("run", "--clock", "8+0.08"),
            "or without FILE --set limits.clock-ms=VALUE --set limits.increment-ms=VALUE",
        ),
        (("run", "--move-ms", "5"), "write move-ms in [limits] of the tournament file, or without FILE"),
        (
            ("run", "--games-per-pairing", "2"),
            "the tournament file, or without FILE --set games-per-pairing=",
        ),
        (("run", "--loog", "x"), "No such option '--loog'"),
        (
            ("run", "-each", "tc=8"),
            "-each is not an option: options begin with two hyphens, as --each,",
        ),
        (("perft", "sages-tafl", "-12"), "No such option '-1'"),
        (("run", str(file), "--db", url, "--replace", "b"), "--replace 'b' does not have the form NAME=PATH"),
    ):
        refusal = invoke(*words)
        assert (refusal.exit_code, sentence in refusal.stderr) == (2, True), refusal.stderr


@pytest.mark.parametrize(
    ("words", "label"),
    [
        (("report", "--out", ""), "--out"),
        (("run", "cup.toml", "--bots="), "--bots"),
        (("standings", "--db", ""), "--db"),
        (("run", ""), "FILE"),
    ],
)
def test_empty_path_is_not_the_current_folder(words: tuple[str, ...], label: str) -> None:
    refusal = invoke(*words)
    assert (refusal.exit_code, refusal.stdout) == (2, "")
    assert refusal.stderr == f"error: {label} is empty, as from an unset variable of the shell; name a path\n"
