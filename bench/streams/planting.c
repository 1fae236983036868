/*
 * A server whose times are planted and known. It sends each message when the plan says, within some microseconds,
 * because it spins through the last part of a wait. It notes when everything came, by the kernel's stamp on each packet
 * that arrives, and when it was sent: so neither the plan nor the notes contain the time for which this process waits
 * for its core.
 *
 * It speaks server-sent events and WebSockets, which it echoes, over HTTP/1.1, and streams of gRPC over HTTP/2, whatever
 * the path or method. Requests have no body, and a client's frames have at most 125 octets.
 *
 * planting MESSAGES FIRST_MS GAPS_MS DELAY_MS DIES_AFTER FREEZE_FROM_MS FREEZE_MS
 *
 * A stream has MESSAGES, the first after FIRST_MS, the others after the gaps (50,50,200), round and round. A message on a
 * WebSocket is echoed after DELAY_MS. A stream or WebSocket that has sent DIES_AFTER messages dies instead of sending the next;
 * with -1 none does. FREEZE_FROM_MS after the first request the server sends nothing for FREEZE_MS. It prints its port, ends
 * with its standard input, and then prints its notes as JSON.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 1024, READ_BYTES = 1 << 16, MOST_GAPS = 64, TEXT_BYTES = 512, MS = 1000000 };
/* A sleep may end this much too late, so the last part of each wait is spent spinning. */
enum { SPUN_NS = 300000 };

static struct {
  int messages, dies_after, gaps;
  int64_t first_ns, delay_ns, freeze_from_ns, freeze_ns;
  /* From the first message to the message behind each gap. */
  int64_t sums_ns[MOST_GAPS];
} plan;

/* The time by the clock with which the kernel stamps packets. */
static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

struct connection {
  int fd;
  enum { HTTP, SOCKET, CALLS } speaks;
  /* Whether it has died: it sends nothing more, but reads on, because a reset would discard what it has sent before. */
  int is_dead;
  size_t used;
  unsigned char in[READ_BYTES];
};

/* A message on a WebSocket that is to be echoed. */
struct echo { int64_t came_ns; int length; unsigned char frame[2 + 125]; };

/* A stream of messages, or a WebSocket. */
struct stream {
  /* Null once nothing more is sent. */
  struct connection *on;
  /* Number of the stream in HTTP/2. */
  uint32_t id;
  int has_died, is_socket;
  int64_t asked_ns;
  int sent;
  int64_t *sent_ns;
  /* Messages that have come on a WebSocket; the first `sent` of them are echoed. */
  int came;
  struct echo *echoes;
};

static struct connection *connections[CONNECTIONS];
static int connected;
static struct stream **streams;
static int begun;

static void *room(void *old, size_t count, size_t bytes) {
  void *new = reallocarray(old, count, bytes);
  if (new == NULL) err(1, "reallocarray");
  return new;
}

static struct stream *begin(struct connection *c, uint32_t id, int64_t asked_ns) {
  struct stream *s = calloc(1, sizeof *s);
  if (s == NULL) err(1, "calloc");
  *s = (struct stream){.on = c, .id = id, .is_socket = c->speaks == SOCKET, .asked_ns = asked_ns};
  streams = room(streams, begun + 1, sizeof *streams);
  return streams[begun++] = s;
}

static void say(struct connection *c, const void *bytes, size_t length) {
  if (!c->is_dead) send(c->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT); /* whether the peer has gone, reads show */
}

/* Moments of the plan. */

/* The moment itself or, if it lies in the freeze, the end of the freeze. */
static int64_t thawed(int64_t ns) {
  int64_t from_ns = streams[0]->asked_ns + plan.freeze_from_ns, to_ns = from_ns + plan.freeze_ns;
  return ns >= from_ns && ns < to_ns ? to_ns : ns;
}

/* When the next message of a stream is due; INT64_MAX: none is. */
static int64_t due_ns(const struct stream *s) {
  if (s->on == NULL) return INT64_MAX;
  if (s->is_socket) return s->sent < s->came ? thawed(s->echoes[s->sent].came_ns + plan.delay_ns) : INT64_MAX;
  int64_t rounds = s->sent / plan.gaps, rest = s->sent % plan.gaps;
  int64_t since_ns = rounds * plan.sums_ns[plan.gaps - 1] + (rest == 0 ? 0 : plan.sums_ns[rest - 1]);
  return thawed(s->asked_ns + plan.first_ns + since_ns);
}

/* What is sent. */

