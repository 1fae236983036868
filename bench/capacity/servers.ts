/** Simulated servers, with any speed and for any rule. */
import { FastRandom } from "./fast_random.ts";

/** The speed of a server, and the rule that it has to satisfy. */
export interface Terms {
  /** The server's nominal speed, in requests per second. */
  readonly perSec: number;
  /** Limit of the response time, in seconds; 0: only a refused request breaks the rule. */
  readonly limitS: number;
  /** Share of requests that may break the rule, 0–1. */
  readonly allowed: number;
}

/** A server that is idle at time 0. */
export interface SimulatedServer {
  /**
   * The time, in seconds, at which the response to a request sent at `atS` is complete; Infinity if the request is
   * refused. Must be called in order of `atS`.
   */
  respond(atS: number, random: FastRandom): number;
}

export interface ServerKind {
  readonly name: string;
  /**
   * A formula for the capacity `atS` seconds after the start of the search; null if only a very long simulation can
   * find it.
   */
  readonly capacity: ((terms: Terms, atS: number) => number) | null;
  /** Whether requests arrive at equal intervals; absent: at random (as a Poisson process). */
  readonly isEven?: true;
  /** Throughput in a closed loop, relative to the server's speed; absent: 1. */
  readonly peak?: number;
  /**
   * How far the generator's highest rate may lie above or below the capacity, as a share of the capacity, 0–1; absent:
   * the generator has no limit.
   */
  readonly generatorWithin?: number;
  /** @param fromS Time at which the trial begins, in seconds since the start of the search. */
  start(terms: Terms, fromS: number, random: FastRandom): SimulatedServer;
}

/**
 * One queue, first come, first served. The service time may depend on when service begins and on how long the request
 * has waited.
 */
class OneQueue implements SimulatedServer {
  #freeS = 0;

  constructor(
    private readonly serviceS: (random: FastRandom, begunS: number, waitedS: number) => number,
  ) {}

  respond(atS: number, random: FastRandom): number {
    const begunS = atS > this.#freeS ? atS : this.#freeS;
    return this.#freeS = begunS + this.serviceS(random, begunS, begunS - atS);
  }
}

class SharedQueue implements SimulatedServer {
  readonly #freeS: Float64Array;

  constructor(servers: number, private readonly meanS: number) {
    this.#freeS = new Float64Array(servers);
  }

