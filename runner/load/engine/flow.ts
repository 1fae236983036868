/**
 * The journeys of virtual users through a site, prepared for a load: requests (encoded once unless something in them
 * varies), captures, and checks of responses.
 */
import {
  type ConnectionOptions,
  encodeRequest,
  openingOf,
  type WireRequest,
} from "../../../base/http/request.ts";
import { messageOf as messageOfError } from "../../../base/errors.ts";
import type { encodedCall } from "../../../base/grpc/encode_call.ts";
import type { RootType } from "../../../base/grpc/message_types.ts";
import type { ReceivedResponse } from "../../../base/http/received.ts";
import type { CaptureSpec } from "../../../scenarios/request/flow.ts";
import { type ThinkShape, ThinkTimes } from "../../../scenarios/pace/think_times.ts";
import { filledToSend, namesIn } from "../../../scenarios/request/template.ts";
import type { ScriptCode } from "../../../scenarios/code/code.ts";
import type { RequestHooks, UserHooks } from "../../../scenarios/request/script.ts";
import type { Hooks, HookUser, PreparedHooks, PreparedUserHooks } from "../hooks/hooks.ts";
import { takerOf } from "./capture.ts";
import { type FollowSpec, type Redirect, Redirected, redirectOf } from "./user/redirects.ts";
import type { CookieJars, CookieSpec, UserCookies } from "./user/cookies.ts";
import type { Message } from "./protocol.ts";
import { type ResponseCheck, type ResponseExpectation, sharedChecks } from "./response_check.ts";
import type { SocketSpec } from "./sockets/socket_spec.ts";
import type { StreamSpec } from "./streams/stream_spec.ts";

export type Variables = Map<string, string>;

/** A flow as posted to a worker. */
export interface FlowSpec {
  readonly journeys: readonly (readonly StepSpec[])[];
  /** Indexes into `journeys`, for virtual users 0, 1, 2 …; after the last index, the first comes again. */
  readonly sequence: readonly number[];
  /** The target's origin, then the origins to which redirects may lead. */
  readonly origins: readonly OriginSpec[];
  /** The variables of virtual users 0, 1, 2 …; after the last entry, the first comes again. */
  readonly users: readonly Readonly<Record<string, string>>[];
  /**
   * Variables that only one virtual user has, indexed by the user's number within this worker; every session under that
   * number gets the same ones. Absent: there are none.
   */
  readonly own?: readonly Readonly<Record<string, string>>[];
  /** Number of this worker's first user and the distance to its next one: `first`, `first + stride`, … */
  readonly first: number;
  readonly stride: number;
  /** Seed of this worker's random think times. */
  readonly thinkSeed: number;
  /** Whether a user who leaves passes open connections on to the next user. */
  readonly sharedPool: boolean;
  /** Null: users keep no cookies. */
  readonly cookies: CookieSpec | null;
  /** The script whose functions are called for requests and users; absent: there is none. */
  readonly code?: {
    readonly script: ScriptCode;
    readonly seed: number;
    /** Functions that are called for each user; undefined: none. */
    readonly user: UserHooks | undefined;
    /** Memory through which the script's data is renewed during the load; undefined: the data stays the same. */
    readonly fresh: SharedArrayBuffer | undefined;
  };
}

interface OriginSpec {
  readonly origin: string;
  readonly connection: ConnectionOptions;
}

interface ThinkStep {
  readonly kind: "think";
  /** The think time, or its mean if it varies; microseconds. */
  readonly us: number;
  /** The distribution of a varying think time; absent: it is constant. */
  readonly as?: ThinkShape;
}

/** A step as posted to a worker. */
export type StepSpec =
  | ThinkStep
  | {
    readonly kind: "request";
    /** Index of the step among those that are reported separately. */
    readonly step: number;
    /** Null: redirects are treated like any other response. */
    readonly follow: FollowSpec | null;
    readonly wire: WireRequest;
    /** Set if the response is a stream of messages; absent: it is read as a whole. */
    readonly stream?: StreamSpec;
    /**
     * Type of the gRPC messages that are encoded only after values are filled in; absent: the request has no such
     * messages.
     */
    readonly input?: RootType;
    /**
     * Set if the request opens a WebSocket, over which the body of `wire` is sent as messages; absent: it opens none.
     */
    readonly socket?: SocketSpec;
    readonly check: ResponseExpectation | null;
    /** Whether a wrong response ends the session. */
    readonly strict: boolean;
    /** The request may be in flight together with neighbouring steps that also have `beside`. */
    readonly beside?: true;
    readonly captures: readonly CaptureSpec[];
    readonly hooks?: RequestHooks;
  };

type PreparedStep =
  | ThinkStep
  | {
    readonly kind: "request";
    readonly step: number;
    readonly follow: FollowSpec | null;
    readonly wire: WireRequest;
    /** The encoded request; null if something in it varies. */
    readonly message: Message | null;
    readonly stream?: StreamSpec;
    readonly input?: RootType;
    readonly socket?: SocketSpec;
    readonly check: ResponseCheck | null;
    readonly strict: boolean;
    readonly beside?: true;
    readonly captures: readonly Capture[];
    readonly hooks: PreparedHooks;
  };

