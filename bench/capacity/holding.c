/*
 * A worker of known capacity: it serves one request at a time and holds each for exactly HOLD microseconds, measured
 * from when it takes it up. What it spends beside that is not hidden: each response tells how many requests it has
 * taken up so far, and when (nanoseconds), so that whoever keeps it busy can read its pace from any two of them.
 *
 * holding PORT HOLD_US
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 1024, READ_BYTES = 64 * 1024, BACKLOG = 4096 };

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int listen_on(int port) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, BACKLOG) < 0) err(1, "listen");
  return fd;
}

static void watch(int poll, int fd) {
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = fd};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &wanted) < 0) err(1, "epoll_ctl");
}

static void serve(int fd, int64_t hold_ns) {
  static char request[READ_BYTES], response[256], body[64];
  static int64_t taken;
  int64_t begun_ns = now_ns();
  if (recv(fd, request, sizeof request, MSG_DONTWAIT) <= 0) {
    close(fd);
    return;
  }
  while (now_ns() < begun_ns + hold_ns);
  int bytes = snprintf(body, sizeof body, "%ld %ld\n", ++taken, begun_ns);
  bytes = snprintf(response, sizeof response, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", bytes, body);
  if (send(fd, response, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != bytes) close(fd);
}

int main(int argc, char **argv) {
  if (argc != 3) errx(2, "usage: holding PORT HOLD_US");
  int64_t hold_ns = atoi(argv[2]) * 1000LL;
  int listener = listen_on(atoi(argv[1])), poll = epoll_create1(0);
  watch(poll, listener);
  struct epoll_event events[EVENTS];
  for (;;) {
    int ready = epoll_wait(poll, events, EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd != listener) {
        serve(events[i].data.fd, hold_ns);
        continue;
      }
      for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        watch(poll, fd);
      }
    }
  }
}
