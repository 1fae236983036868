/*
 * A witness: a server that shares nothing with Plateau and sees the same exchanges. It answers each request
 * DELAY_US after it has read it, within some microseconds, because it spins while answers are due. It notes both
 * moments by its own clock: GET /noted returns a line "read answered" for each answered request, in microseconds, and
 * forgets them. Requests must come whole, each on its connection after the answer to the one before.
 *
 * witness PORT DELAY_US
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
#include <unistd.h>

enum { EXCHANGES = 1 << 22, EVENTS = 4096, FDS = 1 << 16, LINE_BYTES = 48 };

static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nwitness";

/* In the order in which requests were read, which is also that of their answers, because all wait equally long. */
static struct exchange { int64_t read_us, answered_us; int fd; } exchanges[EXCHANGES];
static int reported, answered, asked;

/* For each socket: whether an answer is due on it, and whether its peer has gone meanwhile. */
static char is_due[FDS], is_gone[FDS];
static int poll;

static int64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static void send_all(int fd, const char *at, const char *end) {
  for (ssize_t sent = 0; at < end && sent >= 0; at += sent) sent = send(fd, at, end - at, MSG_NOSIGNAL);
}

static void answer_due(int64_t delay_us) {
  for (; answered < asked; answered++) {
    struct exchange *e = &exchanges[answered];
    e->answered_us = now_us();
    if (e->answered_us < e->read_us + delay_us) return;
    is_due[e->fd] = 0;
    if (is_gone[e->fd]) close(e->fd);
    else send_all(e->fd, ANSWER, ANSWER + sizeof ANSWER - 1);
  }
}

static void report(int fd) {
  char *text = malloc((answered - reported + 1L) * LINE_BYTES);
  char *end = text + sprintf(text, "HTTP/1.0 200 OK\r\n\r\n");
  for (; reported < answered; reported++) {
    struct exchange *e = &exchanges[reported];
    end += sprintf(end, "%lld %lld\n", (long long)e->read_us, (long long)e->answered_us);
  }
  send_all(fd, text, end);
  free(text);
  close(fd);
}

static void take(int listener) {
  int fd = accept(listener, NULL, NULL);
  if (fd < 0 || fd >= FDS) err(1, "accept");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  is_due[fd] = is_gone[fd] = 0;
  epoll_ctl(poll, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.fd = fd});
}

static void hear(int fd) {
  char request[4096];
  ssize_t length = recv(fd, request, sizeof request, MSG_DONTWAIT);
  if (length <= 0) {
    is_gone[fd] = 1;
    epoll_ctl(poll, EPOLL_CTL_DEL, fd, NULL);
    if (!is_due[fd]) close(fd);
  } else if (length > 11 && memcmp(request, "GET /noted ", 11) == 0) {
    report(fd);
  } else {
    if (asked == EXCHANGES) errx(1, "more requests than it can note");
    exchanges[asked++] = (struct exchange){.read_us = now_us(), .fd = fd};
    is_due[fd] = 1;
  }
}

int main(int argc, char **argv) {
  if (argc != 3) errx(2, "usage: witness PORT DELAY_US");
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int64_t delay_us = atoll(argv[2]);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 4096) < 0) err(1, "listen");
  poll = epoll_create1(0);
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.fd = listener});

  struct epoll_event events[EVENTS];
  for (;;) {
    int ready = epoll_wait(poll, events, EVENTS, answered < asked ? 0 : -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd == listener) take(listener);
      else hear(events[i].data.fd);
    }
    answer_due(delay_us);
  }
}
