/**
 * The files that every request of a plain closed loop goes through with the epoll driver, in the order of its way: when,
 * which, the exchange, the socket, the response, the record. `hot_path_test.ts` proves the list, and holds it to a budget,
 * as whoever wants to know what a request costs reads it whole.
 */
export const HOT_PATH = [
  "runner/load/engine/pacer.ts",
  "runner/load/engine/request_loop.ts",
  "runner/load/engine/exchanges.ts",
  "runner/load/engine/in_flight.ts",
  "runner/load/protocols/http1/http1.ts",
  "runner/load/transports/epoll_driver.ts",
  "base/http/response.ts",
  "base/http/head.ts",
  "runner/load/recording/recorder.ts",
  "runner/stats/histogram/histogram_counts.ts",
];
