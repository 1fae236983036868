/** A target of several: a front, which is asked, and those that stand behind it. Together they are one target. */
import { messageOf } from "../../base/errors.ts";
import type { Exit, RunningTarget, WatchedPart } from "./launcher.ts";

/** What those of a company are called where they are shown apart. */
interface Names {
  /** The kind of the front. */
  readonly front: string;
  /** The target that stands behind it. */
  readonly behind: string;
}

/** Those that stand behind a front, until all are stopped together. */
export class Company {
  readonly startedMs = performance.now();
  readonly #members: RunningTarget[] = [];
  readonly #ended = Promise.withResolvers<Exit>();
  /** What the first said that ended. */
  #lastLines: (() => readonly string[]) | null = null;

  constructor(private readonly names: Names) {}

  /** Takes what was started into the company; its end is from now on the end of all. */
  take(member: RunningTarget): RunningTarget {
    this.#members.push(member);
    void member.exited.then((exit) => this.#end(exit, () => member.lastLines()));
    return member;
  }

  /** Starts several at once. When one fails the others are kept, to be stopped with the rest. */
  async takeAll(starts: readonly Promise<RunningTarget>[]): Promise<RunningTarget[]> {
    const outcomes = await Promise.allSettled(starts);
    const started = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [this.take(outcome.value)] : []
    );
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed) throw failed.reason;
    return started;
  }

  /** Who was to join could not: that is the end of all. */
  fail(error: unknown): void {
    this.#end({ code: 1, signal: null }, () => [messageOf(error)]);
  }

  /** The front first, so that nobody is asked any more who is gone. */
  async stop(front: RunningTarget | null = null): Promise<void> {
    await front?.stop();
    await Promise.all(this.#members.map((member) => member.stop()));
  }

  /** All as one, seen through its front. @param onLoadStart For what begins with the load, in the front. */
  behind(front: RunningTarget, { onLoadStart, stop }: FrontHooks = {}): RunningTarget {
    void front.exited.then((exit) => this.#end(exit, () => front.lastLines()));
    const runtimes = [front, ...this.#members].flatMap(({ runtime }) => runtime ?? []);
    return {
      ...front,
      runtime: [...new Set(runtimes)].join(", ") || null,
      startUpMs: performance.now() - this.startedMs,
      exited: this.#ended.promise,
      parts: () => this.#parts(front),
      onLoadStart: (atMs): void => {
        onLoadStart?.(atMs);
        for (const member of this.#members) member.onLoadStart?.(atMs);
      },
      lastLines: () => (this.#lastLines ?? front.lastLines)(),
      stop: async (): Promise<void> => {
        await stop?.();
        await this.stop(front);
      },
    };
  }

  /** The front itself may be one of those whom it shares its port with. */
  #parts(front: RunningTarget): WatchedPart[] {
    const own = this.#members.includes(front)
      ? []
      : [partOf(front, { role: "gateway", name: this.names.front })];
    const { behind } = this.names;
    return [
      ...own,
      ...this.#members.flatMap((member) =>
        member.parts?.() ?? partOf(member, { role: "upstream", name: behind })
      ),
    ];
  }

  #end(exit: Exit, lastLines: () => readonly string[]): void {
    this.#lastLines ??= lastLines;
    this.#ended.resolve(exit);
  }
}

interface FrontHooks {
  readonly onLoadStart?: (atMs: number) => void;
  /** To be done before anything is stopped. */
  readonly stop?: () => Promise<void>;
}

function partOf(
  { pid, supervised }: RunningTarget,
  called: Pick<WatchedPart, "role" | "name">,
): WatchedPart {
  return { ...called, pid, supervised };
}

/** Starts a company; when that fails, nobody of it is left. */
export async function inCompany(
  names: Names,
  start: (company: Company) => Promise<RunningTarget>,
): Promise<RunningTarget> {
  const company = new Company(names);
  try {
    return await start(company);
  } catch (error) {
    await company.stop();
    throw error;
  }
}
