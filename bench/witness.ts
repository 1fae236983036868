/** Plateau beside a server that counts and times on its side, by another clock and another program. */
import { setTimeout as sleep } from "node:timers/promises";
import { medianOf } from "../runner/stats/quantile.ts";
import { atMost, within } from "./bar.ts";
import type { Bench, Row } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { runPlateau } from "./stage/plateau.ts";
import { startWitness, type Witness } from "./stage/witness.ts";

const ANSWER_MS = 2;
/** What was on its way at the end of a run has come by then. */
const SETTLED_MS = 200;
const MAX_OFF_MS = 0.1;

/** A closed loop asks for much, a rate leaves the server idle when it times. */
const LOADS = { "50 connections": "-c 50", "1,000 a second": "-r 1000/s" };
const DRIVERS = ["epoll", "tcp"] as const;
type Case = `${keyof typeof LOADS}, ${typeof DRIVERS[number]}`;

interface Agreement {
  /** Requests that only one of the two has counted. */
  readonly miscounted: number;
  readonly p50Ms: number;
  readonly witnessP50Ms: number;
}

export const witness: Bench = {
  about: "counts and times beside a server's own",
  rounds: 3,
  async run({ rounds, short }) {
  },
};
