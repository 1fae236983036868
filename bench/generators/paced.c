/*
 * The bare paced loop: how late a machine lets anybody send. One thread, one epoll, arrivals evenly spaced; each is
 * sent when it is due, on the connection that has been idle for longest, or as soon as one is. It waits as Plateau
 * does (to the microsecond, spinning through the last 25) and reads no response but for its bytes.
 *
 * paced PORT CONNECTIONS RATE SECONDS; prints lag in microseconds: p50, p99 and max, then p99 of each 250 ms.
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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 1024, READ_BYTES = 256 * 1024, LONGEST_US = 1 << 20, INTERVALS = 1024 };
static const int64_t SPUN_NS = 25000, SLICE_NS = 100000, INTERVAL_NS = 250000000;

static char request[128];
static int request_bytes;
static char response[READ_BYTES];
static uint32_t all[LONGEST_US], part[LONGEST_US];
static double interval_p99_us[INTERVALS];

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static double percentile_us(const uint32_t *counts, int64_t count, double share) {
  int64_t rank = (int64_t)(count * share);
  for (int us = 0; us < LONGEST_US; us++)
    if ((rank -= counts[us]) < 0) return us;
  return LONGEST_US;
}

static int dial(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) err(1, "connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  return fd;
}

/* The scheduler's slices of Plateau's thread (sched_setattr, since Linux 6.12); older kernels ignore them. */
static void take_short_slices(void) {
  struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t runtime, deadline, period; }
    slices = {.size = 48, .runtime = SLICE_NS};
  syscall(SYS_sched_setattr, 0, &slices, 0);
}

int main(int argc, char **argv) {
  if (argc != 5) errx(2, "usage: paced PORT CONNECTIONS RATE SECONDS");
  int port = atoi(argv[1]), connections = atoi(argv[2]);
  double gap_ns = 1e9 / atof(argv[3]);
  int64_t length_ns = atoi(argv[4]) * 1000000000LL;
  request_bytes = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port);
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  take_short_slices();

  int *idle = calloc(connections, sizeof *idle), poll = epoll_create1(0);
  for (int i = 0; i < connections; i++) {
    idle[i] = dial(port);
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLET, .data.fd = idle[i]};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, idle[i], &wanted) < 0) err(1, "epoll_ctl");
  }

  int64_t oldest = 0, idle_count = connections, sent = 0, in_part = 0;
  int64_t start_ns = now_ns() + 5000000, time_ns = start_ns, interval = 0, due_ns = start_ns, max_us = 0;
  struct epoll_event events[EVENTS];
  while (time_ns < start_ns + length_ns) {
    for (time_ns = now_ns(); idle_count > 0 && due_ns <= time_ns; time_ns = now_ns()) {
      int fd = idle[oldest];
      oldest = (oldest + 1) % connections;
      idle_count--;
      int64_t lag_us = (time_ns - due_ns) / 1000;
      if (lag_us > max_us) max_us = lag_us;
      if (lag_us >= LONGEST_US) lag_us = LONGEST_US - 1;
      for (; time_ns >= start_ns + (interval + 1) * INTERVAL_NS && interval < INTERVALS - 1; interval++) {
        interval_p99_us[interval] = percentile_us(part, in_part, 0.99);
        memset(part, 0, sizeof part);
        in_part = 0;
      }
      all[lag_us]++;
      part[lag_us]++;
      in_part++;
      sent++;
      if (send(fd, request, request_bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != request_bytes) err(1, "send");
      due_ns = start_ns + (int64_t)(sent * gap_ns);
    }
    int64_t left_ns = idle_count > 0 ? due_ns - time_ns : 100000000;
    struct timespec wait = {.tv_nsec = left_ns > SPUN_NS ? (left_ns > 999999999 ? 999999999 : left_ns) : 0};
    int ready = epoll_pwait2(poll, events, EVENTS, &wait, NULL);
    for (int i = 0; i < ready; i++) {
      if (recv(events[i].data.fd, response, sizeof response, MSG_DONTWAIT) <= 0) err(1, "recv");
      idle[(oldest + idle_count++) % connections] = events[i].data.fd;
    }
  }
  printf("%.0f %.0f %ld %ld\n", percentile_us(all, sent, 0.5), percentile_us(all, sent, 0.99), max_us, sent);
  for (int i = 0; i < interval; i++) printf("%.0f ", interval_p99_us[i]);
  printf("\n");
}
