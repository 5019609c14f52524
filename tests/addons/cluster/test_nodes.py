"""What hosts must have in common, and a scheduler that gives no answer."""

from tests.addons.cluster.clusters import Cup, FakeLink, FakeNode, Said, about_run, cluster
from tests.support.tournaments import refused
from tourney.addons.cluster.messages import RequestedMatch
from tourney.errors import UsageError, WorkerError
from tourney.run.summary import End
from tourney.store.database import Database


def test_hosts_that_differ_are_refused_unless_allowed(repository: Database) -> None:
    cup = Cup(repository)
    for field, words in (
        ("python", "Python"),
        ("rules", "the rules of the game"),
        ("sandbox", "the sandbox"),
    ):
        link = FakeLink(FakeNode("a"), FakeNode("b", about={field: "other"}))
        with refused(UsageError, f"hosts differ in {words}", "other on ", "/b; make them equal, or pass"):
            cluster(link).begin(about_run(cup.said))
    executor = cluster(FakeLink(FakeNode("a"), FakeNode("b", about={"python": "other"})), allow_mixed=True)
    cup.run(executor)
    assert len(cup.digests) == 6
    assert any(line.startswith("--allow-mixed: hosts differ in Python") for line in cup.said)


def test_difference_of_sandboxes_names_the_protection(repository: Database) -> None:
    sandboxes = [
        f"bubblewrap network=enforced users={degree} time=partial" for degree in ("enforced", "absent")
    ]
    nodes = [FakeNode(name, about={"sandbox": text}) for name, text in zip("ab", sandboxes, strict=True)]
    with refused(UsageError, "hosts differ in the sandbox: users=enforced on ", "a, users=absent on "):
        cluster(FakeLink(*nodes)).begin(about_run([]))


def test_host_that_cannot_contain_gets_no_match(repository: Database) -> None:
    cup = Cup(repository)
    link = FakeLink(FakeNode("a", about={"problem": "there is no bubblewrap"}), FakeNode("b"))
    executor = cluster(link)
    cup.run(executor)
    assert {name for name, _ in link.requests} == {"b"}
    assert any("a gets no match: there is no bubblewrap" in line for line in cup.said)
    with refused(WorkerError, "no worker of the cluster can play", "there is no bubblewrap"):
        cluster(FakeLink(FakeNode("a", about={"problem": "there is no bubblewrap"}))).begin(about_run([]))


def test_unlike_hosts_are_named_where_time_is_limited(repository: Database) -> None:
    cup = Cup(repository)
    executor = cluster(FakeLink(FakeNode("a", about={"speed": 100}), FakeNode("b", about={"speed": 300})))
    executor.begin(about_run(cup.said))
    executor.stop()
    assert any("b is 200 % faster than" in line and 'charge = "wall"' in line for line in cup.said)


def test_silent_scheduler_is_named_and_waited_for(cup: Cup, case: tuple[str, dict[int, str]]) -> None:
    paused: list[str] = []

    def paused_once(text: str) -> None:
        if "no word from the scheduler" in text and len(paused) < 3:
            paused.append(executor.paused())
            if len(paused) == 3:
                link.answers.set()

    def silent(request: RequestedMatch, reply: bytes) -> object:
        if request.number == 4 and not paused:
            link.answers.clear()
        return reply

    link = FakeLink(FakeNode("a", silent), FakeNode("b", silent))
    executor = cluster(link)
    cup.said = Said(paused_once)
    assert cup.run(executor).end is End.FINISHED
    assert cup.digests == case[1]
    assert [text[:31] for text in paused] == ["no word from the scheduler for "] * 3
    assert executor.paused() == ""
    assert len([line for line in cup.said if "the scheduler answers again, after" in line]) == 1


def test_scheduler_silent_for_long_ends_the_run(repository: Database) -> None:
    cup = Cup(repository)

    def silent(request: RequestedMatch, reply: bytes) -> object:
        if request.number > 4:
            link.answers.clear()
        return reply

    link = FakeLink(FakeNode("a", silent))
    executor = cluster(link)
    with refused(WorkerError, "no word from the scheduler for 3", "run again: all stored results are kept"):
        cup.run(executor)
    link.answers.set()
    assert set(cup.digests) <= {1, 2, 3, 4}
    assert len([line for line in cup.said if "no word from the scheduler" in line]) > 2


def on(host: str, name: str, slots: int, room: int | None) -> FakeNode:
    return FakeNode(name, slots=slots, about={"host": host}, room=room)


def slots(*nodes: FakeNode) -> tuple[int, list[str]]:
    """The match slots of a cluster that has begun, and what it said."""
    said: list[str] = []
    executor = cluster(FakeLink(*nodes))
    executor.begin(about_run(said))
    executor.stop()
    return executor.workers, said


def test_host_plays_as_many_matches_as_fit_into_its_memory() -> None:
    count, said = slots(on("small", "a", 4, 3), on("large", "b", 4, 9), on("old", "c", 2, None))
    assert count == 3 + 4 + 2
    sentence = "memory: 3 matches at a time on small/a, fewer than its slots"
    assert [text.startswith(sentence) for text in said if text.startswith("memory: ")] == [True]


def test_nodes_of_one_host_share_its_memory() -> None:
    count, said = slots(on("small", "a", 2, 3), on("small", "b", 2, 3), on("small", "c", 2, 3))
    assert count == 3
    assert sum(text.startswith("memory: ") for text in said) == 1


def test_node_without_memory_plays_once_another_is_gone(repository: Database) -> None:
    cup = Cup(repository)
    link = FakeLink(on("small", "a", 1, 1), on("small", "b", 1, 1))

    def die(_request: RequestedMatch, _reply: bytes) -> object:
        link.there.pop("a", None)
        return None

    link.there["a"].behave = die
    cup.run(cluster(link))
    assert list(link.there) == ["b"]
    assert {name for name, _ in link.requests} == {"a", "b"}
    assert len(cup.digests) == 6