export type PreparedRequestStep = PreparedStep & { kind: "request" };

interface Capture {
  readonly as: string;
  readonly take: (response: ReceivedResponse) => string | null;
}

/** The encoder of gRPC calls, which is loaded only for journeys that need it. */
export type EncodeCall = typeof encodedCall;

const NO_HOOKS: PreparedHooks = { before: null, after: null };
const NO_USER_HOOKS: PreparedUserHooks = { start: null, end: null };

interface ResponseJudgement {
  /** Why the script failed; null if it did not. */
  readonly failure: string | null;
  /** Whether the response was checked. `right`: whether it passed, or was not checked. */
  readonly checked: boolean;
  readonly right: boolean;
  /** Whether the session continues. */
  readonly goesOn: boolean;
}

/** The steps of a virtual user, and the values that the user brings along. */
export interface Journey {
  readonly steps: readonly PreparedStep[];
  readonly variables: Variables;
  /** Null if the user keeps no cookies. */
  readonly cookies: UserCookies | null;
  readonly redirected: Redirected;
  /** The user as seen by hooks; null if there are no hooks. */
  readonly user: HookUser | null;
  /** The current request as changed by a hook; null if none has changed it. */
  hooked: WireRequest | null;
  /** Whether `message` has been called in this session; its first call also calls the `start` hook, if there is one. */
  hasBegun: boolean;
}

export class Flow {
  readonly sharedPool: boolean;
  /**
   * Whether responses must be kept, because checks, captures, hooks, cookies or redirects read them; "head": without
   * their bodies.
   */
  readonly readsResponses: boolean | "head";
  readonly #journeys: readonly (readonly PreparedStep[])[];
  readonly #origins: readonly string[];
  readonly #thinkTimes: ThinkTimes;
  readonly #user: PreparedUserHooks;
  #nextUser: number;

