/** What a person sees in a terminal while Plateau measures, and what stays when it is over. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { needing } from "../needs.ts";
import { COMMAND, emptyFolder, plateau } from "./plateau.ts";
import { Terminal } from "./terminal.ts";
import { startWitness, type Witness } from "./witness.ts";

const withTmux = needing("tmux");

/** Only what is asked for, and the caches: neither CI nor NO_COLOR of those who test. */
function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", HOME = "", ...others } = Deno.env.toObject();
  const caches = Object.fromEntries(
    ["DENO_DIR", "XDG_CACHE_HOME"].filter((name) => name in others)
      .map((name) => [name, others[name]]),
  );
  return { PATH, HOME, ...caches, LANG: "C.UTF-8", ...more };
}

/** It leaves the processor to those who look. */
function serve(): Witness {
  return startWitness({ delayMs: 5 });
}

function benchOf({ origin }: Witness, ...args: string[]): string[] {
  return [...COMMAND, "bench", origin, "-c", "2", "-w", "1", ...args];
}

function runOf(out: string, duration: string): string[] {
  const file = join(import.meta.dirname ?? "", "fixtures/paced.yaml");
  return [...COMMAND, "run", file, "--repeat", "1", "--duration", duration, "--out", out];
}

/** What the live view alone says. */
const LIVE = /% CPU, up to .* late|Latency of the last|s left$/m;

withTmux.test("bench shows live figures, and Ctrl-C leaves its result alone on the screen", async () => {
  await using server = serve();
  await using terminal = new Terminal(benchOf(server, "-d", "60s"), environment());
  await terminal.shows(/^Latency of the last/m);
  await terminal.shows(/^━*─+ {2}\d+ %, [\d.]+ s of 1 min, \d+ (?:s|min) left$/m);
  await terminal.shows(/^Requests\/s +[\d,]+ +[\d,]+ .*[▁-█]$/m);
  await terminal.shows(/^p99 +[\d.]+ [mµ]?s +[\d.]+ [mµ]?s .*[▁-█]$/m);
  await terminal.shows(/^http:\/\/127\.0\.0\.1:\d+\/\n━/m);
  await terminal.shows(/^Generator +1 worker, \d+ % CPU, up to [\d.]+ [mµ]?s late$/m);
  await terminal.press("C-c");
  const after = await terminal.shows(/^[\d,.]+\/s · p50 .* · p99 .* · 0 failed · /m, {
    past: true,
  });
  assert.match(after, /^Status codes\n.*\n200 +[\d,]+$/m);
  assert.doesNotMatch(after, LIVE);
  assert.match(after, /^http:\/\/127\.0\.0\.1:\d+\/\n/);
  assert.ok(await terminal.isCursorShown());
});

interface Resized {
  /** With what has left it at the top. */
  readonly smaller: string;
  /** The screen when it had become so narrow that lines of the view broke. */
  readonly narrow: string;
  /** The same, where the broken lines took more rows than the screen has: its first rows have left it at the top. */
  readonly low: string;
}

/** The view has at most 38 rows: in as many as these it has room when all of its lines are broken in two. */
const HIGH = 80;

async function resized(server: Witness): Promise<Resized> {
  await using terminal = new Terminal(benchOf(server, "-d", "1h"), environment());
  await terminal.shows(/^Latency of the last/m);
  await terminal.resize(100, HIGH);
  await terminal.resize(80, HIGH);
  const smaller = await terminal.shows(/^━*─{30,40} {2}\d+ %, .*left\nRequests/m, { past: true });
  await terminal.resize(60, HIGH);
  const narrow = await terminal.shows(/^━*─{1,29} {2}\d+ %, .*left\nRequests/m);
  await terminal.resize(120, 24);
  await terminal.shows(/^━*─{38,40} {2}\d+ %, .*left\nRequests/m);
  await terminal.resize(60, 24);
  const low = await terminal.shows(/^━*─{1,29} {2}\d+ %, .*left\nRequests/m);
  return { smaller, narrow, low };
}

function isClean({ smaller, narrow, low }: Resized): boolean {
  const hasOneView = [smaller, narrow, low].every((text) =>
    text.match(/^Requests\/s/mg)?.length === 1
  );
  const fits = [narrow, low].every((text) => text.split("\n").every((line) => line.length <= 57));
  return hasOneView && fits;
}

/** A view that is being drawn at the very moment in which the window narrows leaves rests. */
const MOST_TRIES = 4;

withTmux.test("the live view keeps to the window, however that changes", async () => {
  await using server = serve();
  let seen = await resized(server);
  for (let tries = 1; tries < MOST_TRIES && !isClean(seen); tries++) seen = await resized(server);
  assert.ok(isClean(seen), `${seen.smaller}\n${seen.narrow}\n${seen.low}`);
});

withTmux.test("run leaves a line for each run and the summary, and nothing of the live view", async () => {
  using folder = emptyFolder();
  await using terminal = new Terminal(runOf(folder.path, "2s"), environment());
  await terminal.shows(/^[━─]+ {2}\d+ %, run \d+ of \d+.*\n.* of 2 s, repetition 1$/m);
  const after = await terminal.shows(/^Report +\S+report\.html$/m, { past: true });
  for (const run of [1, 2]) {
    assert.match(after, new RegExp(`^\\[${run}/2\\] .* requests/s, p50 `, "m"));
  }
  assert.doesNotMatch(after, LIVE);
});

withTmux.test("the live view has colours, but not with --no-color, and is ASCII without UTF-8", async () => {
  await using server = serve();
  await using coloured = new Terminal(benchOf(server, "-d", "60s"), environment());
  await coloured.shows(/\[36m[▁-█]/, { styles: true });
  const ascii = environment({ LANG: "C" });
  await using plain = new Terminal(benchOf(server, "-d", "60s", "--no-color"), ascii);
  assert.match(await plain.shows(/Latency of/, { styles: true }), /^[\n\x20-\x7e]+$/);
});

withTmux.test("nobody watches in CI, a dumb terminal can't go back, NO_COLOR is plain text: a line for each run instead", async () => {
  using folder = emptyFolder();
  for (const [name, value] of [["CI", "true"], ["TERM", "dumb"], ["NO_COLOR", "1"]]) {
    const command = runOf(join(folder.path, name), "300ms");
    await using terminal = new Terminal(command, environment({ [name]: value }));
    await terminal.shows(/^\[1\/\d+\] .* \(\d.* left\)$/m);
  }
});

Deno.test("a pipe gets no escape", async () => {
  await using server = serve();
  const args = benchOf(server, "-d", "300ms").slice(COMMAND.length);
  const { stdout, stderr } = await plateau(args, { env: { NO_COLOR: "" } });
  assert.ok(!(stdout + stderr).includes("\x1b"));
});