static const char EVENTS_HEAD[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
static const char EVENTS_END[] = "0\r\n\r\n";

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, PING = 6, END_STREAM = 1, ACK = 1, FRAME_HEAD = 9, PREFACE_BYTES = 24 };
/* Frames of HTTP/2, in which the number of the stream is filled in at STREAM_AT. */
enum { STREAM_AT = 5 };
static const unsigned char CALL_HEAD[] = "\0\0\x14\1\4....\x88\x0f\x10\x10" "application/grpc";
static const unsigned char CALL_END[] = "\0\0\x0f\1\5....\0\x0b" "grpc-status" "\1" "0";
/* A message with one number, which is its last octet, in field 2. */
static const unsigned char CALL_MESSAGE[] = "\0\0\x07\0\0....\0\0\0\0\2\x10\0";
static const unsigned char EMPTY_SETTINGS[] = "\0\0\0\4\0\0\0\0", SETTINGS_ACK[] = "\0\0\0\4\1\0\0\0";

/* @param last Replaces the last octet, unless it is negative. */
static void say_frame(struct stream *s, const unsigned char *frame, size_t length, int last) {
  unsigned char out[64];
  memcpy(out, frame, length);
  memcpy(out + STREAM_AT, &s->id, sizeof s->id);
  if (last >= 0) out[length - 1] = last;
  say(s->on, out, length);
}

static void say_head(struct stream *s) {
  if (s->on->speaks == CALLS) say_frame(s, CALL_HEAD, sizeof CALL_HEAD - 1, -1);
  else say(s->on, EVENTS_HEAD, sizeof EVENTS_HEAD - 1);
}

static void say_message(struct stream *s) {
  if (s->is_socket) return say(s->on, s->echoes[s->sent].frame, s->echoes[s->sent].length);
  if (s->on->speaks == CALLS) return say_frame(s, CALL_MESSAGE, sizeof CALL_MESSAGE - 1, s->sent & 0x7f);
  char event[64], chunk[96];
  int bytes = snprintf(event, sizeof event, "id: %d\ndata: %d\n\n", s->sent, s->sent);
  bytes = snprintf(chunk, sizeof chunk, "%x\r\n%s\r\n", bytes, event);
  say(s->on, chunk, bytes);
}

static void end_whole(struct stream *s) {
  if (s->on->speaks == CALLS) say_frame(s, CALL_END, sizeof CALL_END - 1, -1);
  else say(s->on, EVENTS_END, sizeof EVENTS_END - 1);
  s->on = NULL;
}

static void die(struct stream *s) {
  shutdown(s->on->fd, SHUT_WR);
  s->on->is_dead = 1;
  s->has_died = 1;
  s->on = NULL;
}

/* Sends all that is due; returns the moment at which more will be due. */
static int64_t send_due(void) {
  int64_t next_ns = INT64_MAX;
  for (int i = 0; i < begun; i++) {
    struct stream *s = streams[i];
    int64_t at_ns;
    while ((at_ns = due_ns(s)) <= now_ns()) {
      if (s->sent == plan.dies_after) {
        die(s);
        continue;
      }
      s->sent_ns = room(s->sent_ns, s->sent + 1, sizeof *s->sent_ns);
      s->sent_ns[s->sent] = now_ns();
      say_message(s);
      s->sent++;
      if (!s->is_socket && s->sent == plan.messages) end_whole(s);
    }
    if (at_ns < next_ns) next_ns = at_ns;
  }
  return next_ns;
}

/* The handshake of WebSockets (RFC 6455 §4.2.2). */

static uint32_t turned(uint32_t word, int by) { return word << by | word >> (32 - by); }

