/** Servers that redirect, and loads that follow them. */
import { NO_FILES } from "../../base/files.ts";
import type { Access } from "../../base/net/endpoint.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import type { Certificate } from "../certificates.ts";
import { type Need, testWith } from "../needs.ts";

export interface Site extends AsyncDisposable {
  readonly origin: string;
  /** Requests as they came: `POST /a body`. */
  readonly seen: string[];
  /** Their header fields. */
  readonly fields: Headers[];
  /** Ports of its clients, each once. */
  readonly clients: Set<number>;
}

/** `/to?status=303&path=/end` redirects; `/loop` to itself; `/away` to another port. */
export function site(certificate?: Certificate): Site {
  const seen: string[] = [];
  const fields: Headers[] = [];
  const clients = new Set<number>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...certificate },
    async (request, { remoteAddr }) => {
      clients.add(remoteAddr.port);
      const url = new URL(request.url);
      const given = new Headers(request.headers);
      given.set("host", url.host); // which over HTTP/2 is none of them (RFC 9113 §8.3.1)
      fields.push(given);
      const type = request.headers.get("content-type") ?? "";
      const text = [request.method, url.pathname, await request.text(), type];
      seen.push(text.join(" ").trim());
      const redirect = (status: number, location: string): Response =>
        new Response(null, {
          status,
          headers: { location: inUtf8(location), "set-cookie": `via=${status}; Path=/` },
        });
      if (url.pathname === "/loop") return redirect(302, "/loop");
      if (url.pathname === "/away") return redirect(302, "http://127.0.0.1:9/elsewhere");
      if (url.pathname === "/to") {
        return redirect(Number(url.searchParams.get("status")), url.searchParams.get("path") ?? "");
      }
      return new Response(`at ${url.pathname}, ${request.headers.get("cookie")}`);
    },
  );
  return {
    origin: `http${certificate ? "s" : ""}://127.0.0.1:${server.addr.port}`,
    ...{ seen, fields, clients },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

export function made(scenario: object): Script {
  return scriptOf(scenarioSpecWith(NO_FILES).parse(scenario), 1);
}

interface Way {
  readonly driver: DriverName;
  readonly http2?: true;
}

type Run = (way: Way) => Promise<void>;

/** A test for each driver. */
export const everyDriver = {
  test(name: string, run: Run, others: readonly Need[] = []): void {
    for (const driver of ["epoll", "tcp"] as const) {
      const needs = driver === "epoll" ? ["linux", ...others] as const : others;
      testWith(needs, `${name} (${driver})`, () => run({ driver }));
    }
  },
};

/** A test for each driver over each protocol. */
export const everyProtocol = {
  test(name: string, run: Run, others: readonly Need[] = []): void {
    everyDriver.test(name, run, others);
    everyDriver.test(
      `${name}, over HTTP/2`,
      ({ driver }) => run({ driver, http2: true }),
      others,
    );
  },
};

/** So many, however long a busy machine takes for them. */
const REQUESTS = 200;

export async function measured(
  { origin }: Pick<Site, "origin">,
  script: Script,
  { driver, ...http2 }: Way,
  { kind = "closed", access = {} }: {
    readonly kind?: "closed" | "phases";
    readonly access?: Access;
  } = {},
): Promise<Measurement> {
  const loader = new LocalLoader();
  const common = { connections: 2, timeout: 20_000, keepAlive: true, workers: 1, ...http2 };
  const load = loadOf(
    kind === "closed" ? { ...common, requests: REQUESTS } : {
      ...common,
      phases: [{ durationUs: 300_000, fromPerSec: 20, toPerSec: 20 }],
    },
  );
  try {
    return await measureLoad({
      ...{ origin, script, load, driver, ...access },
      ...{ seed: 1, intervalMs: 100, logPath: null, implicitCheck: true },
    }, { loader, onProgress: () => {}, signal: new AbortController().signal });
  } finally {
    await loader.close();
  }
}

export const countOf = (seen: readonly string[], text: string): number =>
  seen.filter((one) => one === text).length;

/** Its octets as characters, as the values of headers are given. */
function inUtf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
