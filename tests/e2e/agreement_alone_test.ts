/**
 * Plateau beside wrk, on the same nginx: two generators that share no code must see the same server.
 */
import assert from "node:assert/strict";
import { measurement } from "../../runner/result/result.ts";
import { findProgram, needing } from "../needs.ts";
import { startPacedNginx } from "./nginx.ts";
import { plateau } from "./plateau.ts";

const withNginxAndWrk = needing("nginx", "wrk");

const MAX_ROUNDS = 12;
const MAX_DIFFERENCE_RATIO = 0.05;
/**
 * So slow that all 50 requests stand in line for 200 ms: who is held up for less misses no turn. Those in
 * line at the end are 20 % of a second's, so that it shows who counts them.
 */
const PACE_PER_SEC = 250;

async function wrkRatePerSec(url: string): Promise<number> {
  const { stdout } = await new Deno.Command(findProgram("wrk") ?? "wrk", {
    args: ["-t1", "-c50", "-d1s", url],
  }).output();
  const [, rate] = /Requests\/sec:\s+([\d.]+)/.exec(new TextDecoder().decode(stdout)) ?? [];
  return Number(rate);
}

async function plateauRatePerSec(url: string): Promise<number> {
  const { stdout } = await plateau(["bench", url, "-c", "50", "-d", "1s", "--json", "-"]);
  return measurement.parse(JSON.parse(stdout)).rate;
}

/** Requests that a generator left behind keep their turns, of which the next one would have fewer. This one's is the last. */
async function lineEnds(url: string): Promise<void> {
  await (await fetch(url)).text();
}

withNginxAndWrk.test("bench and wrk measure the same rate of an nginx within 5 %", async () => {
  await using nginx = await startPacedNginx(PACE_PER_SEC);
  const rates = { wrk: [] as number[], plateau: [] as number[] };
  // The fastest of each, in turns: whatever else the machine does only ever takes away, and more
  // rounds make up for a second in which it did.
  const differenceRatio = () => Math.max(...rates.plateau) / Math.max(...rates.wrk) - 1;
  do {
    await lineEnds(nginx.origin);
    rates.wrk.push(await wrkRatePerSec(nginx.origin));
    await lineEnds(nginx.origin);
    rates.plateau.push(await plateauRatePerSec(nginx.origin));
  } while (Math.abs(differenceRatio()) > MAX_DIFFERENCE_RATIO && rates.wrk.length < MAX_ROUNDS);
  const found = `${differenceRatio()}: ${JSON.stringify(rates)}`;
  assert.ok(Math.abs(differenceRatio()) <= MAX_DIFFERENCE_RATIO, found);
});
