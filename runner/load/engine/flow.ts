/**
 * The ways of visitors through a site, ready to be walked: requests encoded once where nothing in them
 * varies, what is captured from an answer, and what makes it right.
 */
import { type Connection, encodeRequest, type WireRequest } from "../../../base/http/request.ts";
import type { ResponseReader } from "../../../base/http/response.ts";
import type { CaptureSpec } from "../../../scenarios/request/flow.ts";
import { fillTemplate, namesIn } from "../../../scenarios/request/template.ts";
import { takerOf } from "./capture.ts";
import { AnswerCheck, type Check } from "./response_check.ts";

export type Variables = Map<string, string>;

/** A flow as posted to a worker. */
export interface FlowSpec {
  readonly ways: readonly (readonly StepSpec[])[];
  /** Which way visitor 0, 1, 2 … takes, as indexes into `ways`, round and round. */
  readonly sequence: readonly number[];
  readonly connection: Connection;
  /** What visitor 0, 1, 2 … brings along, round and round. */
  readonly visitors: readonly Readonly<Record<string, string>>[];
  /** This worker's visitors are `first`, `first + stride`, … */
  readonly first: number;
  readonly stride: number;
  /** Whether a connection serves one visitor after the other. */
  readonly sharedPool: boolean;
}

/** A step as posted to a worker. */
export type StepSpec =
  | { readonly kind: "think"; readonly us: number }
  | {
    readonly kind: "request";
    readonly wire: WireRequest;
    readonly check: Check | null;
    /** Whether a wrong answer ends the session. */
    readonly strict: boolean;
    readonly captures: readonly CaptureSpec[];
  };

export type FlowStep =
  | { readonly kind: "think"; readonly us: number }
  | {
    readonly kind: "request";
    readonly wire: WireRequest;
    readonly head: boolean;
    /** The request itself where nothing in it varies. */
    readonly bytes: Uint8Array<ArrayBuffer> | null;
    readonly check: AnswerCheck | null;
    readonly strict: boolean;
    readonly captures: readonly Capture[];
  };

export type RequestStep = FlowStep & { kind: "request" };

interface Capture {
  readonly as: string;
  readonly take: (reader: ResponseReader) => string | null;
}

export interface Judgement {
  /** Whether anything was expected of the answer, and whether it was so. */
  readonly checked: boolean;
  readonly right: boolean;
  /** Whether the session does. */
  readonly goesOn: boolean;
}

/** What a visitor is going to do, and the values that he brings along. */
export interface Visit {
  readonly steps: readonly FlowStep[];
  readonly variables: Variables;
}

export class Flow {
  readonly sharedPool: boolean;
  /** Whether answers must be kept to be judged. */
  readonly readsAnswers: boolean;
  readonly #ways: readonly (readonly FlowStep[])[];
  #nextVisitor: number;

  constructor(private readonly spec: FlowSpec) {
    this.#ways = spec.ways.map((way) =>
      way.map((step) => step.kind === "think" ? step : prepare(step, spec.connection))
    );
    this.sharedPool = spec.sharedPool;
    this.readsAnswers = this.#ways.flat().some((step) =>
      step.kind === "request" && (step.captures.length > 0 || (step.check?.readsBody ?? false))
    );
    this.#nextVisitor = spec.first;
  }

  nextVisit(): Visit {
    const { visitors, sequence, stride } = this.spec;
    const visitor = this.#nextVisitor;
    this.#nextVisitor += stride;
    return {
      steps: this.#ways[sequence[visitor % sequence.length]],
      variables: new Map(Object.entries(visitors[visitor % visitors.length])),
    };
  }

  encode({ wire, bytes }: RequestStep, variables: Variables): Uint8Array<ArrayBuffer> {
    return bytes ?? encodeRequest(fillTemplate(wire, variables), this.spec.connection);
  }

  /** Checks the answer and takes what is captured from it into `variables`. */
  judge(step: RequestStep, reader: ResponseReader, variables: Variables): Judgement {
    const right = step.check?.passes(reader) ?? true;
    const taken = step.captures.every(({ as, take }) => {
      const value = take(reader);
      if (value !== null) variables.set(as, value);
      return value !== null;
    });
    const checked = step.check !== null || step.captures.length > 0;
    return { checked, right: right && taken, goesOn: taken && (right || !step.strict) };
  }
}

function prepare(spec: StepSpec & { kind: "request" }, connection: Connection): RequestStep {
  const { wire, check, strict, captures } = spec;
  return {
    kind: "request",
    wire,
    head: wire.method === "HEAD",
    bytes: namesIn(wire).length > 0 ? null : encodeRequest(wire, connection),
    check: check && new AnswerCheck(check),
    strict,
    captures: captures.map((capture) => ({ as: capture.as, take: takerOf(capture) })),
  };
}
