/** All decoders that are fuzzed, by name. Each is loaded only in its own process. */
import type { Decoder } from "./decoder.ts";

export const decoders: Readonly<Record<string, () => Promise<Decoder>>> = {
  histogram: async () => (await import("./decoders/histogram.ts")).histogram,
  results: async () => (await import("./decoders/results.ts")).results,
  job: async () => (await import("./decoders/job.ts")).job,
  har: async () => (await import("./decoders/foreign.ts")).har,
  artillery: async () => (await import("./decoders/foreign.ts")).artillery,
  k6: async () => (await import("./decoders/foreign.ts")).k6,
  jmeter: async () => (await import("./decoders/foreign.ts")).jmeter,
  log: async () => (await import("./decoders/log.ts")).log,
  csv: async () => (await import("./decoders/csv.ts")).csv,
  experiment: async () => (await import("./decoders/experiment.ts")).experiment,
  response: async () => (await import("./decoders/response.ts")).response,
  http2: async () => (await import("./decoders/http2.ts")).http2,
  hpack: async () => (await import("./decoders/hpack.ts")).hpack,
  like: async () => (await import("./decoders/command_line.ts")).like,
  flags: async () => (await import("./decoders/command_line.ts")).flags,
};
