"""The address of a published report, and the list of its pages for search engines."""

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from tourney.errors import UsageError
from tourney.report.output.look import File

MOST = 50_000
"""Pages that one sitemap may have (sitemaps.org, version 0.9)."""

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_PATH = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/%-]*")
_SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def parse_address(text: str) -> str:
    """Return the address of a folder on the web with a ``/`` at its end; "" stays. Raises UsageError."""
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        parts, port = urlsplit(""), ""
    host = parts.netloc.removesuffix(port)
    if (
        parts.scheme not in {"http", "https"}
        or _HOST.fullmatch(host) is None
        or _PATH.fullmatch(parts.path) is None
        or not text.isascii()
        or any(mark in text for mark in "?#")
    ):
        raise UsageError(
            f"--base-url {text!r} is not the address of a folder on the web; write it like"
            " https://example.org/cup/, without user, ? or #"
        )
    return f"{parts.scheme}://{host.lower()}{port}{parts.path.removesuffix('index.html').rstrip('/')}/"


def sitemap(address: str, pages: Sequence[str]) -> Iterator[File]:
    """Yield the sitemap of a site's pages: one file, or an index with one file for each 50,000 pages."""
    urls = [address + page.removesuffix("index.html") for page in pages]
    groups = [urls[k : k + MOST] for k in range(0, len(urls), MOST)]
    if len(groups) == 1:
        yield _listed("sitemap.xml", "urlset", "url", groups[0])
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(groups) + 1)]
    for name, group in zip(names, groups, strict=True):
        yield _listed(name, "urlset", "url", group)
    yield _listed("sitemap.xml", "sitemapindex", "sitemap", [address + name for name in names])


def _listed(path: str, root: str, item: str, urls: Sequence[str]) -> File:
    lines = [f"<{item}><loc>{escape(url)}</loc></{item}>" for url in urls]
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<{root} xmlns="{_SITEMAPS}">'
    return File(path, "\n".join([head, *lines, f"</{root}>\n"]).encode("ascii"))
