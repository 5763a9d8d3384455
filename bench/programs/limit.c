/*
 * The least that any launcher can cost: knows the graph, starts each service the instant its last dependency reports
 * that it listens, and does nothing else. Reads a plan, prints "ready\n" once all have reported, then waits for a signal.
 *
 *   limit PLAN      first line: LISTENER DELAY COUNT FIRST_PORT; then for each service: DEPENDENCY_COUNT DEPENDENCY…
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char listener[4096], delay[16];
static int count, first_port;
static posix_spawn_file_actions_t actions;
static char report_variable[] = "REPORT_FD=3";
static char *environment[] = {report_variable, NULL};

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void start(int index) {
  char port[16];
  pid_t pid;
  snprintf(port, sizeof port, "%d", first_port + index);
  char *arguments[] = {listener, port, delay, NULL};
  if (posix_spawn(&pid, listener, &actions, NULL, arguments, environment) != 0) fail("posix_spawn");
}

static void *claim(size_t items, size_t size) {
  void *memory = calloc(items, size);
  if (memory == NULL) fail("calloc");
  return memory;
}

int main(int argc, char **argv) {
  FILE *plan = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (plan == NULL) fail("plan");
  if (fscanf(plan, "%4095s %15s %d %d", listener, delay, &count, &first_port) != 4) fail("plan");
  int *waiting = claim((size_t)count, sizeof *waiting);
  int **dependents = claim((size_t)count, sizeof *dependents);
  int *dependent_counts = claim((size_t)count, sizeof *dependent_counts);
  for (int index = 0; index < count; index++) {
    if (fscanf(plan, "%d", &waiting[index]) != 1) fail("plan");
    for (int edge = 0; edge < waiting[index]; edge++) {
      int dependency;
      if (fscanf(plan, "%d", &dependency) != 1 || dependency < 0 || dependency >= count) fail("plan");
      if (dependents[dependency] == NULL) dependents[dependency] = claim((size_t)count, sizeof(int));
      dependents[dependency][dependent_counts[dependency]++] = index;
    }
  }
  fclose(plan);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) fail("pipe");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  /* A copy under another number first: dup2 of a descriptor onto itself would keep its close-on-exec flag. */
  int report = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
  if (report < 0) fail("fcntl");
  posix_spawn_file_actions_adddup2(&actions, report, 3);

  for (int index = 0; index < count; index++)
    if (waiting[index] == 0) start(index);
  FILE *reports = fdopen(ends[0], "r");
  for (int ready = 0; ready < count; ready++) {
    int port;
    if (fscanf(reports, "%d", &port) != 1) fail("report");
    int index = port - first_port;
    if (index < 0 || index >= count) fail("report of a service that was not started");
    for (int edge = 0; edge < dependent_counts[index]; edge++)
      if (--waiting[dependents[index][edge]] == 0) start(dependents[index][edge]);
  }
  if (write(1, "ready\n", 6) != 6) fail("write");
  for (;;) pause();
}
