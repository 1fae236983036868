/**
 * Runs the commands of targets around their runs: `setup` once before a target's first start, `before` and `after`
 * around each run, `teardown` once at the end. A run of a gateway also runs the commands of the targets behind it:
 * before the gateway's own commands at the start, and after the gateway's own at the end.
 */
import { join, resolve } from "node:path";
import { StartError, TargetError } from "../../base/errors.ts";
import { secrets, withoutSecrets } from "../../base/secrets.ts";
import type { TargetSpec } from "../../base/target/target_shape.ts";
import {
  type CommandStage,
  type CommandStep,
  needsOrigin,
  withOrigin,
} from "../../base/target/steps.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import { hideInherited, joinEnv, locateFolder, ownEnv } from "../../targets/launch/environment.ts";
import { cannotStart } from "../../targets/launch/launcher.ts";
import { commandText, takeStep } from "../../targets/launch/step.ts";
import type { TargetCommand } from "../result/invocation.ts";
import type { OnProgress } from "../result/progress.ts";
import { CommandLog } from "./command_log.ts";

interface CommandsRequest {
  /** Folder of the experiment file. */
  readonly baseDir: string;
  /** Folder of commands.log. */
  readonly outDir: string;
  readonly redisUrl: string | null;
  /** Commands that had already run before the experiment was resumed. */
  readonly ran: readonly TargetCommand[];
}

interface CommandsHooks {
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  /** Receives all commands that have run so far. */
  readonly onRan: (ran: TargetCommand[]) => void;
}

/** A target that a run needs: the cell's own, or one behind it. */
interface Member {
  readonly name: string;
  readonly spec: TargetSpec;
}

interface TakeRequest {
  readonly step: CommandStep;
  /** Origin of the target; null or absent until it has responded. */
  readonly origin?: string | null;
  readonly signal?: AbortSignal;
}

/** The commands around one run. */
export interface RunCommands {
  /**
   * To be called once the target responds. Runs the remaining `before` commands, from the first that needs the target's
   * origin. Throws a TargetError if a command fails, or the signal's reason on abort.
   */
  started(origin: string): Promise<void>;
  /** Runs the `after` commands once, even if the run has failed. Never throws because a command fails. */
  end(): Promise<void>;
}

/** The signal for commands that an abort must not interrupt; a time-out ends them. */
const NEVER = new AbortController().signal;

/** The most characters of a command, and of the reason why it failed, that the results keep. */
const MOST_CHARS = 200;

export class TargetCommands {
  /** Targets whose setup has begun, in the order of their setups, each with the error if its setup failed. */
  readonly #setUp = new Map<string, { readonly member: Member; error: StartError | null }>();
  readonly #ran: TargetCommand[];

  constructor(
    private readonly request: CommandsRequest,
    private readonly hooks: CommandsHooks,
  ) {
    this.#ran = [...request.ran];
  }

  /**
   * Runs the commands before the start of a cell's target. Throws a StartError if a setup fails, a TargetError if a
   * `before` command fails, and the signal's reason on abort. If a `before` command fails, runs the `after` commands
   * before it throws.
   */
  async begin(cell: Cell): Promise<RunCommands> {
    const members = membersOf(cell);
    for (const member of members) await this.#setUpOnce(member);
    let origin: string | null = null;
    let ending: Promise<void> | null = null;
    const end = (): Promise<void> =>
      ending ??= this.#takeAll("after", members.toReversed(), origin);
    const goOn = async (
      part: (steps: readonly CommandStep[]) => readonly CommandStep[],
    ): Promise<void> => {
      try {
        await this.#prepare(members, part, origin);
      } catch (error) {
        await end();
        throw error;
      }
    };
    await goOn((steps) => steps.slice(0, originNeededFrom(steps)));
    return {
      end,
      started: async (at): Promise<void> => {
        origin = at;
        await goOn((steps) => steps.slice(originNeededFrom(steps)));
      },
    };
  }

