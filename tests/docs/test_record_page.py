"""The test vectors of the record page hold for Tourney and for both checkers."""

import ast
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import rfc8785

from tests.seeds.checkers import in_node, module, needs_node
from tests.seeds.pool import cases, store
from tests.support.addons import ABSENT
from tests.support.command import ROOT, invoke
from tests.support.genuine import late_opening
from tests.support.records import digest_of
from tourney.bots.catalogue.tree import content_digest, hash_tree
from tourney.check.merkle import inclusion_path, leaf_hash, root_from_path
from tourney.check.record import replay, verify
from tourney.check.root import beacon_seed, root_of
from tourney.games.registry import find_game
from tourney.match.record import check_record
from tourney.match.referee import Referee
from tourney.match.spec import DEFAULT_LIMITS, Entrant, MatchSpec, Opening
from tourney.seeds import bot_seed, chance_stream, derive, match_seed, pick, seat_orders, uniform
from tourney.store.database import Database

PAGE = (ROOT / "docs" / "reference" / "record.md").read_text(encoding="utf-8")
VECTORS: dict[str, Any] = {
    name: json.loads(text)
    for name, text in re.findall(r"^```json ([a-z-]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
}


def test_every_vector_of_the_page_has_a_test() -> None:
    tests = (Path(__file__), *(ROOT / "tests" / "addons").glob("*/docs/test_record_page.py"))
    texts = "".join(file.read_text(encoding="utf-8") for file in tests)
    untested = [name for name in VECTORS if f'VECTORS["{name}"]' not in texts]
    assert VECTORS
    assert untested == (["season"] if "league" in ABSENT else [])


def test_derived_seeds_hold() -> None:
    for case in VECTORS["derive"]:
        found = derive(int(case["parent"]), *case["labels"])
        assert str(found) == case["seed"]
        assert case["text"] == "/".join([case["parent"], *map(str, case["labels"])])
        assert module().derive(case["parent"], *case["labels"]) == found
        plain = hashlib.blake2b(case["text"].encode(), digest_size=8, key=b"tourney-seed-1")
        assert int.from_bytes(plain.digest(), "big") == found


@needs_node
def test_derived_seeds_and_integers_hold_in_node() -> None:
    cases = VECTORS["derive"]
    found = in_node("value.map((case_) => check.derive(case_.parent, ...case_.labels))", cases)
    assert found == [case["seed"] for case in cases]
    found = in_node("value.map(({ u, total }) => check.uniform(u, total))", VECTORS["uniform"])
    assert found == [case["value"] for case in VECTORS["uniform"]]


def test_uniform_integers_hold() -> None:
    for case in VECTORS["uniform"]:
        assert uniform(int(case["u"]), case["total"]) == case["value"]
        assert module().uniform(int(case["u"]), case["total"]) == case["value"]


def test_seat_orders_hold() -> None:
    for case in VECTORS["seat-orders"]:
        orders = seat_orders(case["seats"], case["repeat"])
        assert ["".join("ABCD"[entrant] for entrant in order) for order in orders] == case["orders"]


def test_match_seeds_hold() -> None:
    for case in VECTORS["match-seeds"]:
        place = (case["round"], case["table"], case["repeat"])
        seed = match_seed(20261120, *place)
        assert str(seed) == case["seed"]
        assert str(match_seed(20261120, *place, 2)) == case["own"]
        assert [str(bot_seed(seed, seat)) for seat in (1, 2)] == case["bot-seeds"]
        assert uniform(derive(seed, "book"), 60) == case["book-line"]


def test_bags_of_element_hold() -> None:
    case = VECTORS["bag"]
    game = find_game(case["game"])
    state: Any = game.new(case["seats"])
    checker = module().Element(
        {"seats": [None] * case["seats"], "actions": [[0, a] for a in case["actions"]]}
    )
    bags = []
    for n, text in enumerate(case["actions"], 1):
        actor = state.actor
        if actor == 0:
            bags.append([int(count[1:]) for count in state.position().split(" ")[7].split(",")])
            assert [checker.bag[kind] for kind in "AEFW"] == bags[-1]
            draw = chance_stream(int(case["seed"]))(len(bags) - 1)
            assert game.action_string(pick(draw, state.legal_actions(), state.chance_weights())) == text
        state = state.play(game.read_action(state, text))
        checker.play(n, actor, text)
    assert bags == case["bags"]


def test_attempts_of_an_opening_hold() -> None:
    case = VECTORS["tries"]
    game = find_game(case["game"])

    def actions(moves: list[str]) -> Any:
        state: Any = game.new(case["seats"], case["options"])
        for text in moves:
            state = state.play(game.read_action(state, text))
        return state

    assert actions(case["abandoned"]).ranks() is not None
    seats = tuple(Entrant(name, "bot", "1", (), "0" * 64) for name in "abc")
    options = tuple(case["options"].items())
    spec = MatchSpec(game.name, options, seats, int(case["seed"]), DEFAULT_LIMITS, Opening(case["plies"]))
    referee = Referee(spec, game)
    referee.begin()
    played = [text for _, text in referee.actions]
    assert played[: len(case["opening"])] == case["opening"]
    for moves, attempt in ((case["abandoned"], 0), (case["opening"], 1)):
        state: Any = game.new(case["seats"], case["options"])
        k = j = 0
        for text in moves:
            legal = state.legal_actions()
            if state.actor == 0:
                action = pick(chance_stream(spec.seed)(k), legal, state.chance_weights())
                k += 1
            else:
                action = legal[uniform(derive(spec.seed, "opening", attempt, j), len(legal))]
                j += 1
            assert game.action_string(action) == text
            state = state.play(action)


def test_late_attempt_of_an_opening_holds() -> None:
    case = VECTORS["late-try"]
    record = late_opening()
    assert (record.seed, dict(record.options), record.opening.plies) == (
        case["seed"],
        case["options"],
        case["plies"],
    )
    assert [action for _, action in record.actions[: len(case["opening"])]] == case["opening"]
    assert record.actions[len(case["opening"])] == (0, case["after"])
    game, seed = find_game(case["game"]), int(case["seed"])
    state: Any = game.new(case["seats"], case["options"])
    k = j = 0
    for text in case["opening"]:
        legal = state.legal_actions()
        if state.actor == 0:
            found = pick(derive(seed, "chance", case["try"], k), legal, state.chance_weights())
            k += 1
        else:
            found = legal[uniform(derive(seed, "opening", case["try"], j), len(legal))]
            j += 1
        assert game.action_string(found) == text
        state = state.play(found)
    assert case["after"] == game.action_string(
        pick(derive(seed, "chance", k), state.legal_actions(), state.chance_weights())
    )


def test_record_of_the_page_is_canonical_and_correct() -> None:
    record = VECTORS["record"]
    text = re.findall(r"^```json record\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)[0]
    assert text.encode() == rfc8785.dumps(record) == module().canonical(record)
    assert digest_of(record) == record["digest"]
    assert verify(check_record(record)) == []
    assert int(record["seed"]) == match_seed(20261120, 1, 1, 1)


@needs_node
def test_record_of_the_page_is_canonical_in_node() -> None:
    found = in_node(
        "check.canonical(check.parse(new TextEncoder().encode(JSON.stringify(value))))", VECTORS["record"]
    )
    assert found.encode() == rfc8785.dumps(VECTORS["record"])


def test_samples_of_the_record_hold() -> None:
    record = VECTORS["record"]
    rolls = find_game("sage-stones").new(3).legal_actions()
    for sample in VECTORS["samples"]:
        actor, text = record["actions"][sample["action"]]
        u = derive(int(record["seed"]), *sample["labels"])
        state: Any = replay(check_record(record), find_game("sage-stones"), sample["action"])
        legal = list(map(find_game("sage-stones").action_string, state.legal_actions()))
        if actor == 0:
            assert len(rolls) == len(legal)
            assert pick(u, legal, state.chance_weights()) == text
        else:
            assert legal == sample["candidates"].split()
            assert legal[uniform(u, len(legal))] == text


def test_content_digest_of_the_bundle_holds(tmp_path: Path) -> None:
    case = VECTORS["bundle"]
    for file in case["files"]:
        place = tmp_path / "bot" / file["path"]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file["text"], encoding="utf-8")
        place.chmod(0o755 if file["executable"] else 0o644)
    assert content_digest(hash_tree(tmp_path / "bot")) == case["digest"]
    assert hashlib.sha256(case["list"].encode()).hexdigest() == case["digest"]


def test_root_and_proofs_hold() -> None:
    case = VECTORS["root"]
    leaves = [leaf_hash(rfc8785.dumps(entry)) for entry in case["entries"]]
    assert [leaf.hex() for leaf in leaves] == case["leaves"]
    assert [module().leaf(entry).hex() for entry in case["entries"]] == case["leaves"]
    assert root_of(case["entries"]) == module().tree(leaves).hex() == case["root"]
    for proof in case["proofs"]:
        path = [bytes.fromhex(one) for one in proof["hashes"]]
        assert inclusion_path(leaves, proof["index"]) == path
        found = root_from_path(leaves[proof["index"]], proof["index"], len(leaves), path)
        assert found is not None
        assert found == by_page(leaves[proof["index"]], proof["index"], len(leaves), path)
        assert found.hex() == case["root"]


def test_leaves_of_void_matches_hold() -> None:
    for case in VECTORS["voids"]:
        assert (
            leaf_hash(rfc8785.dumps(case["entry"])).hex()
            == module().leaf(case["entry"]).hex()
            == case["leaf"]
        )


def test_commitments_hold() -> None:
    for case in VECTORS["commitment"]:
        salt = bytes.fromhex(case["salt"])
        text = "" if "value" in case else case["seed"]
        seal = hashlib.sha256(b"\x02" + salt + text.encode("ascii")).hexdigest()
        assert seal == case["seed-commitment"] == case["entry"]["seed-commitment"]
        assert leaf_hash(rfc8785.dumps(case["entry"])).hex() == case["commitment"]
        if "value" in case:
            assert str(beacon_seed(case["commitment"], case["salt"], case["value"])) == case["seed"]


def test_exported_proofs_lead_to_the_root(tmp_path: Path) -> None:
    database = tmp_path / "pool.db"
    with Database.open(str(database), create=True) as repository:
        store(repository, next(cases()), 7, tmp_path)
    exported = invoke("export", "--what", "tournament", "--db", str(database)).stdout.splitlines()
    root = json.loads(exported[0])["root"]
    for match in ("plan", *map(str, range(1, len(exported)))):
        done = invoke("export", "--proof", match, "--db", str(database))
        proof = json.loads(done.stdout)
        assert (proof["format"], proof["root"], proof["tree-size"]) == (
            "tourney-proof/1",
            root,
            len(exported),
        )
        assert proof["index"] == (0 if match == "plan" else int(match))
        leaf = hashlib.sha256(b"\0" + rfc8785.dumps(proof["entry"])).digest()
        hashes = [bytes.fromhex(one) for one in proof["hashes"]]
        assert by_page(leaf, proof["index"], proof["tree-size"], hashes).hex() == root


def by_page(leaf: bytes, i: int, n: int, hashes: list[bytes]) -> bytes:
    """Return the hash that a proof leads to, as the page says."""
    if n == 1:
        assert hashes == []
        return leaf
    k = max(2**power for power in range(n.bit_length()) if 2**power < n)
    *rest, last = hashes
    if i < k:
        return hashlib.sha256(b"\1" + by_page(leaf, i, k, rest) + last).digest()
    return hashlib.sha256(b"\1" + last + by_page(leaf, i - k, n - k, rest)).digest()


@needs_node
def test_root_holds_in_node() -> None:
    case = VECTORS["root"]
    found = in_node("check.tree(value.map(check.leaf)).toString('hex')", case["entries"])
    assert found == case["root"]


def test_page_names_every_label() -> None:
    """Every word that the program gives to ``derive``, directly or through a stream."""
    words = set()
    for path in (ROOT / "tourney").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
            if isinstance(call, ast.Call) and name in {"derive", "deriver", "stream"}:
                words |= {arg.value for arg in call.args[1:] if isinstance(arg, ast.Constant)}
    assert {"match", "chance", "opening", "substitute", "bot", "swiss", "design"} <= words
    missing = [word for word in words if isinstance(word, str) and f"`{word}`" not in PAGE]
    assert [word for word in missing if f'"{word}"' not in PAGE] == []
