/*
 * A gRPC server that gives every call the same response as cheaply as possible, so that the cost of a client is not
 * hidden behind that of its server: HTTP/2 with prior knowledge, one thread, one epoll. It reads no header: whatever the
 * method, the response is one message with the text "ada" in field 1. Over HTTP/1.1 it only responds that it is ready.
 *
 * answering PORT
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { EVENTS = 1024, FDS = 1 << 16, READ_BYTES = 1 << 16, HEAD_BYTES = 9, PREFACE_BYTES = 24 };
enum { DATA = 0, HEADERS = 1, SETTINGS = 4, PING = 6, END_STREAM = 1, ACK = 1 };

/* HEADERS, a message and trailers, in which the number of the stream has to be filled in. */
static const unsigned char RESPONSE[] =
  "\0\0\x14\1\4....\x88\x0f\x10\x10" "application/grpc"
  "\0\0\x0a\0\0....\0\0\0\0\5\x0a\3" "ada"
  "\0\0\x0f\1\5....\0\x0b" "grpc-status" "\1" "0";
enum { RESPONSE_BYTES = sizeof RESPONSE - 1, FIRST = 5, SECOND = 34, THIRD = 53 };

static const unsigned char EMPTY_SETTINGS[] = "\0\0\0\4\0\0\0\0", SETTINGS_ACK[] = "\0\0\0\4\1\0\0\0";
static const char HERE[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhere\n";

struct connection {
  int fd, is_http2;
  size_t used;
  /* Octets of DATA for which the client has not yet got its window back. */
  uint32_t owed;
  unsigned char in[READ_BYTES];
};
static struct connection *connections[FDS];

static unsigned char out[READ_BYTES * 8];
static size_t out_bytes;

static void flush(int fd) {
  for (size_t at = 0; at < out_bytes;) {
    ssize_t sent = send(fd, out + at, out_bytes - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) at += sent;
    else if (errno == EAGAIN) poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 1000);
    else break; /* the client has gone, which the next read says */
  }
  out_bytes = 0;
}

static void say(int fd, const void *bytes, size_t length) {
  if (out_bytes + length > sizeof out) flush(fd);
  memcpy(out + out_bytes, bytes, length);
  out_bytes += length;
}

static void respond(int fd, const unsigned char *stream) {
  unsigned char response[RESPONSE_BYTES];
  memcpy(response, RESPONSE, RESPONSE_BYTES);
  memcpy(response + FIRST, stream, 4);
  memcpy(response + SECOND, stream, 4);
  memcpy(response + THIRD, stream, 4);
  say(fd, response, RESPONSE_BYTES);
}

/* Handles a frame, whose payload follows its head. */
static void take(struct connection *c, const unsigned char *frame, uint32_t length) {
  unsigned char type = frame[3], flags = frame[4];
  if (type == DATA) c->owed += length;
  if (type <= HEADERS && flags & END_STREAM) respond(c->fd, frame + 5);
  if (type == SETTINGS && !(flags & ACK)) say(c->fd, SETTINGS_ACK, sizeof SETTINGS_ACK);
  if (type == PING && !(flags & ACK)) {
    unsigned char pong[HEAD_BYTES + 8];
    memcpy(pong, frame, sizeof pong);
    pong[4] = ACK;
    say(c->fd, pong, sizeof pong);
  }
}

static size_t take_all(struct connection *c) {
  size_t at = 0;
  if (!c->is_http2) {
    if (c->used < PREFACE_BYTES) return 0;
    if (memcmp(c->in, "PRI", 3) != 0) {
      say(c->fd, HERE, sizeof HERE - 1);
      return c->used;
    }
    c->is_http2 = 1;
    say(c->fd, EMPTY_SETTINGS, sizeof EMPTY_SETTINGS);
    at = PREFACE_BYTES;
  }
  while (c->used - at >= HEAD_BYTES) {
    const unsigned char *frame = c->in + at;
    uint32_t length = frame[0] << 16 | frame[1] << 8 | frame[2];
    if (length + HEAD_BYTES > READ_BYTES) errx(1, "a frame is too long");
    if (c->used - at < length + HEAD_BYTES) break;
    take(c, frame, length);
    at += length + HEAD_BYTES;
  }
  if (c->owed >= READ_BYTES / 4) {
    uint32_t owed = htonl(c->owed);
    say(c->fd, "\0\0\4\x08\0\0\0\0\0", HEAD_BYTES);
    say(c->fd, &owed, sizeof owed);
    c->owed = 0;
  }
  return at;
}

static void answer(int poll_fd, int fd) {
  struct connection *c = connections[fd];
  ssize_t came = recv(fd, c->in + c->used, READ_BYTES - c->used, MSG_DONTWAIT);
  if (came < 0 && errno == EAGAIN) return;
  if (came <= 0) {
    epoll_ctl(poll_fd, EPOLL_CTL_DEL, fd, NULL);
    close(fd);
    free(c);
    connections[fd] = NULL;
    return;
  }
  c->used += came;
  size_t taken = take_all(c);
  c->used -= taken;
  memmove(c->in, c->in + taken, c->used);
  flush(fd);
}

static void admit(int poll_fd, int listener) {
  int fd = accept(listener, NULL, NULL);
  if (fd < 0) return;
  if (fd >= FDS) errx(1, "too many connections");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  connections[fd] = calloc(1, sizeof *connections[fd]);
  if (connections[fd] == NULL) err(1, "calloc");
  connections[fd]->fd = fd;
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = fd};
  if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &wanted) < 0) err(1, "epoll_ctl");
}

int main(int argc, char **argv) {
  if (argc != 2) errx(2, "usage: answering PORT");
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM, 0), poll_fd = epoll_create1(0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 16384) < 0) err(1, "listen");
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = listener};
  if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, listener, &wanted) < 0) err(1, "epoll_ctl");
  struct epoll_event events[EVENTS];
  for (;;) {
    int ready = epoll_wait(poll_fd, events, EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd == listener) admit(poll_fd, listener);
      else answer(poll_fd, events[i].data.fd);
    }
  }
}
