/** `plateau versus` reaches its verdict on servers that run. */
import assert from "node:assert/strict";
import { join } from "node:path";
import * as z from "zod";
import { calibratedCache } from "./caches.ts";
import { emptyFolder, exits } from "./plateau.ts";
import { serverOf } from "./working_server.ts";

const comparison = z.object({
  cells: z.array(z.object({
    figures: z.object({ rate: z.object({ ratio: z.number() }) }),
  })).length(1),
});

Deno.test("versus calls a server worse that needs many times the CPU", async () => {
  using folder = emptyFolder();
  const env = calibratedCache(folder.path);
  await using fast = await serverOf(folder.path, { rounds: 30_000 });
  await using slow = await serverOf(folder.path, { rounds: 240_000 });
  const json = join(folder.path, "versus.json");
  const html = join(folder.path, "versus.html");
  // Without a verdict it goes on, so that a machine that halts has its time.
  const [csv, hlog] = ["versus.csv", "versus.hlog"].map((name) => join(folder.path, name));
  const files = ["--json", json, "--html", html, "--csv", csv, "--hlog", hlog];
  const flags = ["-c", "4", ...files];
  const { stdout } = await exits(1, ["versus", fast.url, slow.url, ...flags], { env });
  assert.match(stdout, /: worse$/m);
  const { cells: [{ figures: { rate } }] } = comparison.parse(
    JSON.parse(Deno.readTextFileSync(json)),
  );
  assert.ok(rate.ratio < 0.8, `${rate.ratio}`);
  assert.match(Deno.readTextFileSync(html), /<title>/);
  const rounds = Deno.readTextFileSync(csv).trimEnd().split("\r\n").slice(1);
  assert.ok(rounds.length >= 8, "four rounds of each at the first look");
  assert.equal(rounds.filter((row) => /\bbase\b/.test(row)).length, rounds.length / 2);
  assert.match(Deno.readTextFileSync(hlog), /^Tag=base\//m);
});
