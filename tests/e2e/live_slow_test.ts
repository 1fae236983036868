import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { LiveStatus, PageEvent, PointsEvent } from "../../report/render/html/live_status.ts";
import { toldOf } from "../cli/command_line.ts";
import { emptyFolder, exits, Plateau, plateau } from "./plateau.ts";

const SMALL = join(import.meta.dirname ?? "", "fixtures/small.yaml");

interface Told {
  readonly status: LiveStatus[];
  readonly page: PageEvent[];
  readonly points: PointsEvent[];
}

/** Somebody who looks at the page until its end. */
class Reader {
  readonly told: Told = { status: [], page: [], points: [] };
  /** What each page was when it was told of; the last one is there when the stream has ended. */
  readonly pages: string[] = [];

  constructor(private readonly url: string) {}

  /** @param onTold Looks at everything that was told. */
  async read(onTold: (told: Told) => void = () => {}): Promise<void> {
    const { body, headers } = await fetch(new URL("events", this.url));
    assert.equal(headers.get("content-type"), "text/event-stream");
    assert.ok(body);
    let text = "";
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + part).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) await this.#take(block);
      onTold(this.told);
    }
  }

  async #take(block: string): Promise<void> {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    assert.ok(name === "status" || name === "page" || name === "points", block);
    const event = JSON.parse(data);
    this.told[name].push(event);
    if (name === "status" || name === "points") return;
    const answer = await fetch(this.url);
    this.pages.push(await answer.text());
    const headers = { origin: new URL(this.url).origin };
    const shown = await fetch(new URL("shown", this.url), {
      ...{ method: "POST", headers, body: event.receipt },
    });
    assert.equal(shown.status, 204);
  }
}

function urlOf(program: Plateau): Promise<string> {
  return program.prints(/^Live report {2}(http:\/\/127\.0\.0\.1:\d+\/)$/m).then(([, url]) => url);
}

function policyOf(page: string): string {
  return /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1].replaceAll("&#39;", "'") ??
    "";
}

function mainOf(page: string): string {
  const main = /<main.*<\/main>/s.exec(page)?.[0] ?? "";
  // The saved page has its client within.
  return main.replaceAll(/<script.*?<\/script>/gs, "").replaceAll(/\n+/g, "\n");
}

/** What listens there, or why nothing does. */
function dialed(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve) => {
    socket.on("connect", () => resolve("somebody listens")).on("error", ({ message }) => {
      resolve(message);
    });
  }).then((found) => {
    socket.destroy();
    return String(found);
  });
}

Deno.test("the live report tells of every run, ends as the file, and nothing listens afterwards", async () => {
  using folder = emptyFolder();
  await using program = new Plateau(["run", SMALL, "--live", "--out", folder.path]);
  const url = await urlOf(program);
  const reader = new Reader(url);
  await reader.read();
  const { stdout, stderr } = await exits(0, program.ended);
  assert.equal(stderr.match(/^Live report/gm)?.length, 1);
  assert.doesNotMatch(stdout, /Live report/);

  const { status, page } = reader.told;
  // Who looks late has not been told of what was before.
  const done = new Set(status.map(({ done }) => done));
  assert.deepEqual([...done].filter((runs) => runs > 0), [1, 2, 3, 4], "each run that ended");
  assert.ok(status.some(({ text }) => /^Run 2 of 4: (static|validation), api, run 1$/.test(text)));
  assert.ok(status.some(({ leftMs }) => leftMs !== null && leftMs > 0));
  const file = join(folder.path, "report.html");
  assert.equal(status.at(-1)?.text, `Done: this page no longer changes. It is saved as ${file}`);
  // How many pages there were before the last depends on how long one takes to render.
  assert.ok((page.at(-1)?.page ?? 0) > page[0].page);

  const report = readFileSync(file, "utf8");
  const final = reader.pages.at(-1) ?? "";
  assert.equal(mainOf(final), mainOf(report));
  assert.match(policyOf(final), /; connect-src 'self'; /);
  const quiet = policyOf(report);
  assert.match(
    quiet,
    /^default-src 'none'; script-src 'sha256-[^' ]+' 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; img-src data:; base-uri 'none'; form-action 'none'$/,
  );
  assert.ok(!report.includes('id="live"') && !report.includes("EventSource"));
  assert.match(await dialed(url), /ECONNREFUSED/);
});

