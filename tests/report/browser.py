"""Open pages in Chromium, with a test's script in a copy of the page."""

import json
import shutil
import struct
import subprocess
import zlib
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next((path for path in map(shutil.which, NAMES) if path), None)

needs_browser = pytest.mark.skipif(
    BROWSER is None, reason=f"no Chromium on this machine (searched for {', '.join(NAMES)}): install chromium"
)


def chromium(*words: str, profile: Path, width: int, height: int = 900) -> "subprocess.CompletedProcess[str]":
    """Run the browser without a window or network."""
    assert BROWSER is not None
    return subprocess.run(
        [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--hide-scrollbars",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--enable-logging=stderr",
            f"--user-data-dir={profile}",
            f"--window-size={width},{height}",
            *words,
        ],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def colours(page: Path, picture: Path, profile: Path) -> "Counter[tuple[int, ...]]":
    """Take a picture of a page and return how many pixels have each colour (red, green, blue)."""
    chromium(
        "--virtual-time-budget=2000",
        f"--screenshot={picture}",
        f"file://{page}",
        profile=profile,
        width=500,
    )
    pixels = read_png(picture.read_bytes())
    found, counts = np.unique(pixels.reshape(-1, pixels.shape[2])[:, :3], axis=0, return_counts=True)
    return Counter({tuple(map(int, c)): int(n) for c, n in zip(found, counts, strict=True)})


def read_png(data: bytes) -> "np.ndarray[Any, np.dtype[np.uint8]]":
    """Read a PNG of 8 bits a channel, not interlaced (as Chromium writes them): rows, columns, channels."""
    width, height, depth, kind, *_, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    channels = {2: 3, 6: 4}[kind]
    assert (depth, interlaced) == (8, 0)
    packed, place = b"", 8
    while place < len(data):
        length = struct.unpack(">I", data[place : place + 4])[0]
        if data[place + 4 : place + 8] == b"IDAT":
            packed += data[place + 8 : place + 8 + length]
        place += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    pixels = np.zeros((height, width, channels), np.uint8)
    above = np.zeros((width, channels), np.int64)
    for y, row in enumerate(rows):
        line = row[1:].astype(np.int64).reshape(width, channels)
        line = _unfilter(int(row[0]), line, above)
        pixels[y] = line
        above = line
    return pixels


def _unfilter(
    kind: int, line: "np.ndarray[Any, np.dtype[np.int64]]", above: "np.ndarray[Any, np.dtype[np.int64]]"
) -> "np.ndarray[Any, np.dtype[np.int64]]":
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line, axis=0) & 255
    if kind == 2:
        return (line + above) & 255
    left = np.zeros(line.shape[1], np.int64)
    corner = left
    for x in range(len(line)):
        up = above[x]
        if kind == 3:
            guess = (left + up) // 2
        else:
            p = left + up - corner
            a, b, c = np.abs(p - left), np.abs(p - up), np.abs(p - corner)
            guess = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
        line[x] = (line[x] + guess) & 255
        left, corner = line[x], up
    return line


NARROWEST = 500
"""Width of Chromium's narrowest window, in CSS pixels; a narrower page is shown in a frame."""


def probe(
    page: Path, script: str, profile: Path, *, fragment: str = "", width: int = 1200, height: int = 900
) -> Any:
    """Open a page and return the value that a script returns in it, as JSON data.

    The script runs once the page has loaded. Fails the test if the page writes anything to the console.
    """
    copy = page.with_name(f"{page.stem}-probed.html")
    frame = page.with_name(f"{page.stem}-frame.html")
    text = page.read_text(encoding="utf-8")
    # The result is written into the top page, where --dump-dom finds it.
    copy.write_text(
        text.replace(
            "</body>",
            "<script>window.addEventListener('load',()=>setTimeout(async()=>{"
            f"const found = await (async () => {{ {script} }})();"
            "parent.postMessage(encodeURIComponent(JSON.stringify(found)), '*');"
            "},50));</script>" + ("" if width < NARROWEST else _RECEIVER) + "</body>",
        ),
        encoding="utf-8",
    )
    frame.write_text(
        f"<!doctype html><body style='margin:0'><iframe src='{copy.name}{fragment}'"
        f" style='border:0;width:{width}px;height:{height}px'></iframe>{_RECEIVER}",
        encoding="utf-8",
    )
    target = f"{frame}" if width < NARROWEST else f"{copy}{fragment}"
    words = ("--virtual-time-budget=20000", "--dump-dom", f"file://{target}")
    done = chromium(*words, profile=profile, width=width, height=height)
    copy.unlink()
    frame.unlink()
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert said == []
    _, found, rest = done.stdout.partition('<pre id="probed">')
    assert found, done.stderr[-2000:]
    return json.loads(unquote(rest.partition("</pre>")[0]))


_RECEIVER = (
    "<pre id=probed></pre><script>window.addEventListener('message', event => {"
    "document.getElementById('probed').textContent = event.data;});</script>"
)
