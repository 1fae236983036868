/// <reference lib="deno.worker" />
/**
 * A worker isolate: for each job, it prepares, reports that it is ready, starts at the agreed moment, posts each
 * interval as it ends and the totals at the end, and waits for the next job.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { TargetError } from "../../../base/errors.ts";
import { withEngine } from "../../../base/pattern.ts";
import { takeSlicesOf } from "../../../base/system/affinity.ts";
import { type Moment, momentUs, monotonicClock, stepUsOf } from "../../../base/system/clock.ts";
import { ownThread } from "../../../base/system/thread_time.ts";
import { hasTls } from "../../../base/net/endpoint.ts";
import type { HookUse } from "../../result/hooks.ts";
import type { TlsUse } from "../../result/tls.ts";
import type { ExchangeParts, Exchanges } from "../engine/exchanges.ts";
import { Flow, type FlowSpec } from "../engine/flow.ts";
import type { Hooks } from "../hooks/hooks.ts";
import { type Job, largestRequestBytes, slotsOf, socketsIn, streamsIn } from "../engine/job.ts";
import { pacerOf } from "../engine/pacers.ts";
import type { ProtocolOf } from "../engine/protocol.ts";
import { RequestLoop, RequestScript } from "../engine/request_loop.ts";
import { SessionLoop } from "../engine/session_loop.ts";
import { BusyPeriods } from "../recording/busy_periods.ts";
import type { IntervalPart, OnInterval } from "../recording/intervals.ts";
import { Recorder } from "../recording/recorder.ts";
import { Slices } from "../recording/slices.ts";
import { StepRecorder } from "../recording/steps.ts";
import type { LogFile, RequestLog } from "../recording/request_log.ts";
import { SessionRecorder } from "../recording/totals.ts";
import type { SocketRecorder } from "../recording/socket_messages.ts";
import type { StreamingRecorder } from "../recording/streaming_recorder.ts";
import type { SocketParts } from "../protocols/websocket/websocket_http1.ts";
import { protocolOver } from "../protocols/protocols.ts";
import { openDriver } from "../transports/drivers.ts";
import { HandOver } from "./hand_over.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { rehearse } from "./rehearsal.ts";
import { Usage } from "./usage.ts";

function post(message: FromWorker): void {
  self.postMessage(message);
}

/** Opens the request log, whose code is loaded only for runs that have one. */
async function openLog(
  { path, firstConnection }: NonNullable<Job["log"]>,
  connections: number,
): Promise<{ readonly file: LogFile; readonly log: RequestLog }> {
  const { LogFile, RequestLog } = await import("../recording/request_log.ts");
  const file = new LogFile(path);
  return { file, log: new RequestLog(file.write, firstConnection, connections) };
}

/** The shortest time slice that the system accepts. */
const SHORT_SLICE_US = 100;
let hasShortSlices = false;

/**
 * If `promptly`, lets this thread send requests at the moment they are due, even while other threads of this process
 * compile, collect garbage or draw the live view on the same core. With the usual time slices, which it otherwise
 * restores, those threads would keep the core for some milliseconds.
 */
function beWokenPromptly(promptly: boolean): void {
  if (promptly === hasShortSlices) return;
  takeSlicesOf(promptly ? SHORT_SLICE_US : 0);
  hasShortSlices = promptly;
}

/** Whether anything is due at fixed times: requests, or messages on WebSockets. */
function isPunctual({ pacer, script }: Job): boolean {
  return pacer.kind !== "closed" ||
    socketsIn(script).some(({ socket }) => socket.send?.everyUs !== undefined);
}

