"""Who is named first: every entrant stands at every place of its groups equally often, to one.

Every mirrored group gives its entrants each seat equally often, so the matches are balanced whatever the
order in which a pairing names its entrants. That order still says who has which seat in a group's first
match; here it is balanced too, by colouring the edges between groups and entrants.
"""

from collections.abc import Sequence

_NONE = -1


def balanced(groups: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the groups with their entrants in such an order, all groups being of one size k.

    An entrant that is in d groups is cut into nodes of k groups each, and a last one of the rest. Between
    groups and nodes lies a bipartite graph of degree k, whose edges take k colours (König, 1916): the colour
    of an edge is the entrant's place in the group. A full node has every colour once and the last one none
    twice, so the places of an entrant differ by 1 at the most. The same groups give the same orders.
    """
    if not groups:
        return []
    size = len(groups[0])
    colouring = _Colouring(size)
    seen: dict[int, int] = {}
    nodes: dict[tuple[int, int], int] = {}
    names: list[int] = []
    for number, group in enumerate(groups):
        colouring.left.append([_NONE] * size)
        for entrant in group:
            part = (entrant, seen.get(entrant, 0) // size)
            seen[entrant] = seen.get(entrant, 0) + 1
            if part not in nodes:
                nodes[part] = len(names)
                names.append(entrant)
                colouring.right.append([_NONE] * size)
            colouring.add(number, nodes[part])
    return [tuple(names[node] for node in places) for places in colouring.left]


class _Colouring:
    """Edges of a bipartite graph with a colour each: ``left[g][c]`` is the node at g's edge of colour c."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.left: list[list[int]] = []
        self.right: list[list[int]] = []

    def add(self, group: int, node: int) -> None:
        """Colour one more edge; where no colour is free at both ends, exchange two along a path first."""
        ours, theirs = self.left[group], self.right[node]
        a = ours.index(_NONE)
        if theirs[a] != _NONE:
            free = [c for c in range(self.size) if ours[c] == theirs[c] == _NONE]
            if free:
                a = free[0]
            else:
                self._exchange(node, a, theirs.index(_NONE))
        ours[a], theirs[a] = node, group

    def _exchange(self, node: int, a: int, b: int) -> None:
        """Exchange the colours a and b along the path that leaves ``node`` by a; b is free there.

        The path reaches groups by edges of colour a only, so it never ends at a group where a is free.
        """
        path = []
        at, colour, on_right = node, a, True
        while True:
            side = self.right if on_right else self.left
            other = side[at][colour]
            if other == _NONE:
                break
            path.append((other, at, colour) if on_right else (at, other, colour))
            at, colour, on_right = other, a + b - colour, not on_right
        for group, end, colour in path:
            self.left[group][colour] = self.right[end][colour] = _NONE
        for group, end, colour in path:
            self.left[group][a + b - colour] = end
            self.right[end][a + b - colour] = group
