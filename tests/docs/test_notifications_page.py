"""The programs of the page on notifications send what they say, to a server on the loopback."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.docs.pages import blocks, page

SHELL, PYTHON = (blocks(page("how-to/notifications.md"), language) for language in ("sh", "python"))
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "TOURNEY_TOURNAMENT": "cup",
    "TOURNEY_END": "finished",
    "TOURNEY_CODE": "0",
    "TOURNEY_TEXT": "cup: all played",
}


class Received(HTTPServer):
    """A server that keeps requests: the method, the path, the authorization and the decoded body."""

    requests: list[tuple[str, str, str | None, dict[str, str]]]


class Handler(BaseHTTPRequestHandler):
    server: Received

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.command, self.path, self.headers.get("Authorization"), body))
        self.send_response(200)
        self.end_headers()

    do_PUT = do_POST  # noqa: N815 - the library's name

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[Received]:
    with Received(("127.0.0.1", 0), Handler) as found:
        found.requests = []
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def notify(program: list[str], home: Path, **variables: str) -> None:
    environment = ENVIRONMENT | {"HOME": str(home)} | variables
    done = subprocess.run(
        program, input="1 greedy 12.0\n", env=environment, text=True, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def python(code: str, home: Path) -> list[str]:
    (home / "notify").write_text(code)
    return [sys.executable, str(home / "notify")]


@pytest.mark.parametrize(("path", "key"), [("/services/T0/B0", "text"), ("/api/webhooks/discord", "content")])
def test_webhook_gets_the_summary(path: str, key: str, tmp_path: Path, server: Received) -> None:
    (tmp_path / ".tourney-webhook").write_text(f"http://127.0.0.1:{server.server_port}{path}\n")
    notify(python(PYTHON[0], tmp_path), tmp_path)
    assert server.requests == [("POST", path, None, {key: "cup: all played\n1 greedy 12.0\n"})]


def test_matrix_room_gets_the_summary(tmp_path: Path, server: Received) -> None:
    (tmp_path / ".tourney-matrix").write_text(
        f"http://127.0.0.1:{server.server_port}\n!abc:example.org\nsecret\n"
    )
    notify(python(PYTHON[1], tmp_path), tmp_path)
    ((method, path, token, body),) = server.requests
    assert (method, token) == ("PUT", "Bearer secret")
    assert path.startswith("/_matrix/client/v3/rooms/%21abc%3Aexample.org/send/m.room.message/cup-finished-")
    assert body == {"msgtype": "m.text", "body": "cup: all played\n1 greedy 12.0\n"}


def test_mail_has_a_subject_and_the_summary(tmp_path: Path) -> None:
    sendmail = tmp_path / "sendmail"
    sendmail.write_text(f"#!/bin/sh\necho $1 > {tmp_path}/mail\ncat >> {tmp_path}/mail\n")
    sendmail.chmod(0o755)
    script = tmp_path / "notify"
    script.write_text(SHELL[1])
    notify(["/bin/sh", str(script)], tmp_path, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert (tmp_path / "mail").read_text().splitlines() == [
        "me@example.org",
        "To: me@example.org",
        "Subject: cup: finished",
        "",
        "1 greedy 12.0",
    ]
