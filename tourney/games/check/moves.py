"""What holds of playing: legal actions can be played, all others are refused, and nothing changes a state."""

from collections.abc import Iterator

from tourney.errors import ActionError
from tourney.games.check.mutation import around, mutants
from tourney.games.check.scene import Scene, fingerprint, said, some

_NEVER = ("", " ", "?", "-", "0", "none", "resign", "\x00", "x" * 201, "\N{SNOWMAN}")


def immutable(scene: Scene) -> Iterator[str]:
    """Check that playing from a state, and asking it, leaves it as it was."""
    before = fingerprint(scene.game, scene.state)
    for action in some(list(scene.state.legal_actions()), 6, scene.draw):
        fingerprint(scene.game, scene.state.play(action))
        if fingerprint(scene.game, scene.state) != before:
            yield f"playing {scene.game.action_string(action)} changes the state it is played from"
            return


def deterministic(scene: Scene) -> Iterator[str]:
    """Check that the same action from the same state gives the same state."""
    for action in some(list(scene.state.legal_actions()), 3, scene.draw):
        once = fingerprint(scene.game, scene.state.play(action))
        if fingerprint(scene.game, scene.state.play(action)) != once:
            yield f"playing {scene.game.action_string(action)} twice gives two different states"
            return


def playable(scene: Scene) -> Iterator[str]:
    """Check that every legal action can be played, and leads to a state of the same table."""
    for action in scene.state.legal_actions():
        name = scene.game.action_string(action)
        try:
            after = scene.state.play(action)
            if after.seats != scene.setting.seats:
                yield f"after {name} there are {after.seats} seats"
                return
        except Exception as error:  # noqa: BLE001 - as `guarded`, with the action's name
            yield f"playing {name} {said(error)}"
            return


def refused(scene: Scene) -> Iterator[str]:
    """Check that what is not listed is refused: other states' actions, and strings that are nearly right."""
    names = set(scene.names)
    candidates: dict[str, None] = dict.fromkeys(_NEVER)
    candidates.update(dict.fromkeys(some(scene.pool.actions, 12, scene.draw)))
    for name in some(sorted(names) or scene.pool.actions[-4:], 4, scene.draw):
        candidates.update(dict.fromkeys((*around(name), *mutants(name, 4, scene.draw))))
    for text in candidates:
        if text not in names:
            yield from _refuses(scene, text)


def _refuses(scene: Scene, text: str) -> Iterator[str]:
    try:
        scene.game.read_action(scene.state, text)
    except ActionError:
        pass
    except Exception as error:  # noqa: BLE001 - an ActionError is what is asked for
        yield f"reading the action {text!r} {said(error)}, not an ActionError"
        return
    else:
        yield f"the action {text!r} is taken, but not listed as legal"
        return
    try:
        action = scene.game.parse_action(text)
    except ActionError:
        return
    back = scene.game.action_string(action)
    if back != text:
        yield f"the string {text!r} reads as the action {back!r}; each action has one string"
    elif scene.state.is_legal(action):
        yield f"is_legal says yes to {text!r}, which is not listed as legal"