Deno.test("the intervals of a run come while it loads, long before it is over", async () => {
  using folder = emptyFolder();
  const args = ["run", SMALL, "--live", "--duration", "60s", "--quiet", "--out", folder.path];
  await using program = new Plateau(args);
  const reader = new Reader(await urlOf(program));
  let isKilled = false;
  await reader.read(({ points }) => {
    if (isKilled || points.flatMap((event) => event.points).length < 4) return;
    isKilled = true;
    program.kill("SIGINT");
  });
  assert.equal((await program.ended).code, 130);
  const { points: events, status } = reader.told;
  assert.ok(status.every(({ done }) => done === 0));
  assert.deepEqual(events.map(({ isNew }) => isNew), events.map((_, i) => i === 0));
  const points = events.flatMap((event) => event.points);
  assert.deepEqual(points.slice(0, 4).map(({ endMs }) => endMs), [250, 500, 750, 1_000]);
  assert.ok(points.some(({ rate, p99 }) => (rate.value ?? 0) > 0 && (p99.value ?? 0) > 0));
});

Deno.test("ctrl-c ends the live report, too, and the page says what there is", async () => {
  using folder = emptyFolder();
  const args = ["run", SMALL, "--live", "--duration", "20s", "--quiet", "--out", folder.path];
  await using program = new Plateau(args);
  const url = await urlOf(program);
  const reader = new Reader(url);
  let isKilled = false;
  await reader.read(({ status }) => {
    if (isKilled || !status.some(({ text }) => text.startsWith("Run 1"))) return;
    isKilled = true;
    program.kill("SIGINT");
  });
  assert.equal((await program.ended).code, 130);
  assert.match(
    reader.told.status.at(-1)?.text ?? "",
    /^Interrupted after 0 of 4 runs: .*report\.html$/,
  );
  assert.match(mainOf(reader.pages.at(-1) ?? ""), /Interrupted: 0 of 4 planned runs are done/);
  assert.match(await dialed(url), /ECONNREFUSED/);
});

Deno.test("a page is there before the first run, at this machine's own names alone", async () => {
  using folder = emptyFolder();
  const args = ["run", SMALL, "--live", "--duration", "20s", "--out", folder.path];
  await using program = new Plateau(args);
  const url = await urlOf(program);
  const { host, port } = new URL(url);
  const answers = await Promise.all(
    [host, `localhost:${port}`, `evil.example:${port}`, "127.0.0.1", ""].map((name) =>
      raw(Number(port), `GET / HTTP/1.1\r\nhost: ${name}\r\nconnection: close\r\n\r\n`)
    ),
  );
  const statuses = answers.map((answer) => Number(answer.split(" ")[1]));
  assert.deepEqual(statuses.slice(0, 4), [200, 200, 403, 200]);
  assert.notEqual(statuses[4], 200);
  assert.match(answers[0], /To be measured<\/dt><dd>api in static \(GET \/static\), validation/);
  assert.match(answers[0], /cross-origin-resource-policy: same-origin/i);
  assert.doesNotMatch(answers[0], /access-control/i);
});

/** All that is answered to the text of a request. */
function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  let text = "";
  return new Promise((resolve, reject) => {
    socket.setEncoding("utf8").on("data", (part) => text += part);
    socket.on("end", () => resolve(text)).on("error", reject);
  });
}

Deno.test("nobody who looks and says nothing holds the experiment up for long", async () => {
  using folder = emptyFolder();
  const args = ["run", SMALL, "--live", "--repeat", "1", "--only", "scenario=static"];
  await using program = new Plateau([...args, "--out", folder.path]);
  const url = await urlOf(program);
  const silent = await fetch(new URL("events", url));
  const { code, stderr } = await program.ended;
  await silent.body?.cancel().catch(() => {});
  assert.equal(code, 0, stderr);
});

Deno.test("a failed threshold has its exit code with a live report", async () => {
  using folder = emptyFolder();
  const args = ["run", SMALL, "--live", "--repeat", "1", "--only", "scenario=static"];
  const gate = ["--threshold", "rate > 999999999/s", "--out", folder.path];
  assert.equal((await plateau([...args, ...gate])).code, 1);
});

Deno.test("a port that is taken is told, with exit code 3, and one without --live is refused", async () => {
  using folder = emptyFolder();
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr as Deno.NetAddr;
  const args = ["run", SMALL, "--out", folder.path];
  const { stderr } = await exits(3, [...args, "--live", "--live-port", String(port)]);
  assert.match(stderr, /Cannot listen on 127\.0\.0\.1:\d+: the port is in use/);
  assert.deepEqual(await toldOf(["run", SMALL, "--live-port", "80"]), [
    "--live-port: Cannot set the port of a live report without --live (add --live, or leave out --live-port)",
  ]);
});
