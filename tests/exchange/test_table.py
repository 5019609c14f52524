"""CSV and JSON lines: accepted dialects and damaged lines."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.exchange.files import damaged, groups, read
from tests.support.tables import make_spec
from tourney.errors import InputError
from tourney.exchange.foreign_game import ranks_of
from tourney.exchange.rating import rate_tally
from tourney.exchange.reading import Filter
from tourney.match.record import Fault, Outcome, make_record

ONE = [([("a", "b", "12")], 1), ([("b", "a", "11")], 1)]


@pytest.mark.parametrize(
    "text",
    [
        "white,black,result\na,b,1-0\nb,a,1/2-1/2\n",
        "\ufeffWhite;Black;Result\r\na;b;1\r\n\r\nb;a;0.5",
        'Result\tother\tBLACK\tWhite\n1-0\t"x\ty"\tb\ta\n1/2\t\t"a"\tb\n',
        "players,ranks\na b,1 2\nb a,1 1\n",
        "player1;player2;rank1;rank2\na;b;1;2\nb;a;1,5;1,5\n",
        "sep=;\r\nwhite;black;result\r\na;b;1\r\nb;a;0,5\r\n",
        "rank1,rank2,player1,player2\n0,1,a,b\n3,3,b,a\n",
        "White;Black;;Result;;\r\na;b;;1-0;;\r\nb;a;;\u00bd;;\r\n;;;;;\r\n",
        "white\tblack\tresult\tpair\na\tb\t1-0\t\nb\ta\t=\t\n\t\t\t\n",
        'white,black,result\na,b,1-0,,\nb,a,0.5\n"","",\n',
        "white,black,result\r\na,b,1-0\r\nb,a,0.5\r\n\x1a",
        ";Weiss;Schwarz;Ergebnis\r\n1;a;b;1-0\r\n2;b;a;remis\r\n",
        ";Blancs;Noirs;R\u00e9sultat\n1;a;b;1:0\n2;b;a;nulle\n",
        "Blancas\tNegras\tResultado\na\tb\t1-0\nb\ta\ttablas\n",
        "No.;White;Rtg;Pts.;Result;Pts.;Black;Rtg\n1;a;;0;1-0;0;b;\n2;b;9;0;0,5-0,5;1;a;\n",
        ";;;\n;White;Black;Result;\n1;a;b;1-0;\n;;;;\n;White;Black;Result;\n;b;a;=;\n",
        "| white | black | result |\n|---|:-:|---|\n| a | b | 1-0 |\n| b | a | 1/2 |\n",
        "white|black|result\na|b|1-0\nb|a|0.5\n",
        "home_team,away_team,home_score,away_score\na,b,3,1\nb,a,2,2\n",
        "player1,player2,score1,score2\na,b,3.5,1\nb,a,-2,-2\n",
        "model_a,model_b,winner\na,b,model_a\nb,a,tie (bothbad)\n",
        "player_1,player_2,winner\na,b,a\nb,a,draw\n",
        "white,black,winner\na,b,White\nb,a,Draw\n",
        "player_0,player_1,result\na,b,1\nb,a,0.5\n",
        "white,black,result\ra,b,1-0\rb,a,0.5\r",
        "left\tright\tchoice\na\tb\tleft\nb\ta\tequal\n",
        "player_1_name,player_2_name,result\na,b,player_1\nb,a,tie\n",
        "teamA,teamB,winner\na,b,A\nb,a,tie\n",
        "winner,loser,draw\na,b,0\na,b,1\n",
        "player,opponent,result\na,b,W\na,b,D\n",
        "Name1,Name2,Result\na,b,1-0\nb,a,draw\n",
        "HomeTeam;AwayTeam;HomeScore;AwayScore\na;b;3;1\nb;a;2;2\n",
        '"white;black;result"\n"a;b;1-0"\n"b;a;0,5"\n',
        "model_a,model_b,winner\na,b,model_a\nb,a,both_bad\n",
        "bot1,bot2,result\na,b,Player1Win\nb,a,Tie\n",
        "white,black,result\na,b,White won\nb,a,draw\n",
        "player1,player2,rank1,rank2\na,b,1st,2nd\nb,a,1.,1.\n",
        "player1,player2,score1,score2\na,b,60 %,40 %\nb,a,50%,50%\n",
        "white,black,result\na,b,1\u20110\nb,a,\u00bd\u2009\u2013\u2009\u00bd\n",
        (
            '{"players": {"white": {"user": {"name": "a"}}, "black": {"user": {"name": "b"}}}, "winner":'
            ' "white"}\n{"players": {"white": {"user": {"name": "b"}}, "black": {"user": {"name": "a"}}},'
            ' "status": "stalemate"}\n'
        ),
        (
            '{"games": [{"white": {"username": "a", "result": "win"}, "black": {"username": "b", "result":'
            ' "resigned"}}, {"white": {"username": "b", "result": "agreed"}, "black": {"username": "a",'
            ' "result": "agreed"}}]}'
        ),
        (
            '{"info": {"TeamNames": ["a", "b"]}, "rewards": [1, -1], "steps": []}\n'
            '{"info": {"TeamNames": ["b", "a"]}, "rewards": [0, 0]}\n'
        ),
        (
            '[{"match": {"player1_name": "a", "player2_name": "b", "winner": "a"}},'
            ' {"match": {"player1_name": "b", "player2_name": "a", "winner": "draw"}},\n]\n'
        ),
        (
            '{"players": [{"name": "a", "score": 3}, {"name": "b", "score": 1}]},\n'
            '{"teams": [["b"], ["a"]], "ranks": [1, 1]},\n'
        ),
        (
            '{"player1": "a", "player2": "b", "rank1": 1, "rank2": 2}\n'
            '{"agents": ["b", "a"], "rewards": [3, 3]}\n'
        ),
        '{"white": {"0": "a", "1": "b"}, "black": {"0": "b", "1": "a"}, "result": {"0": "1-0", "1": "="}}',
        (
            '{"id": 7, "games": [{"white": "a", "black": "b", "result": 1}, {"white": "b", "black": "a",'
            '\n "result": 0.5}], "bots": ["a", "b"]}'
        ),
        '{"white": "a", "black": "b", "result": "1-0"}\n\n{"White": "b", "black": "a", "result": 0.5}\n',
        '{"players": ["a", "b"], "ranks": [1, 2]}\n{"entrants": ["b", "a"], "ranks": [1, 1]}',
    ],
)
def test_dialects_give_the_same_games(text: str, tmp_path: Path) -> None:
    tally, problems = read(tmp_path, text)
    assert (groups(tally), damaged(problems)) == (ONE, [])


@pytest.mark.parametrize(
    ("text", "ranks"),
    [("+:-", "12"), ("1-0F", "12"), ("1-0 kampflos", "12"), ("- - +", "21"), ("-/+", "21"), ("0F-1F", "21")],
)
def test_win_without_play_is_a_forfeit(text: str, ranks: str, tmp_path: Path) -> None:
    for table in (f"white,black,result\na,b,{text}\n", f'[White "a"]\n[Black "b"]\n[Result "{text}"]\n'):
        tally, problems = read(tmp_path, table)
        assert (groups(tally), damaged(problems)) == ([([("a", "b", ranks)], 1)], [])
        ((kind, _),) = tally.kinds()
        assert (kind.reason, set(kind.faults)) == ("forfeit", {None, "startup"})


def test_titles_before_the_header_are_named_once(tmp_path: Path) -> None:
    text = ";Cup of clubs;\n\n;;;\nRound 1\n;White;Black;Result\n;a;b;1-0\n"
    tally, problems = read(tmp_path, text)
    assert (tally.games, damaged(problems), problems.damaged) == (1, [("title", 1), ("title", 4)], 0)


def test_table_without_seats_gives_no_seat_an_advantage(tmp_path: Path) -> None:
    text = "winner,loser\n" + "a,b\nb,a\na,c\nc,b\n" * 20
    tally, _ = read(tmp_path, text)
    assert abs(rate_tally(tally).pool.seats[0].elo) < 20


@pytest.mark.parametrize(
    ("winner", "ranks"),
    [("White", (1, 2)), ("b", (2, 1)), ("2", None), ("", None), ("c", None), ("player_1", (1, 2))],
)
def test_winner_is_a_name_or_a_column(winner: str, ranks: tuple[int, int] | None, tmp_path: Path) -> None:
    text = f"player1,player2,winner\nb,a,draw\na,b,{winner}\n"
    tally, problems = read(tmp_path, text)
    assert [kind.ranks for kind, _ in tally.kinds()][1:] == [ranks][: ranks is not None]
    assert problems.damaged == (ranks is None)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("a,b,2-1", "2-1, of a game or of several? use score1 and score2"),
        ("a,b,1. Feb", "1. Feb, a date that a spreadsheet made of a result"),
        ("a,b,2000-01-02", "2000-01-02, a date that a spreadsheet made of a result"),
        ("a,b,2", "2: write a name, or player1 and player2"),
        ("NaN,b,1-0", "NaN stands for no name"),
        ("not paired,b,1-0", "a bye"),
    ],
)
def test_result_without_one_meaning_is_named_with_its_reason(row: str, why: str, tmp_path: Path) -> None:
    tally, problems = read(tmp_path, f"player1,player2,result\na,b,1-0\n{row}\n")
    assert [(place.line, place.why) for place in problems.places] == [(3, why)]
    assert tally.games == 1


def test_key_that_an_object_repeats_is_refused(tmp_path: Path) -> None:
    good = '{"white": "a", "black": "b", "result": "1-0"}'
    tally, problems = read(tmp_path, good + "\n" + good.replace("{", '{"white": "c", ') + "\n")
    assert (tally.players, damaged(problems)) == (("a", "b"), [("line", 2)])


def test_names_that_differ_in_blanks_are_one_player_in_capitals_two(tmp_path: Path) -> None:
    names = ("My Bot", "My  Bot", "My\u00a0Bot", "My Bot\u200b", "my bot")
    text = "white,black,result\n" + "".join(f"{name},b,1-0\n" for name in names)
    tally, problems = read(tmp_path, text)
    assert tally.players == ("My Bot", "b", "my bot")
    assert damaged(problems) == [("unicode", 3), ("unicode", 4), ("unicode", 5), ("case", 6)]
    assert problems.damaged == 0


def test_letter_of_a_column_goes_before_a_name_in_other_letters(tmp_path: Path) -> None:
    tally, _ = read(tmp_path, "teamA,teamB,winner\na,b,A\nb,a,B\nb,a,b\n")
    assert groups(tally) == [
        ([("a", "b", "12")], 1),
        ([("b", "a", "12")], 1),
        ([("b", "a", "21")], 1),
    ]


def test_number_with_two_meanings_is_refused(tmp_path: Path) -> None:
    text = 'player1,player2,score1,score2\na,b,"1,200",900\na,b,"1,5",1\n'
    tally, problems = read(tmp_path, text)
    assert (groups(tally), damaged(problems)) == ([([("a", "b", "12")], 1)], [("ranks", 2)])


def test_winner_that_names_both_players_is_refused(tmp_path: Path) -> None:
    _, problems = read(tmp_path, "white,black,winner\nblack,white,white\na,b,a\n")
    assert damaged(problems) == [("bad-result", 2)]


def test_games_of_many_players_have_ranks(tmp_path: Path) -> None:
    text = "player1,player2,player3,rank1,rank2,rank3,pair\na,b,c,1,3,2,7\nb,c,a,1,1,2,7\n"
    tally, _ = read(tmp_path, text)
    assert groups(tally) == [([("a", "b", "c", "132"), ("b", "c", "a", "113")], 1)]


@pytest.mark.parametrize("column", ["pair", "Opening"])
def test_label_groups_games_of_the_same_players(column: str, tmp_path: Path) -> None:
    text = f"white,black,result,{column}\na,b,1-0,x\nc,b,1-0,x\nb,a,0-1,x\na,b,1-0,\n"
    tally, _ = read(tmp_path, text)
    assert sorted(len(group) for group, _ in groups(tally)) == [1, 1, 2]
    alone, _ = read(tmp_path, text, filter_=Filter(pairs=False))
    assert all(len(group) == 1 for group, _ in groups(alone))


def test_labels_of_two_files_are_apart(tmp_path: Path) -> None:
    text = "white,black,result,pair\na,b,1-0,x\n"
    assert groups(read(tmp_path, text, text)[0]) == [([("a", "b", "12")], 2)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("a,b", "line"),
        ('"a,b,1-0', "line"),
        ("a,b,*", "unfinished"),
        ("a,b,", "no-result"),
        ("a,b,won", "bad-result"),
        ("a,b,-:-", "void"),
        ("a,spielfrei,1", "void"),
        ("?,b,1-0", "player"),
        ("a,a,1-0", "twice"),
        ("a\0,b,1-0", "nul"),
        (f"{'a' * (1 << 20)},b,1-0", "long"),
    ],
)
def test_damaged_line_is_named(line: str, kind: str, tmp_path: Path) -> None:
    tally, problems = read(tmp_path, f"white,black,result\na,b,1-0\n{line}\nb,a,1/2-1/2\n")
    assert (groups(tally), damaged(problems)) == (ONE, [(kind, 3)])


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("{", "line"),
        ("[1]", "line"),
        ('{"white": true, "black": "b", "result": "1-0"}', "player"),
        ('{"players": ["a", "b"], "ranks": [1]}', "ranks"),
        ('{"players": ["a", "b"], "ranks": [1, "x"]}', "ranks"),
        ('{"players": ["a", "b"], "ranks": [1, NaN]}', "line"),
        ('{"players": ["a", "b"], "ranks": [1, "inf"]}', "ranks"),
        ('{"players": ["a", "b"], "ranks": [1, true]}', "ranks"),
        ('{"players": ["a", "b", "c"], "ranks": [1, 2, 3]}', "seats"),
        (f'{{"players": {[str(k) for k in range(17)]}, "ranks": [1]}}'.replace("'", '"'), "player"),
        ('{"players": ["a", "b"], "ranks": [1, 2], "void": true}', "void"),
        ('{"format": "tourney-record/1"}', "line"),
    ],
)
def test_damaged_object_is_named(value: str, kind: str, tmp_path: Path) -> None:
    good = '{"white": "a", "black": "b", "result": "1-0"}'
    tally, problems = read(tmp_path, f"{good}\n{value}\n")
    assert (tally.games, damaged(problems)) == (1, [(kind, 2)])


@pytest.mark.parametrize("head", ["", "white,black", "white,white,black,result", "hello"])
def test_table_without_result_columns_is_refused(head: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 1.*needs the columns white, black and result"):
        read(tmp_path, f"{head}\na,b,1-0\n" if head else "\n")


def test_records_of_tourney_have_their_seed_as_pair(tmp_path: Path) -> None:
    def record(first: str, second: str, ranks: tuple[int, int], *faults: Fault) -> str:
        played = make_record(make_spec(), "1", [(1, "a")], Outcome(ranks, "normal", faults))
        one, two = played.seats
        return replace(played, seats=(replace(one, name=first), replace(two, name=second))).encode().decode()

    lines = [
        record("a", "b", (1, 2), (2, "timeout", 1)),
        record("b", "a", (1, 2)),
        record("a", "b", (1, 1), (1, "startup", 0), (2, "startup", 0)),
    ]
    tally, problems = read(tmp_path, "\n".join(lines))
    assert groups(tally) == [([("a", "b", "12"), ("b", "a", "12")], 1)]
    assert [kind.faults for kind, _ in tally.kinds()] == [(None, "timeout"), (None, None)]
    assert damaged(problems) == [("void", 3)]


def test_sixteen_players_are_rated(tmp_path: Path) -> None:
    names = [chr(97 + k) for k in range(16)]
    lines = [
        json.dumps({"players": names[k:] + names[:k], "ranks": [*range(1, 15), 15, 15]}) for k in range(16)
    ]
    tally, problems = read(tmp_path, "\n".join(lines))
    assert (tally.seats, problems.damaged) == (16, 0)
    batch = rate_tally(tally)
    # Each player had each place once, so only the seats differ.
    assert {line.elo for line in batch.ratings} == {0.0}
    assert batch.pool.seats[0].elo > 100 > -100 > batch.pool.seats[-1].elo


@pytest.mark.parametrize(
    ("result", "ranks"),
    [
        *((text, (1, 2)) for text in ("1-0", "1:0", "1 - 0", "1\u20130", "1", "1.0", "1,0", "White")),
        *((text, (1, 1)) for text in ("1/2-1/2", "\u00bd-\u00bd", "\u00bd:\u00bd", "0.5-0.5", "0,5:0,5")),
        *(
            (text, (1, 1))
            for text in ("\u00bd", "=", "0.5", ".5", "0,5", "1/2", "draw", "Drawn", "Remis", "0,5-0,5")
        ),
        *((text, (2, 1)) for text in ("0-1", "0:1", "0", "0.0", "0,0", "Black", "black wins")),
        *((text, None) for text in ("2", "0-0", "1-1", "1-1/2", "-", "", "+", "1-0-1", "won", "0.6")),
    ],
)
def test_results_are_read_as_people_write_them(result: str, ranks: tuple[int, int] | None) -> None:
    assert ranks_of(result) == ranks


def test_json_array_is_read_and_names_items(tmp_path: Path) -> None:
    games = ('{"white": "a", "black": "b", "result": "1-0"}', '{"white": "b"}', "7")
    text = "\n[\n" + ",\n".join((*games, '{"white": "b",\n  "black": "a", "result": 0.5}]'))
    tally, problems = read(tmp_path, text)
    assert groups(tally) == ONE
    assert [place.text for place in problems.places] == [
        f"{tmp_path}/0 item 2",
        f"{tmp_path}/0 item 3: not an object",
    ]


@pytest.mark.parametrize("text", ['{\n "white": "a",\n "black": "b",\n "result": "1-0"\n}\n'])
def test_object_over_several_lines_is_one_game(text: str, tmp_path: Path) -> None:
    tally, problems = read(tmp_path, text)
    assert (groups(tally), damaged(problems)) == (ONE[:1], [])


def test_utf_16_is_read_in_every_form(tmp_path: Path) -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        mark = b"" if encoding == "utf-16" else "\ufeff".encode(encoding)
        text = "white\tblack\tresult\r\na\tb\t1\r\nb\ta\t\u00bd\r\n"
        tally, problems = read(tmp_path, mark + text.encode(encoding))
        assert (groups(tally), damaged(problems)) == (ONE, [])


def test_two_forms_of_unicode_are_one_player_named_once(tmp_path: Path) -> None:
    composed, split = "Andr\u00e9", "Andre\u0301"
    text = f"white,black,result\n{composed},b,1-0\n{split},b,1-0\n{split},b,0-1\n"
    tally, problems = read(tmp_path, text)
    assert tally.players == (composed, "b")
    assert [place.text for place in problems.places] == [f"{tmp_path}/0 line 3: {composed}"]
    assert problems.damaged == 0
    assert read(tmp_path, text, filter_=Filter(players=frozenset({split, "b"})))[0].games == 3


def test_ranks_may_be_shared_in_the_middle_of_many_seats(tmp_path: Path) -> None:
    seats = range(1, 6)
    head = ",".join([f"player{seat}" for seat in seats] + [f"rank{seat}" for seat in seats])
    tally, problems = read(tmp_path, f"{head}\nA,B,C,D,E,1,2,3,2,4\n")
    assert problems.damaged == 0
    elo = {line.entrant: line.elo for line in rate_tally(tally).ratings}
    assert elo[0] > elo[1] == elo[3] > elo[2] > elo[4]
