/**
 * A visitor's way through a site, ready to be walked: requests encoded once where nothing in them
 * varies, what is captured from an answer, and what makes it right.
 */
import { type Connection, encodeRequest } from "../http/request.ts";
import type { ResponseReader } from "../http/response.ts";
import type { WireRequest } from "../../scenarios/request.ts";
import { fillIn, namesIn } from "../../scenarios/template.ts";
import { AnswerCheck, type Check } from "./answer_check.ts";

export type Variables = Map<string, string>;

/** Where in an answer a value is taken from, and the name that it gets. */
export interface CaptureSpec {
  readonly as: string;
  /** Members and indexes from the top of a JSON body; or a header's name; or a pattern with one group over the body. */
  readonly from:
    | { readonly kind: "json"; readonly path: readonly string[] }
    | { readonly kind: "header"; readonly name: string }
    | { readonly kind: "pattern"; readonly source: string };
}

/** A flow as posted to a worker. */
export interface FlowSpec {
  readonly steps: readonly StepSpec[];
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

export class Flow {
  readonly steps: readonly FlowStep[];
  readonly sharedPool: boolean;
  #nextVisitor: number;

  constructor(private readonly spec: FlowSpec) {
    this.steps = spec.steps.map((step) =>
      step.kind === "think" ? step : prepare(step, spec.connection)
    );
    this.sharedPool = spec.sharedPool;
    this.#nextVisitor = spec.first;
  }

  /** Whether answers must be kept to be judged. */
  get readsAnswers(): boolean {
    return this.steps.some((step) =>
      step.kind === "request" && (step.captures.length > 0 || (step.check?.readsBody ?? false))
    );
  }

  /** The values that the next visitor brings along. */
  newVariables(): Variables {
    const { visitors, stride } = this.spec;
    const visitor = visitors[this.#nextVisitor % visitors.length];
    this.#nextVisitor += stride;
    return new Map(Object.entries(visitor));
  }

  requestAt(step: number): RequestStep {
    const request = this.steps[step];
    if (request?.kind !== "request") throw new Error(`Step ${step} of the flow is no request`);
    return request;
  }

  encode({ wire, bytes }: RequestStep, variables: Variables): Uint8Array<ArrayBuffer> {
    return bytes ?? encodeRequest(fillIn(wire, variables), this.spec.connection);
  }

  /** Checks the answer and takes what is captured from it into `variables`. */
  judge(at: number, reader: ResponseReader, variables: Variables): Judgement {
    const step = this.requestAt(at);
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
    captures: captures.map((capture) => ({ as: capture.as, take: takerOf(capture.from) })),
  };
}

function takerOf(from: CaptureSpec["from"]): Capture["take"] {
  if (from.kind === "header") return (reader) => reader.kept?.field(from.name) ?? null;
  if (from.kind === "json") return (reader) => jsonAt(bodyText(reader), from.path);
  const pattern = new RegExp(from.source);
  return (reader) => pattern.exec(bodyText(reader))?.[1] ?? null;
}

function bodyText(reader: ResponseReader): string {
  return new TextDecoder().decode(reader.kept?.body());
}

/** The value as text; objects and lists as JSON. Null when it isn't there or the text is no JSON. */
function jsonAt(text: string, path: readonly string[]): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null;
    value = Reflect.get(value, key);
  }
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
