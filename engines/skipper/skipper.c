/* Skipper plays Sages Tafl by rules of its own: an alpha-beta search of the positions to come.
 *
 * It deepens its search step by step until its nodes or its time are used up, and then plays the best action
 * of the last depth. It needs nothing from the referee but the actions played. Its nodes are those of the line
 * `go` or of `--nodes=N`; with 0 only the clock limits it. It uses integers only and takes the first of equals, so
 * with nodes it plays the same on every machine that is quick enough: it looks at the clock once in 1,024 nodes.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

enum {
    FILES = 8,
    RANKS = 9,
    SQUARES = FILES * RANKS, /* a1 is 0, b1 is 1, a2 is 8 */
    TOWER = SQUARES,         /* the start of a sage's action from its tower */
    OFF = SQUARES + 1,       /* the end of an escape */
    PASS = 0x7fff,
    RIVER = 4, /* the rank of the river, from 0 */
    WIN_POINTS = 5,
    QUIET_LIMIT = 100,
    PLY_LIMIT = 400,
    MAX_ACTIONS = 512,
    MAX_DEPTH = 40,
    MAX_QUIET_DEPTH = 6,
    WIN = 1000000,
    TABLE = 1 << 18,
    NODES = 100000,
};

enum { NONE, APPRENTICE, SKYSHIP, SAGE };

/* A piece is its kind, plus 4 for Red. */
static int side_of(int piece) { return piece >> 2; }
static int kind_of(int piece) { return piece & 3; }

typedef struct {
    int8_t board[SQUARES];
    int8_t points[2];
    bool tower[2]; /* whether the sage is in its tower */
    bool passed;   /* whether the last action was a pass */
    int8_t turn;   /* 0 Black, 1 Red */
    int16_t quiet, ply;
    uint64_t key; /* of all but quiet, ply and passed */
} Position;

typedef struct {
    uint16_t from, to;
} Action;

typedef struct {
    uint64_t key;
    int32_t value;
    uint16_t action; /* from and to, or 0 */
    int8_t depth;
    uint8_t bound; /* 0 none, 1 exact, 2 at least, 3 at most */
} Entry;

