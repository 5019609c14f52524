"""The README's pictures: ``python -m scripts.make_images DIR`` writes them into DIR, by Chromium.

They show the committed sample report, and a tournament that is played for them (docs/images/cup.toml): its
terminal, and a replay with what the bots thought.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from tourney.errors import TourneyError
from tourney.files import write_file

ROOT = Path(__file__).parents[1]
CUP = ROOT / "docs" / "images" / "cup.toml"
MATCH, ACTION = 5, 18
"""The match and the action of the replay: two searching bots in the middle of their game."""
WIDTH, HEIGHT = 1280, 720
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 18px 22px; background: #16181c; color: #e8e6e1; width: max-content }
pre { margin: 0; font: 14px/1.5 "DejaVu Sans Mono", monospace }
</style><pre>$ tourney run cup.toml
%s$ tourney standings
%s</pre>
"""


def tourney(folder: Path, *words: str) -> str:
    """What a command prints in a folder. Raises TourneyError if it fails."""
    command = [sys.executable, "-m", "tourney", *words, "--no-color"]
    done = subprocess.run(  # noqa: S603 - our own program
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise TourneyError(f"tourney {' '.join(words)} failed: {done.stdout.strip()}")
    return done.stdout


def pictures(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield names and bytes of the pictures; ``folder`` is for the tournament's files.

    Raises TourneyError without Chromium, and if a command fails.
    """
    if shutil.which("chromium") is None:
        raise TourneyError("there is no chromium on this machine: install it")
    from playwright.sync_api import ViewportSize, sync_playwright  # noqa: PLC0415 - only this needs the development tools

    shutil.copy(CUP, folder / "cup.toml")
    run = tourney(folder, "run", "cup.toml").replace(f"{folder.resolve()}/", "")
    standings = tourney(folder, "standings").partition("Ranked by")[0]
    tourney(folder, "report", "--out", "report", "--quiet")
    (folder / "terminal.html").write_text(TERMINAL % (escape(run), escape(standings)), encoding="utf-8")
    replay = folder / "report" / "matches" / f"{MATCH}.html"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        for name, page in (
            ("standings", ROOT / "reports" / "sample" / "index.html"),
            ("replay-light", replay),
            ("replay-dark", replay),
            ("terminal", folder / "terminal.html"),
        ):
            size: ViewportSize = {"width": WIDTH, "height": HEIGHT}
            tab = browser.new_page(viewport=size, color_scheme="dark" if name == "replay-dark" else "light")
            tab.goto(f"{page.as_uri()}#ply={ACTION}")
            part = tab.locator("body") if name == "terminal" else tab
            yield f"{name}.png", part.screenshot()
        browser.close()


def main(arguments: list[str]) -> int:
    """Write the pictures into the folder given as the only argument; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m scripts.make_images DIR\n")
        return 2
    target = Path(arguments[0])
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            for name, content in pictures(Path(folder)):
                write_file(target / name, content)
    except (OSError, TourneyError) as error:
        sys.stderr.write(f"error: {error}\n")
        return getattr(error, "exit_code", 3)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
