/*
 * The floor: what the kernel alone asks of a load generator. One thread, one epoll, and for each request one
 * recv, one look at the clock and one send. It reads no answer, keeps no figures and survives no error, so
 * whatever a generator spends beyond it is the generator's own.
 *
 * floor PORT CONNECTIONS SECONDS
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

enum { EVENTS = 1024, READ_BYTES = 256 * 1024 };

static char request[128];
static int request_bytes;
static char answer[READ_BYTES];

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void ask(int fd) {
  if (send(fd, request, request_bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != request_bytes) err(1, "send");
}

static int dial(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) err(1, "connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  return fd;
}

int main(int argc, char **argv) {
  if (argc != 4) errx(2, "usage: floor PORT CONNECTIONS SECONDS");
  int port = atoi(argv[1]), connections = atoi(argv[2]);
  int64_t length_ns = atoi(argv[3]) * 1000000000LL;
  request_bytes = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port);

  int *fds = calloc(connections, sizeof *fds), poll = epoll_create1(0);
  for (int i = 0; i < connections; i++) {
    fds[i] = dial(port);
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = fds[i]};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, fds[i], &wanted) < 0) err(1, "epoll_ctl");
  }

  int64_t start_ns = now_ns(), last_ns = start_ns, answers = 0;
  for (int i = 0; i < connections; i++) ask(fds[i]);
  struct epoll_event events[EVENTS];
  while (last_ns < start_ns + length_ns) {
    int ready = epoll_wait(poll, events, EVENTS, 1000);
    if (ready <= 0) errx(1, "no answer for a second");
    for (int i = 0; i < ready; i++) {
      if (recv(events[i].data.fd, answer, sizeof answer, MSG_DONTWAIT) <= 0) err(1, "recv");
      last_ns = now_ns();
      answers++;
      ask(events[i].data.fd);
    }
  }
  printf("Requests/sec: %.2f\n", answers * 1e9 / (last_ns - start_ns));
}