static const char *const TOWERS[2] = {"d1e1d2e2", "d8e8d9e9"};
static const int STRAIGHT[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
static const int DIAGONAL[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};

static Entry table[TABLE];
static uint64_t keys[SQUARES][8], tower_keys[2], point_keys[2][16], turn_key;
static uint64_t history[PLY_LIMIT + MAX_DEPTH + MAX_QUIET_DEPTH + 8]; /* the keys of all positions so far */
static int32_t tried[2][OFF + 1][OFF + 1];                             /* how often an action was best */

/* ---- the rules -------------------------------------------------------------------------------------- */

static int at(int file, int rank) { return rank * FILES + file; }
static int file_of(int square) { return square % FILES; }
static int rank_of(int square) { return square / FILES; }
static bool inside(int file, int rank) { return file >= 0 && file < FILES && rank >= 0 && rank < RANKS; }

static uint64_t mixed(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void make_keys(void)
{
    uint64_t state = 7;
    for (int square = 0; square < SQUARES; square++)
        for (int piece = 0; piece < 8; piece++)
            keys[square][piece] = mixed(&state);
    for (int side = 0; side < 2; side++) {
        tower_keys[side] = mixed(&state);
        for (int points = 0; points < 16; points++)
            point_keys[side][points] = mixed(&state);
    }
    turn_key = mixed(&state);
}

static void put(Position *p, int square, int piece)
{
    if (p->board[square])
        p->key ^= keys[square][p->board[square]];
    p->board[square] = (int8_t)piece;
    if (piece)
        p->key ^= keys[square][piece];
}

static void set_tower(Position *p, int side, bool there)
{
    if (p->tower[side] != there)
        p->key ^= tower_keys[side];
    p->tower[side] = there;
}

static void begin(Position *p)
{
    static const char *const rows[RANKS] = {"2AAAA2", "F1AAAA1F", "8", "8", "8", "8", "8", "f1aaaa1f", "2aaaa2"};
    memset(p, 0, sizeof *p);
    for (int rank = 0; rank < RANKS; rank++) {
        int file = 0;
        for (const char *c = rows[rank]; *c; c++) {
            if (*c >= '0' && *c <= '9')
                file += *c - '0';
            else
                put(p, at(file++, rank),
                    *c == 'A' ? APPRENTICE : *c == 'F' ? SKYSHIP : *c == 'a' ? 4 + APPRENTICE : 4 + SKYSHIP);
        }
    }
    set_tower(p, 0, true);
    set_tower(p, 1, true);
    p->key ^= point_keys[0][0] ^ point_keys[1][0];
    history[0] = p->key;
}

/* Whether an apprentice or a sage on a river square may leave over an end. */
static bool may_escape(const Position *p, int square)
{
    int file = file_of(square);
    if (rank_of(square) != RIVER)
        return false;
    if (kind_of(p->board[square]) == SAGE)
        return file == 0 || file == FILES - 1;
    bool west = true, east = true;
    for (int f = file - 1; f >= 0; f--)
        west = west && !p->board[at(f, RIVER)];
    for (int f = file + 1; f < FILES; f++)
        east = east && !p->board[at(f, RIVER)];
    return west || east;
}

static int add(Action *list, int count, int from, int to)
{
    list[count].from = (uint16_t)from;
    list[count].to = (uint16_t)to;
    return count + 1;
}

static int apprentice_actions(const Position *p, int from, Action *list, int count)
{
    int file = file_of(from), rank = rank_of(from);
    for (int d = 0; d < 4; d++) {
        int df = STRAIGHT[d][0], dr = STRAIGHT[d][1];
        for (int step = 1;; step++) {
            int f = file + df * step, r = rank + dr * step;
            if (!inside(f, r) || p->board[at(f, r)])
                break;
            bool across = dr && (rank == RIVER || r == RIVER); /* in or out of the river: one step only */
            if (across && step > 1)
                break;
            count = add(list, count, from, at(f, r));
            if (across)
                break;
        }
    }
    return count;
}

static int skyship_actions(const Position *p, int from, Action *list, int count)
{
    bool seen[SQUARES] = {false};
    seen[from] = true;
    for (int d = 0; d < 4; d++) {
        int f = file_of(from) + DIAGONAL[d][0], r = rank_of(from) + DIAGONAL[d][1];
        if (!inside(f, r))
            continue;
        int first = at(f, r);
        if (!p->board[first] && !seen[first]) {
            seen[first] = true;
            count = add(list, count, from, first);
        }
        if (kind_of(p->board[first]) == SKYSHIP)
            continue;
        for (int e = 0; e < 4; e++) {
            int g = f + DIAGONAL[e][0], s = r + DIAGONAL[e][1];
            if (!inside(g, s) || p->board[at(g, s)] || seen[at(g, s)])
                continue;
            seen[at(g, s)] = true;
            count = add(list, count, from, at(g, s));
        }
    }
    return count;
}

static int sage_actions(const Position *p, int from, Action *list, int count)
{
    for (int d = 0; d < 8; d++) {
        const int *way = d < 4 ? STRAIGHT[d] : DIAGONAL[d - 4];
        int f = file_of(from) + way[0], r = rank_of(from) + way[1];
        if (inside(f, r) && !p->board[at(f, r)])
            count = add(list, count, from, at(f, r));
    }
    return count;
}

static int hop(const Position *p, int from, Action *list, int count)
{
    int file = file_of(from), rank = rank_of(from);
    if (rank != RIVER - 1 && rank != RIVER + 1)
        return count;
    int over = p->board[at(file, RIVER)], to = at(file, 2 * RIVER - rank);
    if (over && side_of(over) == p->turn && !p->board[to])
        return add(list, count, from, to);
    return count;
}

/* All actions of the side to move; a single PASS if there is no other. */
static int actions_of(const Position *p, Action *list)
{
    int count = 0;
    for (int from = 0; from < SQUARES; from++) {
        int piece = p->board[from];
        if (!piece || side_of(piece) != p->turn)
            continue;
        int kind = kind_of(piece);
        if (kind == SKYSHIP) {
            count = skyship_actions(p, from, list, count);
            continue;
        }
        if (may_escape(p, from))
            count = add(list, count, from, OFF);
        count = kind == SAGE ? sage_actions(p, from, list, count) : apprentice_actions(p, from, list, count);
        count = hop(p, from, list, count);
    }
    if (p->tower[p->turn])
        for (const char *c = TOWERS[p->turn]; *c; c += 2)
            if (!p->board[at(c[0] - 'a', c[1] - '1')])
                count = add(list, count, TOWER, at(c[0] - 'a', c[1] - '1'));
    return count ? count : add(list, 0, PASS, PASS);
}

/* The squares of the pieces that a move to a square captures; returns their number. */
static int captures(const Position *p, int to, int *found)
{
    int count = 0;
    for (int d = 0; d < 4; d++) {
        int f = file_of(to) + STRAIGHT[d][0], r = rank_of(to) + STRAIGHT[d][1];
        int g = f + STRAIGHT[d][0], s = r + STRAIGHT[d][1];
        if (!inside(g, s))
            continue;
        int next = p->board[at(f, r)], behind = p->board[at(g, s)];
        if (next && side_of(next) != p->turn && behind && side_of(behind) == p->turn)
            found[count++] = at(f, r);
    }
    return count;
}

static void play(Position *p, Action action)
{
    bool quiet = true;
    p->passed = action.from == PASS;
    if (action.to == OFF) {
        int kind = kind_of(p->board[action.from]);
        put(p, action.from, NONE);
        p->key ^= point_keys[p->turn][p->points[p->turn]];
        p->points[p->turn] = (int8_t)(p->points[p->turn] + (kind == SAGE ? 3 : 1));
        p->key ^= point_keys[p->turn][p->points[p->turn]];
        quiet = false;
    } else if (!p->passed) {
        int piece = p->turn * 4 + SAGE;
        if (action.from == TOWER) {
            set_tower(p, p->turn, false);
        } else {
            piece = p->board[action.from];
            put(p, action.from, NONE);
        }
        put(p, action.to, piece);
        int taken[4], count = captures(p, action.to, taken);
        for (int k = 0; k < count; k++) {
            if (kind_of(p->board[taken[k]]) == SAGE)
                set_tower(p, 1 - p->turn, true);
            put(p, taken[k], NONE);
            quiet = false;
        }
    }
    p->quiet = (int16_t)(quiet ? p->quiet + 1 : 0);
    p->ply++;
    p->turn = (int8_t)(1 - p->turn);
    p->key ^= turn_key;
    history[p->ply] = p->key;
}

static bool may_reach(const Position *p, int side)
{
    int left = p->points[side] + (p->tower[side] ? 3 : 0);
    for (int square = 0; square < SQUARES; square++) {
        int piece = p->board[square];
        if (piece && side_of(piece) == side)
            left += kind_of(piece) == SAGE ? 3 : kind_of(piece) == APPRENTICE;
    }
    return left >= WIN_POINTS;
}

/* Whether the game is over after the last action; `*value` is then its worth to the side to move. */
static bool over(const Position *p, bool passed_before, int *value)
{
    *value = 0;
    if (p->points[1 - p->turn] >= WIN_POINTS) {
        *value = p->ply - WIN; /* sooner is worse */
        return true;
    }
    if (p->passed && passed_before)
        return true;
    if (!may_reach(p, 0) && !may_reach(p, 1))
        return true;
    int times = 0;
    for (int ply = p->ply; ply >= p->ply - p->quiet; ply -= 2)
        times += history[ply] == p->key;
    return times >= 3 || p->quiet >= QUIET_LIMIT || p->ply >= PLY_LIMIT;
}

/* ---- the search ------------------------------------------------------------------------------------- */

static long nodes, node_limit; /* 0: no limit */
static uint64_t time_limit; /* milliseconds of the clock */
static bool stopped;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The worth of a piece to its own side: its material, and how near it is to leaving. */
static int worth_of(const Position *p, int square)
{
    int kind = kind_of(p->board[square]), file = file_of(square);
    int away = abs(rank_of(square) - RIVER), end = file < FILES / 2 ? file : FILES - 1 - file;
    if (kind == SKYSHIP)
        return 90 + 4 * (4 - away);
    if (kind == SAGE)
        return 60 + 30 * (4 - away) + (away == 0 ? 60 + 40 * (3 - end) : 8 * (3 - end));
    return 100 + 12 * (4 - away) + (away == 0 ? may_escape(p, square) ? 110 : 20 : 0);
}

static int evaluate(const Position *p)
{
    int total = 400 * (p->points[0] - p->points[1]);
    for (int square = 0; square < SQUARES; square++)
        if (p->board[square])
            total += side_of(p->board[square]) ? -worth_of(p, square) : worth_of(p, square);
    return p->turn ? -total : total;
}

static int gain(const Position *p, Action action)
{
    if (action.to == OFF)
        return kind_of(p->board[action.from]) == SAGE ? 1200 : 400;
    if (action.from == PASS)
        return 0;
    Position after = *p;
    int piece = action.from == TOWER ? p->turn * 4 + SAGE : p->board[action.from];
    if (action.from != TOWER)
        after.board[action.from] = NONE;
    after.board[action.to] = (int8_t)piece;
    int taken[4], count = captures(&after, action.to, taken), total = 0;
    for (int k = 0; k < count; k++)
        total += 60 + worth_of(p, taken[k]);
    return total;
}

static bool out_of_budget(void)
{
    if ((node_limit && nodes >= node_limit) || ((nodes & 1023) == 0 && now() >= time_limit))
        stopped = true;
    return stopped;
}

static uint16_t packed(Action action)
{
    return action.from == PASS ? 0xffff : (uint16_t)((action.from << 8 | action.to) + 1);
}

/* Put the best of the actions from `first` on in its place. */
static void pick(Action *list, int *scores, int first, int count)
{
    int best = first;
    for (int k = first + 1; k < count; k++)
        if (scores[k] > scores[best])
            best = k;
    Action action = list[best];
    int score = scores[best];
    for (int k = best; k > first; k--) { /* the others keep their order */
        list[k] = list[k - 1];
        scores[k] = scores[k - 1];
    }
    list[first] = action;
    scores[first] = score;
}

/* Play out escapes and captures, so that no evaluation stands in the middle of an exchange. */
static int settle(const Position *p, bool passed_before, int alpha, int beta, int depth)
{
    int value;
    nodes++;
    if (over(p, passed_before, &value))
        return value;
    value = evaluate(p);
    if (depth == 0 || value >= beta || out_of_budget())
        return value;
    if (value > alpha)
        alpha = value;
    Action list[MAX_ACTIONS];
    int scores[MAX_ACTIONS], count = actions_of(p, list), kept = 0;
    for (int k = 0; k < count; k++) {
        int score = gain(p, list[k]);
        if (score) {
            list[kept] = list[k];
            scores[kept++] = score;
        }
    }
    for (int k = 0; k < kept; k++) {
        pick(list, scores, k, kept);
        Position after = *p;
        play(&after, list[k]);
        int found = -settle(&after, p->passed, -beta, -alpha, depth - 1);
        if (stopped)
            return value;
        if (found > value)
            value = found;
        if (value > alpha)
            alpha = value;
        if (alpha >= beta)
            break;
    }
    return value;
}

static int search(const Position *p, bool passed_before, int alpha, int beta, int depth, Action *best)
{
    int value;
    if (over(p, passed_before, &value)) {
        nodes++;
        return value;
    }
    if (depth == 0)
        return settle(p, passed_before, alpha, beta, MAX_QUIET_DEPTH);
    nodes++;
    if (out_of_budget())
        return 0;
    Entry *entry = &table[p->key % TABLE];
    uint16_t first = 0;
    if (entry->bound && entry->key == p->key) {
        first = entry->action;
        bool useful = entry->depth >= depth && best == NULL && p->quiet < QUIET_LIMIT - MAX_DEPTH;
        if (useful && (entry->bound == 1 || (entry->bound == 2 ? entry->value >= beta : entry->value <= alpha)))
            return entry->value;
    }
    Action list[MAX_ACTIONS], chosen = {PASS, PASS};
    int scores[MAX_ACTIONS], count = actions_of(p, list), lowest = alpha, most = -2 * WIN;
    for (int k = 0; k < count; k++) {
        int score = gain(p, list[k]);
        bool known = list[k].from != PASS;
        scores[k] = packed(list[k]) == first ? 1 << 30
                    : score                  ? (1 << 24) + score
                    : known                  ? tried[p->turn][list[k].from][list[k].to]
                                             : 0;
    }
    for (int k = 0; k < count; k++) {
        pick(list, scores, k, count);
        Position after = *p;
        play(&after, list[k]);
        int found;
        if (k == 0) {
            found = -search(&after, p->passed, -beta, -alpha, depth - 1, NULL);
        } else {
            found = -search(&after, p->passed, -alpha - 1, -alpha, depth - 1, NULL);
            if (!stopped && found > alpha && found < beta)
                found = -search(&after, p->passed, -beta, -alpha, depth - 1, NULL);
        }
        if (stopped)
            break;
        if (found > most) {
            most = found;
            chosen = list[k];
            if (best != NULL)
                *best = chosen;
        }
        if (most > alpha)
            alpha = most;
        if (alpha >= beta) {
            if (list[k].from != PASS && tried[p->turn][list[k].from][list[k].to] < 1 << 20)
                tried[p->turn][list[k].from][list[k].to] += depth * depth;
            break;
        }
    }
    if (stopped)
        return most > -2 * WIN ? most : 0;
    bool mate = most > WIN - 1000 || most < 1000 - WIN; /* its distance holds for this ply only */
    *entry = (Entry){p->key, most, packed(chosen), (int8_t)depth,
                     mate ? 0 : (uint8_t)(most >= beta ? 2 : most > lowest ? 1 : 3)};
    return most;
}

/* ---- the protocol ----------------------------------------------------------------------------------- */

static void text_of(Action action, char *text)
{
    if (action.from == PASS) {
        strcpy(text, "pass");
        return;
    }
    char from[8] = "tower", to[8] = "off";
    if (action.from != TOWER)
        sprintf(from, "%c%c", 'a' + file_of(action.from), '1' + rank_of(action.from));
    if (action.to != OFF)
        sprintf(to, "%c%c", 'a' + file_of(action.to), '1' + rank_of(action.to));
    sprintf(text, "%s-%s", from, to);
}

static void played(Position *p, const char *said)
{
    Action list[MAX_ACTIONS];
    int count = actions_of(p, list);
    for (int k = 0; k < count; k++) {
        char text[16];
        text_of(list[k], text);
        if (strcmp(text, said) == 0) {
            play(p, list[k]);
            return;
        }
    }
    fprintf(stderr, "skipper does not know the action %s\n", said);
    exit(1);
}

static long setting(const char *line, const char *key, long otherwise)
{
    char pattern[32];
    snprintf(pattern, sizeof pattern, " %s=", key);
    const char *found = strstr(line, pattern);
    return found ? atol(found + strlen(pattern)) : otherwise;
}

/* Milliseconds to think: half of the limit of a turn, or a share of the clock that can be repeated. */
static long budget(const char *line, int seat)
{
    long move = setting(line, "move", 0), limit = move ? move / 2 : 1000;
    const char *clocks = strstr(line, " clocks=");
    if (clocks) {
        long left = atol(clocks + 8);
        const char *comma = strchr(clocks, ',');
        if (seat == 2 && comma)
            left = atol(comma + 1);
        long share = left / 25 + setting(line, "inc", 0) * 3 / 4;
        share = share < left / 2 ? share : left / 2;
        limit = move && limit < share ? limit : share;
    }
    return limit > 1 ? limit : 1;
}

static void go(const Position *p, const char *line, int seat, long nodes_given)
{
    Action best = {PASS, PASS}, list[MAX_ACTIONS];
    int count = actions_of(p, list), value = 0, depth = 0;
    best = list[0];
    nodes = 0;
    stopped = false;
    node_limit = setting(line, "nodes", nodes_given);
    time_limit = now() + (uint64_t)budget(line, seat);
    memset(tried, 0, sizeof tried);
    memset(table, 0, sizeof table);
    for (int next = 1; count > 1 && next <= MAX_DEPTH && !stopped; next++) {
        Action found = best;
        int worth = search(p, false, -2 * WIN, 2 * WIN, next, &found);
        best = found; /* in an unfinished depth the first action searched was the best so far */
        if (!stopped) {
            value = worth;
            depth = next;
        }
        if (worth > WIN - 1000 || worth < 1000 - WIN)
            break;
    }
    char text[16];
    text_of(best, text);
    printf("info score=%d depth=%d nodes=%ld\nmove %s\n", value, depth, nodes, text);
}

int main(int count, char **words)
{
    Position position;
    char *line = NULL;
    size_t size = 0;
    int seat = 1;
    long nodes_given = NODES;
    for (int k = 1; k < count; k++)
        if (strncmp(words[k], "--nodes=", 8) == 0)
            nodes_given = atol(words[k] + 8);
    make_keys();
    begin(&position);
    while (getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "tourney ", 8) == 0) {
            puts("bot name=skipper version=1.0");
        } else if (strncmp(line, "game ", 5) == 0) {
            if (strncmp(line + 5, "sages-tafl ", 11) != 0) {
                fprintf(stderr, "skipper plays sages-tafl and nothing else\n");
                return 1;
            }
            seat = (int)setting(line, "seat", 1);
            begin(&position);
            puts("ready");
        } else if (strncmp(line, "play ", 5) == 0) {
            const char *action = strchr(line + 5, ' ');
            if (action != NULL)
                played(&position, action + 1);
        } else if (strcmp(line, "go") == 0 || strncmp(line, "go ", 3) == 0) {
            go(&position, line, seat, nodes_given);
        } else if (strcmp(line, "quit") == 0) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