/* SHA-1 (FIPS 180-4) of a text that fits into two blocks. */
static void hash(const char *text, unsigned char digest[20]) {
  unsigned char blocks[128] = {0};
  size_t length = strlen(text), bytes = length < 56 ? 64 : 128;
  uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, w[80];
  memcpy(blocks, text, length);
  blocks[length] = 0x80;
  blocks[bytes - 2] = length * 8 >> 8;
  blocks[bytes - 1] = length * 8;
  for (size_t at = 0; at < bytes; at += 64) {
    for (int i = 0; i < 16; i++) {
      const unsigned char *o = blocks + at + 4 * i;
      w[i] = (uint32_t)o[0] << 24 | o[1] << 16 | o[2] << 8 | o[3];
    }
    for (int i = 16; i < 80; i++) w[i] = turned(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 80; i++) {
      uint32_t f = i < 20 ? ((b & c) | (~b & d)) + 0x5a827999
        : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
        : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
        : (b ^ c ^ d) + 0xca62c1d6;
      uint32_t sum = turned(a, 5) + f + e + w[i];
      e = d, d = c, c = turned(b, 30), b = a, a = sum;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
  }
  for (int i = 0; i < 20; i++) digest[i] = h[i / 4] >> (24 - i % 4 * 8);
}

static void accept_socket(struct connection *c, const char *key) {
  static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char digest[21] = {0};
  char text[TEXT_BYTES], accepted[29];
  snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
  hash(text, digest);
  for (int i = 0; i < 28; i++) {
    const unsigned char *o = digest + i / 4 * 3;
    uint32_t three = o[0] << 16 | o[1] << 8 | o[2];
    accepted[i] = LETTERS[three >> (18 - i % 4 * 6) & 63];
  }
  strcpy(accepted + 27, "="); /* the last group lacks an octet */
  int bytes = snprintf(text, sizeof text,
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", accepted);
  say(c, text, bytes);
}

/* Input. Each function takes whole parts from the front of `in`, and returns how many octets these have. */

static struct stream *open_on(const struct connection *c) {
  for (int i = begun - 1; i >= 0; i--) if (streams[i]->on == c) return streams[i];
  return NULL;
}

static size_t take_request(struct connection *c, int64_t came_ns) {
  unsigned char *end = memmem(c->in, c->used, "\r\n\r\n", 4);
  if (end == NULL || open_on(c) != NULL) return 0;
  *end = 0;
  const char *key = strcasestr((char *)c->in, "\r\nsec-websocket-key:");
  if (key == NULL) say_head(begin(c, 0, came_ns));
  else {
    key = strchr(key, ':') + 1;
    c->speaks = SOCKET;
    begin(c, 0, came_ns);
    accept_socket(c, key + strspn(key, " "));
  }
  return end + 4 - c->in;
}

enum { MASK_AT = 2, PAYLOAD_AT = 6, TEXT = 1, CLOSE = 8, LAST = 0x80 };

static size_t take_message(struct connection *c, int64_t came_ns) {
  unsigned char *in = c->in, length = in[1] & 0x7f;
  if (c->used < PAYLOAD_AT || c->used < (size_t)PAYLOAD_AT + length) return 0;
  if (length > 125) errx(1, "a message is too long");
  struct echo echo = {.came_ns = came_ns, .length = 2 + length, .frame = {in[0], length}};
  for (int i = 0; i < length; i++) echo.frame[2 + i] = in[PAYLOAD_AT + i] ^ in[MASK_AT + i % 4];
  struct stream *s = open_on(c);
  if (in[0] == (LAST | CLOSE)) say(c, echo.frame, echo.length);
  else if (in[0] == (LAST | TEXT) && s != NULL) {
    s->echoes = room(s->echoes, s->came + 1, sizeof *s->echoes);
    s->echoes[s->came++] = echo;
  }
  return PAYLOAD_AT + length;
}

static size_t take_frame(struct connection *c, int64_t came_ns) {
  unsigned char *in = c->in;
  if (c->used < FRAME_HEAD) return 0;
  size_t length = in[0] << 16 | in[1] << 8 | in[2];
  if (FRAME_HEAD + length > READ_BYTES) errx(1, "a frame is too long");
  if (c->used < FRAME_HEAD + length) return 0;
  unsigned char type = in[3], flags = in[4];
  uint32_t id;
  memcpy(&id, in + STREAM_AT, sizeof id);
  if (type <= HEADERS && flags & END_STREAM) say_head(begin(c, id, came_ns));
  if (type == RST_STREAM) {
    for (int i = 0; i < begun; i++) if (streams[i]->on == c && streams[i]->id == id) streams[i]->on = NULL;
  }
  if (type == SETTINGS && !(flags & ACK)) say(c, SETTINGS_ACK, sizeof SETTINGS_ACK);
  if (type == PING && !(flags & ACK)) {
    in[4] = ACK;
    say(c, in, FRAME_HEAD + length);
  }
  return FRAME_HEAD + length;
}

static size_t take_part(struct connection *c, int64_t came_ns) {
  if (c->is_dead) return c->used;
  if (c->speaks == SOCKET) return take_message(c, came_ns);
  if (c->speaks == CALLS) return take_frame(c, came_ns);
  if (c->used < PREFACE_BYTES) return 0;
  if (memcmp(c->in, "PRI * ", 6) != 0) return take_request(c, came_ns);
  c->speaks = CALLS;
  say(c, EMPTY_SETTINGS, sizeof EMPTY_SETTINGS);
  return PREFACE_BYTES;
}

static void take_all(struct connection *c, int64_t came_ns) {
  for (size_t taken; c->used > 0 && (taken = take_part(c, came_ns)) > 0;) {
    c->used -= taken;
    memmove(c->in, c->in + taken, c->used);
  }
}

/* Reads what has come on a connection; false if its peer has gone. */
static int hear(struct connection *c) {
  char control[CMSG_SPACE(sizeof(struct timespec))];
  struct iovec into = {.iov_base = c->in + c->used, .iov_len = READ_BYTES - c->used};
  struct msghdr message = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t came = recvmsg(c->fd, &message, MSG_DONTWAIT);
  if (came < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
  if (came <= 0) return 0;
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  if (head == NULL || head->cmsg_type != SCM_TIMESTAMPNS) errx(1, "the kernel has not stamped a packet");
  struct timespec stamp; /* where several packets waited, of the last */
  memcpy(&stamp, CMSG_DATA(head), sizeof stamp);
  c->used += came;
  take_all(c, stamp.tv_sec * 1000000000LL + stamp.tv_nsec);
  return 1;
}

static void leave(int at) {
  struct connection *c = connections[at];
  for (int i = 0; i < begun; i++) if (streams[i]->on == c) streams[i]->on = NULL;
  close(c->fd);
  free(c);
  connections[at] = connections[--connected];
}

static void admit(int listener) {
  int fd = accept(listener, NULL, NULL);
  if (fd < 0) return;
  if (connected == CONNECTIONS) errx(1, "too many connections");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  struct connection *c = calloc(1, sizeof *c);
  if (c == NULL) err(1, "calloc");
  c->fd = fd;
  connections[connected++] = c;
}

/* Begin and end. */

static int listen_anywhere(void) {
  struct sockaddr_in at = {.sin_family = AF_INET};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof at;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  /* Accepted sockets inherit this option, so that even their first packet has a stamp. */
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &(int){1}, sizeof(int));
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, length) < 0 || listen(fd, 4096) < 0) err(1, "listen");
  if (getsockname(fd, (struct sockaddr *)&at, &length) < 0) err(1, "getsockname");
  printf("%d\n", ntohs(at.sin_port));
  fflush(stdout);
  return fd;
}

