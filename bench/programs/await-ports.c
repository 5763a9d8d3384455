/*
 * The cheapest wait script: tries to connect to each port of 127.0.0.1 every 10 ms until all answer, then executes the
 * command. Flatters the launchers that need one.
 *
 *   await-ports PORT… -- COMMAND ARGUMENT…
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int answers(long port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return 0;
  int connected = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
  close(fd);
  return connected;
}

int main(int argc, char **argv) {
  const struct timespec pause = {.tv_sec = 0, .tv_nsec = 10000000};
  int next = 1;
  for (; next < argc && strcmp(argv[next], "--") != 0; next++)
    while (!answers(strtol(argv[next], NULL, 10))) nanosleep(&pause, NULL);
  if (next + 1 >= argc) {
    fprintf(stderr, "usage: await-ports PORT... -- COMMAND ARGUMENT...\n");
    return 2;
  }
  execvp(argv[next + 1], &argv[next + 1]);
  perror(argv[next + 1]);
  return 127;
}
