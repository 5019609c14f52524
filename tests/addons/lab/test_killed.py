"""Questions about bots, killed again and again: the same end, root and records in the end."""

from pathlib import Path

import pytest

from tests.support.kills import check_kind

pytestmark = pytest.mark.kill


@pytest.mark.parametrize(("kind", "kills"), [("compare", 11), ("gate", 9), ("ladder", 9), ("tune", 9)])
def test_killed_questions_come_to_the_same_end(tmp_path: Path, kind: str, kills: int) -> None:
    check_kind(tmp_path, kind, kills)