static int64_t ns_of(const char *ms) { return (int64_t)(atof(ms) * MS); }

static void read_plan(char **argv) {
  int64_t sum_ns = 0;
  plan.messages = atoi(argv[1]);
  plan.first_ns = ns_of(argv[2]);
  for (char *gap = strtok(argv[3], ","); gap != NULL; gap = strtok(NULL, ",")) {
    if (plan.gaps == MOST_GAPS) errx(2, "too many gaps");
    plan.sums_ns[plan.gaps++] = sum_ns += ns_of(gap);
  }
  if (plan.gaps == 0) errx(2, "no gap");
  plan.delay_ns = ns_of(argv[4]);
  plan.dies_after = atoi(argv[5]);
  plan.freeze_from_ns = ns_of(argv[6]);
  plan.freeze_ns = ns_of(argv[7]);
}

static double ms_since(int64_t ns, int64_t start_ns) { return (double)(ns - start_ns) / MS; }

static void print_notes(int64_t start_ns) {
  printf("[");
  for (int i = 0; i < begun; i++) {
    struct stream *s = streams[i];
    printf("%s{\"askedMs\":%.4f,\"died\":%s,\"sentMs\":[", i ? "," : "", ms_since(s->asked_ns, start_ns), s->has_died ? "true" : "false");
    for (int k = 0; k < s->sent; k++) printf("%s%.4f", k ? "," : "", ms_since(s->sent_ns[k], start_ns));
    printf("],\"cameMs\":[");
    for (int k = 0; s->is_socket && k < s->sent; k++) printf("%s%.4f", k ? "," : "", ms_since(s->echoes[k].came_ns, start_ns));
    printf("]}");
  }
  printf("]\n");
}

int main(int argc, char **argv) {
  if (argc != 8) errx(2, "usage: planting MESSAGES FIRST_MS GAPS_MS DELAY_MS DIES_AFTER FREEZE_FROM_MS FREEZE_MS");
  read_plan(argv);
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  int64_t start_ns = now_ns();
  int listener = listen_anywhere();
  static struct pollfd watched[2 + CONNECTIONS];
  for (;;) {
    int64_t left_ns = send_due() - now_ns() - SPUN_NS;
    if (left_ns < 0) left_ns = 0;
    if (left_ns > 1000000000) left_ns = 1000000000;
    watched[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    watched[1] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (int i = 0; i < connected; i++) watched[2 + i] = (struct pollfd){.fd = connections[i]->fd, .events = POLLIN};
    int count = connected;
    struct timespec wait = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
    if (ppoll(watched, 2 + count, &wait, NULL) <= 0) continue;
    if (watched[0].revents) break;
    /* From the last one on, because the last connection takes the place of one that leaves. */
    for (int i = count - 1; i >= 0; i--) if (watched[2 + i].revents && !hear(connections[i])) leave(i);
    if (watched[1].revents) admit(listener);
  }
  print_notes(start_ns);
}
