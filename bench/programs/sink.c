/*
 * Where relayed log lines end up: reads standard input, looks in each line for "line N ", and checks that N counts up
 * from 1. Prints one JSON document the instant line COUNT has arrived (or at the end of input), then goes on reading, so
 * that whoever writes is not stopped.
 *
 *   sink COUNT      { "seen", "outOfOrder", "bytes" }
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long wanted, seen, out_of_order, expected = 1;
static unsigned long long bytes;
static int told;

static void tell(void) {
  if (told) return;
  told = 1;
  printf("{\"seen\":%ld,\"outOfOrder\":%ld,\"bytes\":%llu}\n", seen, out_of_order, bytes);
  fflush(stdout);
}

static void look(const char *line, size_t length) {
  const char *found = memmem(line, length, "line ", 5);
  if (found == NULL) return;
  char *end;
  long number = strtol(found + 5, &end, 10);
  if (end == found + 5 || *end != ' ') return;
  seen++;
  if (number != expected) out_of_order++;
  expected = number + 1;
  if (number == wanted) tell();
}

int main(int argc, char **argv) {
  wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
  if (wanted < 1) {
    fprintf(stderr, "usage: sink COUNT\n");
    return 2;
  }
  /* A line longer than this is looked at in parts; none that is counted is. */
  static char buffer[1 << 18];
  size_t kept = 0;
  ssize_t got;
  while ((got = read(0, buffer + kept, sizeof buffer - 1 - kept)) > 0) {
    bytes += (unsigned long long)got;
    size_t length = kept + (size_t)got, from = 0;
    char *newline;
    buffer[length] = 0;
    while ((newline = memchr(buffer + from, '\n', length - from)) != NULL) {
      *newline = 0;
      look(buffer + from, (size_t)(newline - (buffer + from)));
      from = (size_t)(newline - buffer) + 1;
    }
    kept = length - from;
    if (kept >= sizeof buffer - 1) kept = 0;
    memmove(buffer, buffer + from, kept);
  }
  tell();
  return 0;
}
