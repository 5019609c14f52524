/* An honest bot: computes for a fixed time of its processor's clock, then plays the first legal action. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double used(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

int main(int count, char **words) {
    static char line[1 << 20], first[256];
    double work = count > 1 ? atof(words[1]) : 0;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "tourney ", 8)) {
            puts("bot wants=legal");
        } else if (!strncmp(line, "game ", 5)) {
            puts("ready");
        } else if (!strncmp(line, "legal ", 6)) {
            sscanf(line, "legal %255s", first);
        } else if (!strncmp(line, "go", 2)) {
            double until = used() + work;
            while (used() < until) {
            }
            printf("move %s\n", first);
        } else if (!strncmp(line, "quit", 4)) {
            return 0;
        }
        fflush(stdout);
    }
    return 0;
}
