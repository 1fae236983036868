/** Simulated servers whose capacity is known. */
import { Random } from "../statistics/random.ts";

/** One server, idle at 0 s. */
interface SimulatedServer {
  /** When a request that comes at `atS` is done; Infinity when it is refused. Moments come in order. */
  respond(atS: number, random: Random): number;
}

export interface ServerModel {
  readonly name: string;
  /** Requests that take longer miss the rule, seconds; 0 where only refused ones do. */
  readonly limitS: number;
  /** Share that may. */
  readonly allowed: number;
  /** Closed-loop throughput, about. */
  readonly peakPerSec: number;
  /** By a formula, at that moment of the search; null: by a very long simulation. */
  readonly knownPerSec: ((atS: number) => number) | null;
  /** Whether it has the bar of coverage alone: its shares rise too gently for 2 % in the time of the others. */
  readonly isHeavyTailed?: true;
  /** @param fromS Moment of the search at which the trial begins. */
  start(fromS: number, random: Random): SimulatedServer;
}

/** One queue, and one or more that serve it. */
class SimulatedQueue implements SimulatedServer {
  readonly #freeS: Float64Array;

  constructor(servers: number, private readonly serviceS: (random: Random, atS: number) => number) {
    this.#freeS = new Float64Array(servers);
  }

  respond(atS: number, random: Random): number {
    const free = this.#freeS;
    let first = 0;
    for (let i = 1; i < free.length; i++) if (free[i] < free[first]) first = i;
    const begunS = Math.max(atS, free[first]);
    return free[first] = begunS + this.serviceS(random, begunS);
  }
}

class TokenBucket implements SimulatedServer {
  #tokens: number;
  #atS = 0;

  constructor(private readonly perSec: number, private readonly burst: number) {
    this.#tokens = burst;
  }

  respond(atS: number): number {
    this.#tokens = Math.min(this.burst, this.#tokens + (atS - this.#atS) * this.perSec);
    this.#atS = atS;
    if (this.#tokens < 1) return Infinity;
    this.#tokens--;
    return atS;
  }
}

const PER_SEC = 10_000;
const P99 = { limitS: 0.01, allowed: 0.01, peakPerSec: PER_SEC, knownPerSec: null };
const REFUSED = 0.001;

/** Exponential service: the response time of M/M/1 is exponential, too, at the rate that is left over. */
function capacityOfMM1(perSec: number): number {
  return perSec - Math.log(1 / P99.allowed) / P99.limitS;
}

function exponential(random: Random): number {
  return random.exponential() / PER_SEC;
}

/** Of the logarithm: a request in a hundred takes 11 × the mean, one in ten thousand 86 ×. */
const SIGMA = 1.5;

function lognormal(random: Random): number {
  return Math.exp(SIGMA * random.normal() - SIGMA ** 2 / 2) / PER_SEC;
}

/** Just above 2, below which the variance is infinite. */
const ALPHA = 2.2;

function pareto(random: Random): number {
  const least = (ALPHA - 1) / ALPHA / PER_SEC;
  return least * Math.exp(random.exponential() / ALPHA);
}

const COLLECTION = { everyS: 0.5, pauseS: 0.008 };

/** Service time, and the pauses that fall into it. */
function withPauses(begunS: number, workS: number): number {
  const { everyS, pauseS } = COLLECTION;
  const at = begunS % everyS;
  const endS = begunS + (at < pauseS ? pauseS - at : 0) + workS;
  const isPaused = Math.floor(endS / everyS) > Math.floor(begunS / everyS);
  return endS - begunS + (isPaused ? pauseS : 0);
}

/** Of its speed, in a second: 3.6 % in an hour. */
const DRIFT_PER_S = 0.00001;

function speedAt(atS: number): number {
  return PER_SEC * (1 - DRIFT_PER_S * atS);
}

const SLOW = { speed: 0.95, meanS: 0.25, elseS: 1 };

function twoSpeeds(random: Random): (atS: number) => number {
  const { speed, meanS, elseS } = SLOW;
  let isSlow = random.uniform() < meanS / (meanS + elseS);
  let untilS = 0;
  return (atS) => {
    for (; atS > untilS; isSlow = !isSlow) {
      untilS += random.exponential() * (isSlow ? elseS : meanS);
    }
    return PER_SEC * (isSlow ? speed : 1);
  };
}

export const SERVERS: readonly ServerModel[] = [
  {
    ...P99,
    name: "M/M/1",
    knownPerSec: () => capacityOfMM1(PER_SEC),
    start: () => new SimulatedQueue(1, exponential),
  },
  { ...P99, name: "M/D/1", start: () => new SimulatedQueue(1, () => 1 / PER_SEC) },
  {
    ...P99,
    name: "M/M/8",
    start: () => new SimulatedQueue(8, (random) => 8 * exponential(random)),
  },
  {
    name: "token bucket",
    limitS: 0,
    allowed: REFUSED,
    peakPerSec: 2 * PER_SEC,
    knownPerSec: () => PER_SEC / (1 - REFUSED),
    start: () => new TokenBucket(PER_SEC, PER_SEC / 10),
  },
  {
    ...P99,
    name: "GC pauses",
    limitS: 0.02,
    start: (_, random) => {
      const phaseS = random.uniform(0, COLLECTION.everyS);
      return new SimulatedQueue(
        1,
        (random, atS) => withPauses(atS + phaseS, exponential(random)),
      );
    },
  },
  {
    ...P99,
    name: "drifting",
    knownPerSec: (atS) => capacityOfMM1(speedAt(atS)),
    start: (fromS) =>
      new SimulatedQueue(1, (random, atS) => random.exponential() / speedAt(fromS + atS)),
  },
  {
    ...P99,
    name: "bistable",
    start: (_, random) => {
      const perSec = twoSpeeds(random);
      return new SimulatedQueue(1, (random, atS) => random.exponential() / perSec(atS));
    },
  },
  {
    ...P99,
    name: `lognormal, sigma ${SIGMA}`,
    knownPerSec: () => 6_528, // by the formula of F. Pollaczek and A. Y. Khinchine, on a grid of 5 µs
    isHeavyTailed: true,
    start: () => new SimulatedQueue(1, lognormal),
  },
  {
    ...P99,
    name: `Pareto, alpha ${ALPHA}`,
    knownPerSec: () => 8_936, // as above
    isHeavyTailed: true,
    start: () => new SimulatedQueue(1, pareto),
  },
];
