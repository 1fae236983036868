/** A collector on this machine, which responds as it is told and keeps what it was asked. */
import assert from "node:assert/strict";
import { readArguments } from "../../cli/command_line/arguments.ts";
import { type Collector, outputFlags } from "../../cli/flags/output_flags.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** What a collector responds with, to one request after the other; the last one to all others. */
type Answers = readonly ((asked: Asked) => Response | Promise<Response>)[];

export interface Listening extends AsyncDisposable {
  readonly origin: string;
  readonly asked: readonly Asked[];
}

export function startCollector(...answers: Answers): Listening {
  const asked: Asked[] = [];
  const over = new AbortController();
  const where = { hostname: "127.0.0.1", port: 0, signal: over.signal, onListen: () => {} };
  const server = Deno.serve(where, async (request) => {
    const { method, url, headers } = request;
    const one = {
      method,
      path: url.slice(new URL(url).origin.length),
      headers,
      body: await request.text(),
    };
    asked.push(one);
    return await answers[Math.min(asked.length, answers.length) - 1](one);
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    asked,
    async [Symbol.asyncDispose](): Promise<void> {
      over.abort();
      await server.finished;
    },
  };
}
/** As `--otlp` has it. @param headers Of the environment. */
export function collectorOf(text: string, headers?: string): Collector {
  const name = "OTEL_EXPORTER_OTLP_HEADERS";
  const before = Deno.env.get(name);
  if (headers === undefined) Deno.env.delete(name);
  else Deno.env.set(name, headers);
  try {
    const spec = { parts: outputFlags, run: () => Promise.resolve(0) };
    const read = readArguments(spec, { name: "bench", summary: "" }, ["--otlp", text]);
    assert.ok(read.wants === "values" && read.values.otlp !== undefined);
    return read.values.otlp;
  } finally {
    if (before === undefined) Deno.env.delete(name);
    else Deno.env.set(name, before);
  }
}