  constructor(
    private readonly spec: FlowSpec,
    private readonly jars: CookieJars | null = null,
    private readonly hooks: Hooks | null = null,
    private readonly encodeCall: EncodeCall | null = null,
  ) {
    this.#origins = spec.origins.map(({ origin }) => origin);
    const [{ connection }] = spec.origins;
    const checkOf = sharedChecks();
    this.#journeys = spec.journeys.map((steps) =>
      steps.map((step) => step.kind === "think" ? step : prepare(step, connection, hooks, checkOf))
    );
    const user = spec.code?.user;
    this.#user = user && hooks ? hooks.preparedUser(user) : NO_USER_HOOKS;
    this.sharedPool = spec.sharedPool;
    const readsBodies = this.#journeys.flat().some((step) =>
      step.kind === "request" &&
      (step.captures.length > 0 || step.hooks.after !== null || (step.check?.readsBody ?? false))
    );
    const readsHeads = jars !== null ||
      this.#journeys.flat().some((step) => step.kind === "request" && step.follow !== null);
    this.readsResponses = readsBodies || (readsHeads && "head");
    this.#thinkTimes = new ThinkTimes(spec.thinkSeed);
    this.#nextUser = spec.first;
  }

  /** @param number The virtual user's number among this worker's users. */
  nextJourney(number: number): Journey {
    const { users, own, sequence, stride } = this.spec;
    const user = this.#nextUser;
    this.#nextUser += stride;
    const variables = new Map(Object.entries(users[user % users.length]));
    if (own !== undefined) {
      for (const name in own[number]) {
        variables.set(name, own[number][name]);
      }
    }
    return {
      steps: this.#journeys[sequence[user % sequence.length]],
      variables,
      cookies: this.jars?.open() ?? null,
      redirected: new Redirected(),
      user: this.hooks && { number, isNew: true, news: new Map(variables), variables },
      hooked: null,
      hasBegun: false,
    };
  }

  /** Whether a hook runs before a user's first request is sent. Such a hook can run even before the user arrives. */
  get hasEarlyHooks(): boolean {
    return this.#user.start !== null ||
      this.#journeys.some(([first]) => first.kind === "request" && first.hooks.before !== null);
  }

  thinkUs({ us, as }: ThinkStep): number {
    return as === undefined ? us : this.#thinkTimes.take(us, as);
  }

  /** The moment at which a message made at `nowUs` can be sent: when the last hook ended, if that was later. */
  readyUs(nowUs: number): number {
    return Math.max(nowUs, this.hooks?.endedUs ?? nowUs);
  }

  /** Time spent in hooks so far, microseconds. */
  get hookTimeUs(): number {
    return this.hooks?.timeUs ?? 0;
  }

  /** The request to send, or a string that says why it could not be made. */
  message(step: PreparedRequestStep, journey: Journey): Message | string {
    const { redirected, cookies, user } = journey;
    if (!journey.hasBegun) {
      journey.hasBegun = true;
      const failure = user && this.#user.start?.(user);
      if (failure) return failure;
    }
    if (step.hooks.before !== null && user !== null && redirected.wire === null) {
      journey.hooked = null;
      const wire = step.hooks.before(user, sentBy(step, journey));
      if (typeof wire === "string") return wire;
      journey.hooked = wire;
    }
    const filled = sentBy(step, journey);
    const { origin, connection } = this.spec.origins[redirected.origin];
    const wire = cookies === null || cookies.isEmpty ? filled : cookies.added(filled, origin);
    if (wire === step.wire && step.message !== null) return step.message;
    const encoded = this.#encoded(wire, step);
    return typeof encoded === "string" ? encoded : messageOf(encoded, connection, step);
  }

  /** The request with its gRPC messages encoded, or a string that says why a value does not fit a message. */
  #encoded(wire: WireRequest, { input }: PreparedRequestStep): WireRequest | string {
    if (input === undefined || this.encodeCall === null) return wire;
    try {
      return this.encodeCall(wire, input);
    } catch (error) {
      return messageOfError(error);
    }
  }

  /** Calls the `end` hook, if there is one and the session has begun. Returns why the hook failed, or null. */
  end({ user, hasBegun }: Journey): string | null {
    return user !== null && hasBegun ? this.#user.end?.(user) ?? null : null;
  }

  /** Checks the response, and keeps its cookies and captured values for the rest of the journey. */
  judge(
    step: PreparedRequestStep,
    response: ReceivedResponse,
    journey: Journey,
  ): ResponseJudgement {
    const { variables, cookies, redirected, user } = journey;
    const { origin } = redirected;
    cookies?.keep(response, () => this.#origins[origin] + sentBy(step, journey).path);
    if (step.follow !== null) {
      const next = redirectOf(response, { wire: sentBy(step, journey), origin }, this.#origins);
      if (next !== null) return this.#redirect(next, step.follow, redirected);
    }
    redirected.begin();
    const right = step.check?.passes(response) ?? true;
    const taken = step.captures.every(({ as, take }) => {
      const value = take(response);
      if (value !== null) {
        variables.set(as, value);
        user?.news.set(as, value);
      }
      return value !== null;
    });
    const failure = user === null ? null : step.hooks.after?.(user, response) ?? null;
    journey.hooked = null;
    const checked = step.check !== null || step.captures.length > 0;
    const goesOn = failure === null && taken && (right || !step.strict);
    return { failure, checked, right: right && taken, goesOn };
  }

  /**
   * Follows a redirect, or judges it wrong if it leads to a host that the experiment does not name, to something that
   * is not an HTTP(S) URL, or beyond the limit of redirects.
   */
  #redirect(next: Redirect, { most }: FollowSpec, redirected: Redirected): ResponseJudgement {
    if (!("wire" in next) || redirected.hops >= most) {
      return { failure: null, checked: true, right: false, goesOn: false };
    }
    redirected.hops++;
    redirected.wire = next.wire;
    redirected.origin = next.origin;
    return { failure: null, checked: false, right: true, goesOn: true };
  }
}

/** The current request: the one that a redirect led to, else the one that a hook has made, else that of the step. */
export function sentBy(
  { wire, message }: PreparedRequestStep,
  { redirected, variables, hooked }: Journey,
): WireRequest {
  return redirected.wire ?? hooked ?? (message === null ? filledToSend(wire, variables) : wire);
}

function prepare(
  spec: StepSpec & { kind: "request" },
  connection: ConnectionOptions,
  all: Hooks | null,
  checkOf: ReturnType<typeof sharedChecks>,
): PreparedRequestStep {
  const { step, follow, wire, stream, socket, input, check, strict, beside, captures, hooks } =
    spec;
  const message = namesIn(wire).length > 0 ? null : messageOf(wire, connection, spec);
  return {
    kind: "request",
    step,
    follow,
    wire,
    message,
    ...stream && { stream },
    ...input && { input },
    ...socket && { socket },
    check: checkOf(check),
    strict,
    ...beside && { beside },
    captures: captures.map((capture) => ({ as: capture.as, take: takerOf(capture) })),
    hooks: hooks && all ? all.prepared(hooks, message && wire) : NO_HOOKS,
  };
}

function messageOf(
  wire: WireRequest,
  connection: ConnectionOptions,
  { step, stream, socket }: {
    readonly step: number;
    readonly stream?: StreamSpec;
    readonly socket?: SocketSpec;
  },
): Message {
  if (socket !== undefined) {
    const { bytes, payload } = openingOf(wire, connection);
    return { bytes, head: false, step, socket: { spec: socket, payload } };
  }
  const bytes = encodeRequest(wire, connection);
  return { bytes, head: wire.method === "HEAD", step, ...stream && { stream } };
}
