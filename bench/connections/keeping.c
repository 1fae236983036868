/*
 * A server that keeps very many connections: a process for each of the loopback addresses 127.0.0.1, 127.0.0.2 and on,
 * because a client has no more than some 28,000 ports for one address, and a process no more files than its limit. It
 * answers each request at once, and takes what one recv returns for one whole request.
 *
 * keeping PORT ADDRESSES
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVENTS = 1024, READ_BYTES = 64 * 1024, BACKLOG = 16384, MOST_ADDRESSES = 250 };

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!";

static int listen_on(int port, int address) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK + address);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, BACKLOG) < 0) err(1, "listen");
  return fd;
}

static void watch(int poll, int fd) {
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = fd};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &wanted) < 0) err(1, "epoll_ctl");
}

static void serve(int fd) {
  static char request[READ_BYTES];
  if (recv(fd, request, sizeof request, MSG_DONTWAIT) <= 0 ||
      send(fd, answer, sizeof answer - 1, MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof answer - 1) {
    close(fd);
  }
}

static void run(int listener) {
  int poll = epoll_create1(0);
  watch(poll, listener);
  struct epoll_event events[EVENTS];
  for (;;) {
    int ready = epoll_wait(poll, events, EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd != listener) {
        serve(events[i].data.fd);
        continue;
      }
      for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        watch(poll, fd);
      }
    }
  }
}

int main(int argc, char **argv) {
  if (argc != 3) errx(2, "usage: keeping PORT ADDRESSES");
  int port = atoi(argv[1]), addresses = atoi(argv[2]);
  if (addresses < 1 || addresses > MOST_ADDRESSES) errx(2, "from 1 to %d addresses", MOST_ADDRESSES);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  // The first address last: once it responds, all others do.
  for (int address = addresses - 1; address >= 0; address--) {
    int listener = listen_on(port, address);
    if (address == 0) run(listener);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) err(1, "fork");
    if (child > 0) {
      close(listener);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) return 1; // the parent ended before its end could be watched
    run(listener);
  }
}
