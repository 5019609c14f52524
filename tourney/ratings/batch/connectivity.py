"""Which entrants can be compared at all: who met whom, and who took anything off whom."""

from collections.abc import Sequence

Links = Sequence[Sequence[int]]
"""For each entrant the entrants it points to."""


def components(links: Links) -> tuple[tuple[int, ...], ...]:
    """Return the groups that are connected, whichever way the links point; by their smallest members."""
    both: list[set[int]] = [set(targets) for targets in links]
    for source, targets in enumerate(links):
        for target in targets:
            both[target].add(source)
    seen = [False] * len(links)
    starts = (start for start in range(len(links)) if not seen[start])
    return tuple(tuple(sorted(_reach(start, both, seen))) for start in starts)


def strong_components(links: Links) -> tuple[tuple[int, ...], ...]:
    """Return the groups within which every entrant reaches every other; nobody reaches an earlier group.

    Kosaraju's algorithm. Groups that do not reach each other stand in an order that depends on nothing but
    the links.
    """
    back: list[list[int]] = [[] for _ in links]
    for source, targets in enumerate(links):
        for target in sorted(targets):
            back[target].append(source)
    seen = [False] * len(links)
    finished: list[int] = []
    for start in range(len(links)):
        stack = [] if seen[start] else [(start, iter(sorted(links[start])))]
        seen[start] = True
        while stack:
            node, rest = stack[-1]
            for target in rest:
                if not seen[target]:
                    seen[target] = True
                    stack.append((target, iter(sorted(links[target]))))
                    break
            else:
                finished.append(node)
                stack.pop()
    seen = [False] * len(links)
    starts = (start for start in reversed(finished) if not seen[start])
    return tuple(tuple(sorted(_reach(start, back, seen))) for start in starts)


def _reach(start: int, links: Sequence[Sequence[int] | set[int]], seen: list[bool]) -> list[int]:
    """Return the nodes reached from one that were not seen before, and mark them."""
    seen[start] = True
    found = [start]
    for node in found:
        for target in sorted(links[node]):
            if not seen[target]:
                seen[target] = True
                found.append(target)
    return found
