"""The scene of a fault: position, legal actions and last lines, from a record and the referee's note."""

from msgspec import structs

from tests.report.film import golden
from tests.report.world import at_random
from tourney.check.fault_scene import LEGAL_SHOWN, fault_scene
from tourney.check.record import replay
from tourney.games.registry import find_game
from tourney.match.record import FaultKind, Record

TAFL = find_game("sages-tafl")


def faulty(kind: FaultKind, seat: int = 1, count: int = 4) -> Record:
    record = golden("sages-tafl")
    actions, outcome = at_random(structs.replace(record.spec, seed=3), (seat, kind, count))
    return structs.replace(record, actions=tuple(actions), outcome=outcome)


def test_illegal_action_has_legal_ones_and_the_dialogue() -> None:
    record = faulty("illegal")
    scene = fault_scene(record, TAFL, 1, "illegal: action a1-z9 is not legal here")
    assert scene is not None
    state = replay(record, TAFL)
    assert (scene.attempt, scene.ply, scene.position) == ("a1-z9", 4, state.position())
    assert scene.legal == TAFL.legal_texts(state)[:LEGAL_SHOWN]
    assert scene.more == (len(TAFL.legal_texts(state)) > LEGAL_SHOWN)
    third = record.actions[2][1]
    assert scene.wire[-6:] == (
        "> go",
        f"< move {third}",
        f"> play 1 {third}",
        f"> play 2 {record.actions[3][1]}",
        "> go",
        "< move a1-z9",
    )
    assert scene.diagram(TAFL).notes == TAFL.diagram(scene.position, scene.last).notes


def test_other_faults_have_the_dialogue_alone() -> None:
    scene = fault_scene(faulty("crash"), TAFL, 1, "crash: exited with code 1")
    assert scene is not None
    assert (scene.attempt, scene.legal, scene.wire[-1]) == ("", (), "> go")


def test_seats_without_fault_and_other_rules_have_none() -> None:
    assert fault_scene(faulty("illegal"), TAFL, 2) is None
    assert fault_scene(structs.replace(faulty("illegal"), rules="other"), TAFL, 1) is None
