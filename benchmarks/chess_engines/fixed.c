/* A UCI engine without a thought: answers the n-th `go` of a game by the n-th move of a fixed game. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "game.h" /* enum { MOVES = ... }; static const char *const game[MOVES] */

static char input[1 << 16];
static int have;

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0) _exit(1);
}

static void answer(char *line) {
    static int played;
    if (!strcmp(line, "uci")) {
        say("id name Fixed\nid author Tourney\nuciok\n");
    } else if (!strcmp(line, "isready")) {
        say("readyok\n");
    } else if (!strncmp(line, "position ", 9)) {
        char *moves = strstr(line, " moves");
        played = 0;
        for (moves = moves ? moves + 6 : ""; *moves; moves++) played += *moves == ' ';
    } else if (!strncmp(line, "go", 2)) {
        char text[32];
        snprintf(text, sizeof text, "bestmove %s\n", played < MOVES ? game[played] : "0000");
        say(text);
    } else if (!strcmp(line, "quit")) {
        _exit(0);
    }
}

int main(void) {
    for (;;) {
        int got = (int)read(0, input + have, sizeof input - 1 - (size_t)have);
        if (got <= 0) return 0;
        have += got;
        char *begin = input, *end;
        while ((end = memchr(begin, '\n', (size_t)(input + have - begin)))) {
            *end = 0;
            answer(begin);
            begin = end + 1;
        }
        have = (int)(input + have - begin);
        memmove(input, begin, (size_t)have);
    }
}