  /** Tears down every target whose setup has begun, in reverse order, once. Never throws because a command fails. */
  async tearDown(): Promise<void> {
    const members = [...this.#setUp.values()].map(({ member }) => member).toReversed();
    this.#setUp.clear();
    await this.#takeAll("teardown", members, null);
  }

  async #setUpOnce(member: Member): Promise<void> {
    const key = JSON.stringify([member.name, ownVariables(member.spec)]);
    const known = this.#setUp.get(key);
    if (known?.error) throw known.error;
    if (known) return;
    if ("command" in member.spec) hideInherited(member.spec.inherit);
    const setUp = { member, error: null as StartError | null };
    this.#setUp.set(key, setUp);
    try {
      for (const step of stepsOf(member, "setup")) {
        this.#note(`Setup of ${member.name}: ${commandText(step)}`);
        const { why, evidence } = await this.#take("setup", member, {
          step,
          origin: runningOriginOf(member),
        });
        if (why !== null) throw cannotStart(member, `its setup failed: ${why}`, evidence);
      }
    } catch (error) {
      // The error that is thrown for later runs lacks the command's output, which is shown only
      // once.
      if (error instanceof TargetError) setUp.error = new StartError(error.message);
      throw error;
    }
  }

  async #prepare(
    members: readonly Member[],
    part: (steps: readonly CommandStep[]) => readonly CommandStep[],
    origin: string | null,
  ): Promise<void> {
    for (const member of members) {
      for (const step of part(stepsOf(member, "before"))) {
        const { why, evidence } = await this.#take("before", member, { step, origin });
        if (why === null) continue;
        const message = `Cannot run target ${member.name}: its before command failed: ${why}`;
        throw new TargetError(message, evidence);
      }
    }
  }

  /**
   * Runs all commands of a stage, except those that need the origin of a target that has not responded. If one fails,
   * that is a warning, and the others still run.
   * @param origin Null if the target has not responded.
   */
  async #takeAll(
    stage: CommandStage,
    members: readonly Member[],
    origin: string | null,
  ): Promise<void> {
    for (const member of members) {
      for (const step of stepsOf(member, stage)) {
        if (stage === "teardown") this.#note(`Teardown of ${member.name}: ${commandText(step)}`);
        await this.#takeOrWarn(stage, member, { step, origin: origin ?? runningOriginOf(member) });
      }
    }
  }

  async #takeOrWarn(
    stage: CommandStage,
    member: Member,
    { step, origin }: { readonly step: CommandStep; readonly origin: string | null },
  ): Promise<void> {
    const { name } = member;
    if (needsOrigin(step) && origin === null) {
      return this.#note(
        `Left out a command of ${name} (${stage}), because ${name} did not start: ${
          commandText(step)
        }`,
      );
    }
    const taken = this.#take(stage, member, { step, origin, signal: NEVER });
    const { why, evidence } = await taken.catch((error) => {
      if (error instanceof TargetError) return { why: error.message, evidence: error.evidence };
      throw error;
    });
    if (why === null) return;
    const last = evidence.length === 0
      ? ""
      : `; its last line of output: ${evidence[evidence.length - 1]}`;
    this.#note(`Warning: ${stage} of ${name} failed: ${why}${last}`, true);
  }

  /** Runs one command. Throws a TargetError if its process can't be started, and the signal's reason on abort. */
  async #take(
    stage: CommandStage,
    member: Member,
    { step, origin = null, signal = this.hooks.signal }: TakeRequest,
  ): Promise<{ readonly why: string | null; readonly evidence: readonly string[] }> {
    signal.throwIfAborted();
    const { name, spec } = member;
    const { baseDir, outDir, redisUrl } = this.request;
    const cwd = locateFolder("command" in spec ? spec.cwd : ".", { name, baseDir });
    const env = stepEnv(spec, redisUrl);
    const title = `${commandText(step)} (${stage} of ${name})`;
    const log = new CommandLog(join(resolve(outDir), "commands.log"), title, this.#note.bind(this));
    const beganMs = performance.now();
    const filled = origin === null ? step : withOrigin(step, origin);
    const onOutput = (bytes: Uint8Array): void => log.write(bytes);
    const outcome = await takeStep(filled, { env, cwd, signal, onOutput });
    const why = signal.aborted ? "it was interrupted" : outcome.why;
    log.end(why, outcome.evidence);
    this.#record({ target: name, stage, command: step }, {
      tookMs: performance.now() - beganMs,
      why,
    });
    signal.throwIfAborted();
    return outcome;
  }

  #record(
    { target, stage, command }: { target: string; stage: CommandStage; command: CommandStep },
    { tookMs, why }: { readonly tookMs: number; readonly why: string | null },
  ): void {
    const text = withoutSecrets(commandText(command)).slice(0, MOST_CHARS);
    let entry = this.#ran.find((one) =>
      one.target === target && one.stage === stage && one.command === text
    );
    if (entry === undefined) {
      entry = { target, stage, command: text, times: 0, failed: 0, total: 0, longest: 0 };
      this.#ran.push(entry);
    }
    entry.times++;
    entry.total += Math.round(tookMs);
    entry.longest = Math.max(entry.longest, Math.round(tookMs));
    if (why !== null) {
      entry.failed++;
      entry.reason = secrets.sentence(why).slice(0, MOST_CHARS);
    }
    this.hooks.onRan(this.#ran);
  }

  #note(text: string, isWarning = false): void {
    const note = { kind: "note", text: secrets.sentence(text) } as const;
    this.hooks.onProgress(isWarning ? { ...note, isWarning } : note);
  }
}

/** All targets that a run of the cell needs. The cell's own comes last, after those behind it. */
function membersOf({ target, targetSpec, others }: Cell): Member[] {
  // An array, because in an object a target named like a number would come first.
  return [...Object.entries(others), [target, targetSpec] as const]
    .map(([name, spec]) => ({ name, spec }));
}

/** Origin of a server that Plateau did not start; null for any other target. */
function runningOriginOf({ spec }: Member): string | null {
  return "url" in spec ? new URL(spec.url).origin : null;
}

function stepsOf({ spec }: Member, stage: CommandStage): readonly CommandStep[] {
  return spec[stage] ?? [];
}

/**
 * Index of the first command that needs the target's origin, so that it and all later ones wait until the target
 * responds.
 */
function originNeededFrom(steps: readonly CommandStep[]): number {
  const at = steps.findIndex(needsOrigin);
  return at < 0 ? steps.length : at;
}

/**
 * The environment of a target's commands: the user's environment and the target's own variables, such as DATABASE_URL,
 * but no variables that get their values only when the target starts.
 */
export function stepEnv(spec: TargetSpec, redisUrl: string | null): Record<string, string> {
  const redis: Record<string, string> = redisUrl === null ? {} : { REDIS_URL: redisUrl };
  return joinEnv([ownEnv(), redis, ownVariables(spec)]);
}

function ownVariables(spec: TargetSpec): Record<string, string> {
  if (!("command" in spec)) return {};
  return Object.fromEntries(
    Object.entries(spec.env).filter(([, text]) => !/\{(?:port|host)\}/.test(text)),
  );
}