  respond(atS: number, random: FastRandom): number {
    const free = this.#freeS;
    let first = 0;
    for (let i = 1; i < free.length; i++) if (free[i] < free[first]) first = i;
    const begunS = Math.max(atS, free[first]);
    return free[first] = begunS + random.exponential() * this.meanS;
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

function exponentialQueue({ perSec }: Terms): SimulatedServer {
  const meanS = 1 / perSec;
  return new OneQueue((random) => random.exponential() * meanS);
}

/** The capacity of an M/M/1 queue: the response time is exponential with rate µ − λ. */
function capacityOfMM1({ perSec, limitS, allowed }: Terms): number {
  return perSec - Math.log(1 / allowed) / limitS;
}

/** The root, by bisection, of a function that is positive below the root and negative above it. */
function rootOf(of: (x: number) => number, [low, high]: readonly [number, number]): number {
  let [a, b] = [low, high];
  for (let round = 0; round < 60; round++) {
    const middle = (a + b) / 2;
    if (of(middle) > 0) a = middle;
    else b = middle;
  }
  return (a + b) / 2;
}

/** The rate at which the share of slow requests equals the allowed share. */
function crossingIn({ perSec, allowed }: Terms, shareAt: (ratePerSec: number) => number): number {
  return rootOf((rate) => allowed - shareAt(rate), [perSec * 0.01, perSec * (1 - 1e-9)]);
}

/**
 * The capacity of an M/M/c queue. With the probability given by A. K. Erlang's C formula, a request waits for an
 * exponential time before its service.
 */
function capacityOfMMc(servers: number, terms: Terms): number {
  const { perSec, limitS } = terms;
  const each = perSec / servers;
  return crossingIn(terms, (rate) => {
    const load = rate / each;
    let blocked = 1;
    for (let i = 1; i <= servers; i++) blocked = load * blocked / (i + load * blocked);
    const waits = blocked / (1 - (1 - blocked) * load / servers);
    const left = perSec - rate;
    // Probability that the wait and the independent service time together exceed the limit.
    const both = Math.abs(left - each) < 1e-9 * perSec
      ? (1 + each * limitS) * Math.exp(-each * limitS)
      : (left * Math.exp(-each * limitS) - each * Math.exp(-left * limitS)) / (left - each);
    return (1 - waits) * Math.exp(-each * limitS) + waits * both;
  });
}

/**
 * The capacity of a D/M/1 queue, which has evenly spaced arrivals and exponential service. Response times are
 * exponential with rate µ·(1 − σ), where σ = exp(−µ·(1 − σ)/λ).
 */
function capacityOfDM1(terms: Terms): number {
  const { perSec, limitS } = terms;
  return crossingIn(terms, (rate) => {
    let sigma = 0.5;
    for (let i = 0; i < 5_000; i++) sigma = Math.exp(-perSec * (1 - sigma) / rate);
    return Math.exp(-perSec * (1 - sigma) * limitS);
  });
}

/**
 * The capacity of an M/D/1 queue. The tail of the wait's distribution is C·exp(−θ·t), except for the shortest waits (H.
 * Cramér; W. Feller, 1971).
 */
function capacityOfMD1(terms: Terms): number {
  const { perSec, limitS } = terms;
  const each = 1 / perSec;
  return crossingIn(terms, (rate) => {
    const decay = rootOf((theta) => theta - rate * Math.expm1(theta * each), [
      1e-6 * perSec,
      20 * perSec,
    ]);
    const factor = (1 - rate * each) / (rate * each * Math.exp(decay * each) - 1);
    return factor * Math.exp(-decay * (limitS - each));
  });
}

const SLOW_PHASE = { speed: 0.95, lastsS: 5, everyS: 25 };

function slowAtTimes({ perSec }: Terms, _: number, random: FastRandom): SimulatedServer {
  const { speed, lastsS, everyS } = SLOW_PHASE;
  const phaseS = random.uniform() * everyS;
  const [usualS, slowS] = [1 / perSec, 1 / perSec / speed];
  return new OneQueue((random, begunS) =>
    random.exponential() * ((begunS + phaseS) % everyS < lastsS ? slowS : usualS)
  );
}

const TRIAL_SPEED = 0.02;

/**
 * The capacity of a server whose speed differs between trials, uniformly within 2 % of the mean. In a trial that
 * overloads the server, all requests count as slow.
 */
function capacityOfTrials(terms: Terms): number {
  const { perSec, limitS } = terms;
  const speeds = Array.from({ length: 2_001 }, (_, i) => 1 + TRIAL_SPEED * (i / 1_000 - 1));
  return crossingIn(
    { ...terms, perSec: perSec * (1 + TRIAL_SPEED) },
    (rate) =>
      speeds.reduce(
        (sum, speed) => sum + Math.min(1, Math.exp(-(speed * perSec - rate) * limitS)),
        0,
      ) / speeds.length,
  );
}

/** A server whose service becomes slower the longer a request has waited, up to a wait of 100 service times. */
function retrograde(loss: number): ServerKind["start"] {
  return ({ perSec }) =>
    new OneQueue((random, _, waitedS) =>
      random.exponential() / perSec / (1 - loss * Math.min(1, waitedS * perSec / 100))
    );
}

const METASTABLE = { speed: 0.85, limits: 3 };

/**
 * A server that becomes slow once a request has waited for more than three times the limit, and stays slow until its
 * queue is empty.
 */
function metastable({ perSec, limitS }: Terms): SimulatedServer {
  let isSlow = false;
  return new OneQueue((random, _, waitedS) => {
    isSlow = waitedS > METASTABLE.limits * limitS || (isSlow && waitedS > 0);
    return random.exponential() / perSec / (isSlow ? METASTABLE.speed : 1);
  });
}

const TWO_SPEEDS = { speed: 0.95, meanS: 0.25, elseS: 1 };

function twoSpeeds({ perSec }: Terms, _: number, random: FastRandom): SimulatedServer {
  const { speed, meanS, elseS } = TWO_SPEEDS;
  // The loop below changes the speed before the first request.
  let isSlow = random.uniform() >= meanS / (meanS + elseS);
  let untilS = 0;
  return new OneQueue((random, begunS) => {
    for (; begunS > untilS; isSlow = !isSlow) {
      untilS += random.exponential() * (isSlow ? elseS : meanS);
    }
    return random.exponential() / perSec / (isSlow ? speed : 1);
  });
}

const COLLECTION = { everyS: 0.5, pauseS: 0.008 };

/** The time from the beginning to the end of a service, including pauses of the server. */
function withPauses(begunS: number, workS: number): number {
  const { everyS, pauseS } = COLLECTION;
  const at = begunS % everyS;
  const endS = begunS + (at < pauseS ? pauseS - at : 0) + workS;
  const isPaused = Math.floor(endS / everyS) > Math.floor(begunS / everyS);
  return endS - begunS + (isPaused ? pauseS : 0);
}

/** Share of its speed that the server loses per second: 3.6 % in an hour. */
const DRIFT_PER_S = 0.00001;

function speedAt({ perSec }: Terms, atS: number): number {
  return perSec * (1 - DRIFT_PER_S * atS);
}

/**
 * Standard deviation of the logarithm of the service time. One request in a hundred takes more than 10 times the mean,
 * and one in ten thousand more than 85 times the mean.
 */
const SIGMA = 1.5;
/** Exponent of the tail of the service time. It is just above 2, where the variance would be infinite. */
const ALPHA = 2.2;

/** Queueing models; each is simulated with every speed and rule of `GRID` in bench/capacity.ts. */
export const QUEUES: readonly ServerKind[] = [
  { name: "M/M/1", capacity: capacityOfMM1, start: exponentialQueue },
  {
    name: "M/D/1",
    capacity: capacityOfMD1,
    start: ({ perSec }) => new OneQueue(() => 1 / perSec),
  },
  { name: "D/M/1", isEven: true, capacity: capacityOfDM1, start: exponentialQueue },
  {
    name: "M/M/8",
    capacity: (terms) => capacityOfMMc(8, terms),
    start: ({ perSec }) => new SharedQueue(8, 8 / perSec),
  },
  { name: "5 % slower, 5 s in 25", capacity: null, start: slowAtTimes },
  {
    name: "trials ± 2 %",
    capacity: capacityOfTrials,
    start: (terms, _, random) =>
      exponentialQueue({
        ...terms,
        perSec: terms.perSec * (1 + TRIAL_SPEED * (2 * random.uniform() - 1)),
      }),
  },
  { name: "retrograde, 5 %", capacity: null, start: retrograde(0.05) },
  { name: "retrograde, 20 %", capacity: null, start: retrograde(0.2) },
  { name: "metastable", capacity: null, start: metastable },
  {
    name: "generator near",
    capacity: capacityOfMM1,
    generatorWithin: 0.1,
    start: exponentialQueue,
  },
];

/** Further servers; each is simulated with one rule, at 10,000 requests per second. */
export const OTHERS: readonly (ServerKind & { readonly rule?: Partial<Terms> })[] = [
  {
    name: "token bucket",
    rule: { limitS: 0, allowed: 0.001 },
    peak: 2,
    capacity: ({ perSec, allowed }) => perSec / (1 - allowed),
    start: ({ perSec }) => new TokenBucket(perSec, perSec / 10),
  },
  {
    name: "M/M/16",
    capacity: (terms) => capacityOfMMc(16, terms),
    start: ({ perSec }) => new SharedQueue(16, 16 / perSec),
  },
  {
    name: "no queue",
    isEven: true,
    capacity: ({ perSec }) => perSec,
    start: ({ perSec }) => new OneQueue(() => 1 / perSec),
  },
  {
    name: "GC pauses",
    rule: { limitS: 0.02 },
    capacity: null,
    start: ({ perSec }, _, random) => {
      const phaseS = random.uniform() * COLLECTION.everyS;
      return new OneQueue((random, begunS) =>
        withPauses(begunS + phaseS, random.exponential() / perSec)
      );
    },
  },
  {
    name: "drifting",
    capacity: (terms, atS) => capacityOfMM1({ ...terms, perSec: speedAt(terms, atS) }),
    start: (terms, fromS) =>
      new OneQueue((random, begunS) => random.exponential() / speedAt(terms, fromS + begunS)),
  },
  { name: "two speeds", capacity: null, start: twoSpeeds },
  {
    name: `lognormal, sigma ${SIGMA}`,
    capacity: () => 6_528, // by the Pollaczek–Khinchine formula, on a grid of 5 µs
    start: ({ perSec }) =>
      new OneQueue((random) => Math.exp(SIGMA * random.normal() - SIGMA ** 2 / 2) / perSec),
  },
  {
    name: `Pareto, alpha ${ALPHA}`,
    capacity: () => 8_936, // also by the Pollaczek–Khinchine formula
    start: ({ perSec }) => {
      const leastS = (ALPHA - 1) / ALPHA / perSec;
      // `exponential()` is not used here, because its table lacks the largest values.
      return new OneQueue((random) => leastS * (1 - random.uniform()) ** (-1 / ALPHA));
    },
  },
];
