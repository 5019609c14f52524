/* Sages Tafl without rules: plays one of the games of games.h, which were drawn beforehand.
 *
 * All of them begin with another action. The first seat draws which it is by its seed, the second hears it. */

#include "lines.h"

#include "games.h"

static int chosen, played;

static void begin(const char *line) {
    const char *seed = strstr(line, "seed=");
    chosen = (int)(strtoull(seed ? seed + 5 : "0", NULL, 10) % GAMES);
    played = 0;
    say("ready\n");
}

static void play(const char *action) {
    if (!played++)
        while (strcmp(games[chosen][0], action)) chosen = (chosen + 1) % GAMES;
}

static void answer(void) {
    char line[64];
    snprintf(line, sizeof line, "move %s\n", games[chosen][played]);
    say(line);
}

static void hear(char *line) {
    if (!strncmp(line, "play ", 5)) play(strchr(line + 5, ' ') + 1);
    else if (!strncmp(line, "go", 2)) answer();
    else if (!strncmp(line, "game ", 5)) begin(line);
    else if (!strncmp(line, "tourney ", 8)) say("bot name=tafl\n");
    else if (!strcmp(line, "quit")) exit(0);
}

int main(void) { return serve(); }