/** Allocates everything that a run needs before it starts. Returns a function that starts the run. */
async function prepare(job: Job): Promise<(at: Moment) => Promise<void>> {
  beWokenPromptly(isPunctual(job));
  const clock = monotonicClock();
  let startUs = 0;
  const now = (): number => clock() - startUs;
  const busy = new BusyPeriods();
  const endpoints = [job.endpoint, ...job.elsewhere ?? []];
  const { streams, requestsPerConnection: requests } = job;
  const slots = slotsOf(job);
  const driver = await openDriver(job.driver, {
    ...{ endpoints, slots: slots / (streams ?? 1), now, busy },
    requestBytes: largestRequestBytes(job.script),
    resumesTls: job.tls === "resume",
  }, job.dialTurns);
  const schemes = endpoints.map((endpoint) => hasTls(endpoint) ? "https" : "http");
  const streamed = streamsIn(job.script);
  const sockets = socketsIn(job.script);
  const isStreamed = streamed.length > 0 || sockets.length > 0;
  const setting = { slots, schemes, isStreamed, ...streams && { streams, requests } };
  const logging = job.log && await openLog(job.log, job.connections);
  const usage = new Usage(now, busy, stepUsOf(clock));
  const sessions = new SessionRecorder();
  const onInterval = (part: IntervalPart, nowUs: number): void =>
    post(handOver.messageAt(part, nowUs));
  const steps = job.steps === 0 ? null : new StepRecorder(job.steps);
  const slices = job.turns && new Slices(job.turns);
  const { recorder, over } = isStreamed
    ? await streamsOf({ job, streamed, sockets, slots }, {
      protocol: (sockets) => protocolOver(driver, { ...setting, ...sockets && { sockets } }),
      intervalUs: job.intervalUs,
      onInterval,
      log: logging?.log,
      ...{ steps, slices },
    })
    : {
      recorder: new Recorder(job.intervalUs, onInterval, logging?.log, steps, slices),
      over: await protocolOver(driver, setting),
    };
  const onDeadline = (): void => usage.end();
  const { dialTurns } = driver;
  const onUnreached = (): void => post({ kind: "unreached" });
  const parts = {
    ...{ protocol: over, recorder, sessions, onDeadline, onUnreached },
    ...dialTurns && { dialTurns },
  };
  const { script } = job;
  const cookies = script.kind === "flow" ? script.cookies : null;
  const jars = cookies &&
    await import("../engine/user/cookies.ts").then((has) => has.cookieJars(cookies));
  const hooks = script.kind === "flow" && script.code !== undefined
    ? await openHooks(script.code, script, now)
    : null;
  const isEncoded = script.kind === "flow" &&
    script.journeys.flat().some((step) => step.kind === "request" && step.input !== undefined);
  const encodeCall = isEncoded
    ? (await import("../../../base/grpc/encode_call.ts")).encodedCall
    : null;
  const exchanges = await withEngine(() =>
    exchangesOf(job, parts, (flow) => new Flow(flow, jars, hooks, encodeCall))
  );
  const tls = (): TlsUse | undefined => driver.tls?.use;
  const { ending } = exchanges;
  const hookUse = (): HookUse | undefined => hooks?.use;
  const handOver = new HandOver({
    ...{ recorder, inFlight: ending, sessions, usage, tls },
    hooks: hookUse,
  });
  return async (at) => {
    startUs = momentUs(at, clock);
    // An open loop does not wait for the start here, because it opens its connections before the
    // first request is due.
    if (job.pacer.kind === "closed") {
      await sleep(Math.max(0, -now() / 1_000));
      while (now() < 0); // a timer may fire early, and nothing is due before the start
    }
    usage.begin();
    busy.add(0, now()); // if an open loop starts late, its due requests have waited
    await exchanges.protocol.run();
    const { totals, elapsedUs } = ending;
    if (totals === null) throw new Error("The load ended without totals");
    const taken = { sessions: sessions.totals(), ...usage.whole(), tls: tls(), hooks: hookUse() };
    const { fewestStreams } = exchanges.protocol;
    const limit = fewestStreams < Infinity ? { fewestStreams } : {};
    const report = { totals, elapsedUs, ...taken, ...limit };
    logging?.file.close();
    post({ kind: "finished", report, lostLog: logging?.file.lost ?? null });
  };
}

interface StreamedLoad {
  readonly job: Job;
  readonly streamed: ReturnType<typeof streamsIn>;
  readonly sockets: ReturnType<typeof socketsIn>;
  readonly slots: number;
}

interface RecorderParts {
  readonly protocol: (sockets?: Omit<SocketParts, "slots">) => Promise<ProtocolOf>;
  readonly intervalUs: number;
  readonly onInterval: OnInterval;
  readonly log: RequestLog | undefined;
  readonly steps: StepRecorder | null;
  readonly slices: Slices | undefined;
}

