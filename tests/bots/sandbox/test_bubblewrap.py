"""Each bot gets its own user from a range of the machine."""

import pytest

from tourney.bots.sandbox.bubblewrap import USERS_PER_PROCESS, Users, find_range


@pytest.mark.parametrize(
    ("uid_map", "first"),
    [
        ("         0          0 4294967295\n", 1_879_048_192),
        ("0 100000 65536\n", 61_184),
        ("0 1000 1\n1 100000 65535\n", 61_184),
        ("0 1000 61000\n", 10_000),
        ("0 1000 1\n", None),
        ("", None),
    ],
)
def test_best_available_user_range_is_chosen(uid_map: str, first: int | None) -> None:
    """The maps are complete, of a container, small, and of root alone."""
    found = find_range(uid_map)
    assert (found and found[0]) == first


def test_bots_of_a_process_have_different_users() -> None:
    """They share only if there are more bots than users; a returned user is free again."""
    users = Users((1000, 10_000), process=77)
    taken = [users.take() for _ in range(USERS_PER_PROCESS)]
    assert len(set(taken)) == USERS_PER_PROCESS
    assert users.take() in taken
    users.give_back(taken[5])
    users.give_back(taken[5])
    assert users.take() == taken[5]


def test_consecutive_processes_have_different_users() -> None:
    """Workers have separate users without coordination, by their process numbers."""
    pools = [Users((1000, 10_000), process=number) for number in range(500, 510)]
    taken = {users.take() for users in pools for _ in range(USERS_PER_PROCESS)}
    assert len(taken) == 10 * USERS_PER_PROCESS


def test_without_a_range_there_are_no_users() -> None:
    """This is the case for all users but root."""
    users = Users(None)
    assert users.take() is None
    users.give_back(None)
