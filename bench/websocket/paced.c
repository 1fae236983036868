/*
 * The bare loop of WebSockets: what the kernel alone asks of a client that sends messages by a clock and gets their
 * echoes. One thread, one epoll; each socket sends a masked text every EVERY_MS, and each echo is counted by its length
 * alone. It survives no error, so whatever a generator spends beyond it is the generator's own.
 *
 * paced PORT SOCKETS EVERY_MS SECONDS [timed]
 *
 * It prints how many echoes came a second. With `timed` it is a witness of latencies: the first message of a socket is due
 * when the socket is open, as with a virtual user, each socket sends for SECONDS, and it prints the latency of each message
 * in milliseconds, from when it was due to its echo, as JSON.
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
#include <sys/prctl.h>
#include <time.h>

enum { EVENTS = 1024, READ_BYTES = 256 * 1024, HEAD_BYTES = 2, MASKED_HEAD_BYTES = 6 };

static unsigned char received[READ_BYTES];

struct socket {
  int fd;
  /* When the first message was due, and the next is. */
  int64_t first_ns, due_ns;
  int64_t messages, echoes;
  /* For a frame that has come in part: the octets of its head and of its payload that have come. */
  int have, length;
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Asks for a WebSocket; `await_socket` waits for the answer, so that several sockets can open at once. */
static int ask_socket(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) err(1, "connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  char text[512];
  int length = snprintf(text, sizeof text,
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", port);
  if (send(fd, text, length, MSG_NOSIGNAL) != length) err(1, "send");
  return fd;
}

static void await_socket(int fd) {
  char text[512];
  int used = 0;
  while (memmem(text, used, "\r\n\r\n", 4) == NULL) {
    ssize_t came = recv(fd, text + used, sizeof text - used, 0);
    if (came <= 0) errx(1, "the server opens no WebSocket");
    used += came;
  }
  if (strncmp(text, "HTTP/1.1 101", 12) != 0) errx(1, "the server opens no WebSocket");
}

static void send_message(struct socket *s) {
  unsigned char frame[MASKED_HEAD_BYTES + 32];
  int length = snprintf((char *)frame + MASKED_HEAD_BYTES, 32, "n=%ld", (long)s->messages++);
  uint32_t mask = (uint32_t)random();
  frame[0] = 0x81;
  frame[1] = 0x80 | length;
  memcpy(frame + HEAD_BYTES, &mask, sizeof mask);
  for (int i = 0; i < length; i++) frame[MASKED_HEAD_BYTES + i] ^= frame[HEAD_BYTES + i % 4];
  int bytes = MASKED_HEAD_BYTES + length;
  if (send(s->fd, frame, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != bytes) err(1, "send");
}

/* Counts the frames that end in the octets that have come; the server's frames have no mask and are short. */
static int count_frames(struct socket *s, ssize_t came) {
  int frames = 0;
  for (ssize_t at = 0; at < came; at++) {
    s->have++;
    if (s->have == HEAD_BYTES) s->length = received[at] & 0x7f;
    if (s->have >= HEAD_BYTES && s->have == HEAD_BYTES + s->length) {
      frames++;
      s->have = 0;
    }
  }
  return frames;
}

int main(int argc, char **argv) {
  int is_timed = argc == 6 && strcmp(argv[5], "timed") == 0;
  if (argc != 5 && !is_timed) errx(2, "usage: paced PORT SOCKETS EVERY_MS SECONDS [timed]");
  int port = atoi(argv[1]), count = atoi(argv[2]);
  int64_t every_ns = (int64_t)(atof(argv[3]) * 1e6), length_ns = (int64_t)(atof(argv[4]) * 1e9);
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  struct socket *sockets = calloc(count, sizeof *sockets);
  int64_t *latencies_ns = calloc(count * (length_ns / every_ns + 2), sizeof *latencies_ns);
  int poll = epoll_create1(0);
  int64_t start_ns = now_ns(), sent = 0, echoes = 0;
  for (int i = 0; i < count; i++) {
    sockets[i].fd = ask_socket(port);
    if (!is_timed) await_socket(sockets[i].fd);
  }
  /* All sockets have the same time between two messages, so they are due in turn. */
  int64_t begin_ns = now_ns();
  for (int i = 0; i < count; i++) {
    if (is_timed) await_socket(sockets[i].fd);
    sockets[i].first_ns = sockets[i].due_ns = is_timed ? now_ns() : begin_ns + every_ns * i / count;
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = &sockets[i]};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, sockets[i].fd, &wanted) < 0) err(1, "epoll_ctl");
  }
  struct epoll_event events[EVENTS];
  for (int next = 0;;) {
    int64_t time_ns = now_ns(), due_ns;
    for (;;) {
      due_ns = sockets[next].due_ns;
      int64_t end_ns = length_ns + (is_timed ? sockets[next].first_ns : start_ns);
      if (due_ns >= end_ns) due_ns = INT64_MAX;
      if (due_ns > time_ns) break;
      send_message(&sockets[next]);
      sent++;
      sockets[next].due_ns += every_ns;
      next = (next + 1) % count;
    }
    if (due_ns == INT64_MAX && echoes == sent) break;
    int64_t left_ns = due_ns == INT64_MAX ? 1000000000 : due_ns - now_ns();
    if (left_ns < 0) left_ns = 0;
    struct timespec wait = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
    int ready = epoll_pwait2(poll, events, EVENTS, &wait, NULL);
    for (int i = 0; i < ready; i++) {
      struct socket *s = events[i].data.ptr;
      ssize_t came = recv(s->fd, received, READ_BYTES, MSG_DONTWAIT);
      if (came <= 0) err(1, "recv");
      int64_t came_ns = now_ns();
      for (int frames = count_frames(s, came); frames > 0; frames--) {
        latencies_ns[echoes++] = came_ns - (s->first_ns + every_ns * s->echoes++);
      }
    }
  }
  if (!is_timed) return printf("%.2f\n", echoes * 1e9 / length_ns) < 0;
  for (int i = 0; i < echoes; i++) printf("%c%.4f", i == 0 ? '[' : ',', latencies_ns[i] / 1e6);
  printf("]\n");
}
