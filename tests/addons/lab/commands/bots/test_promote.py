"""``tourney bots promote``: refusals."""

from pathlib import Path

from tests.support.command import invoke


def test_promotions_that_make_no_sense_are_refused(losers: Path) -> None:
    for words, said in (
        (("random",), "name one by --game GAME"),
        (("./quitter", "--game", "sages-tafl"), "does not play sages-tafl"),
        (("./quitter", "--name", "A b"), "is not a name for a baseline"),
        (("./quitter", "--game", "go"), "there is no game"),
    ):
        done = invoke("bots", "promote", *words)
        assert (done.exit_code, said in done.stderr) == (2, True), done.stderr