/** Makes the recorder and protocol of a load with streams or WebSockets, whose code is loaded only for such loads. */
async function streamsOf(
  load: StreamedLoad,
  { protocol, intervalUs, onInterval, log, steps, slices }: RecorderParts,
): Promise<{ readonly recorder: Recorder; readonly over: ProtocolOf }> {
  const { StreamingRecorder } = await import("../recording/streaming_recorder.ts");
  const { isCounted } = await import("../engine/streams/open_stream.ts");
  const { streamed, sockets, slots } = load;
  const specs = streamed.map(({ stream }) => stream);
  const withTokens = streamed.filter(({ stream }) => stream.token !== undefined);
  const counted = streamed.filter(({ stream }) => isCounted(stream)).map(({ step }) => step);
  const pushed = pushedSteps(sockets);
  const recorder = new StreamingRecorder(
    {
      slots,
      steps: new Set([...counted, ...pushed]),
      hasCalls: streamed.some(({ stream }) => stream.call !== undefined),
      withTokens: new Set(withTokens.map(({ step }) => step)),
      sockets: sockets.length === 0 ? null : await socketRecorder(load, pushed),
    },
    intervalUs,
    onInterval,
    log,
    steps,
    slices,
  );
  const over = recorder.sockets === null
    ? await protocol()
    : await protocol(await socketParts(load, recorder));
  if (specs.length === 0) return { recorder, over };
  const { withStreams } = await import("../engine/streams/streams.ts");
  return { recorder, over: await withStreams(over, { slots, recorder, specs }) };
}

/** Steps with WebSockets whose server sends unprompted. Their messages are counted like those of streams. */
function pushedSteps(sockets: StreamedLoad["sockets"]): ReadonlySet<number> {
  return new Set(
    sockets.filter(({ socket }) => socket.answer === "push").map(({ step }) => step),
  );
}

async function socketRecorder(
  { slots, sockets }: Pick<StreamedLoad, "slots" | "sockets">,
  pushed: ReadonlySet<number>,
): Promise<SocketRecorder> {
  const { SocketRecorder } = await import("../recording/socket_messages.ts");
  return new SocketRecorder(slots, { steps: new Set(sockets.map(({ step }) => step)), pushed });
}

async function socketParts(
  { job, sockets, slots }: StreamedLoad,
  recorder: StreamingRecorder,
): Promise<Omit<SocketParts, "slots">> {
  const { Sockets } = await import("../engine/sockets/sockets.ts");
  const { masksBy } = await import("../protocols/websocket/masks.ts");
  const seed = crypto.getRandomValues(new Uint32Array(4));
  return {
    sockets: await Sockets.of({
      ...{ slots, recorder },
      specs: sockets.map(({ socket }) => socket),
      endUs: job.durationUs,
      mayFinish: job.waitsForLast,
      name: seed[0].toString(36),
    }),
    nextMask: masksBy(seed),
  };
}

interface LoopParts extends Omit<ExchangeParts, "pacer"> {
  readonly sessions: SessionRecorder;
}

/** Opens the hooks of a script; the script engine is loaded only for experiments that have one. */
async function openHooks(
  { script, seed, fresh }: NonNullable<FlowSpec["code"]>,
  { first, stride }: Pick<FlowSpec, "first" | "stride">,
  nowUs: () => number,
): Promise<Hooks> {
  const { Hooks } = await import("../hooks/hooks.ts");
  const hooks = await Hooks.open(script, { seed, first, stride, nowUs, ...fresh && { fresh } });
  hooks.rehearse();
  return hooks;
}

function exchangesOf(
  job: Job,
  parts: LoopParts,
  flowOf: (spec: FlowSpec) => Flow,
): Exchanges {
  const { script } = job;
  const pacer = pacerOf(job.pacer, job.turns);
  const { exchanges } = script.kind === "flow"
    ? new SessionLoop(job, { ...parts, pacer, flow: flowOf(script) })
    : new RequestLoop(job, { ...parts, pacer, script: new RequestScript(script) });
  return exchanges;
}

/** While the command line is parsed, the load loop is rehearsed and the libc calls of every run are looked up. */
const rehearsed = rehearse().then(() => {
  stepUsOf(monotonicClock());
});
let start: ((at: Moment) => Promise<void>) | null = null;

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "start") return await start?.(data.at);
  await rehearsed;
  try {
    start = await prepare(data.job);
    post({ kind: "ready", thread: ownThread() });
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    post({ kind: "refused", why: error.message });
  }
};
