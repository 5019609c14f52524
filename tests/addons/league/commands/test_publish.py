"""``tourney league publish``."""

from pathlib import Path

from tests.addons.league.leagues import new_league
from tests.support.command import invoke


def test_publish_writes_site_and_units(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = league.folder / "league.toml"
    path.write_text(path.read_text().replace("22:00-07:00", "21:30-07:00"))
    done = invoke("league", "publish", "--league", str(league.folder))
    assert (done.exit_code, done.stdout) == (0, f"{league.site}/index.html\n")
    assert "21:30:00" in (league.folder / "cron" / "stones-night.timer").read_text()
