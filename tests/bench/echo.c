/* A player that answers every request at once with the first legal action: the floor of what a player costs. */

#include <stdio.h>
#include <string.h>

int main(void) {
    static char line[16385];
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "referee ", 8)) {
            puts("ready");
        } else if (!strncmp(line, "act ", 4)) {
            char *legal = strstr(line, " legal=");
            printf("move %.*s %.*s\n", (int)strcspn(line + 4, " "), line + 4, (int)strcspn(legal + 7, ",\n"), legal + 7);
        } else if (!strncmp(line, "bye", 3)) {
            return 0;
        }
        fflush(stdout);
    }
    return 0;
}
