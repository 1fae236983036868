/**
 * Error classes for expected failures, grouped by who must act. Any other error that reaches `main.ts` is a defect of
 * Plateau (exit code 70, with its stack). No message holds a secret.
 */
import { secrets } from "./secrets.ts";

/** Exit codes. Scripts rely on them. */
export const EXIT = {
  done: 0,
  failedCheck: 1,
  usage: 2,
  unavailable: 3,
  untrusted: 4,
  inconclusive: 5,
  defect: 70,
  interrupted: 130,
} as const;

/** A failure that is not a defect of Plateau. `main.ts` prints `lines` and exits with `exitCode`. */
export abstract class ExpectedError extends Error {
  abstract readonly exitCode: number;
  abstract readonly lines: readonly string[];
}

/** One problem in the command line or in a file: its place, a message, and perhaps a fix. */
export interface Problem {
  /** `file:line:column`, `--flag`, or a path such as `targets.slow.set.delay`. */
  readonly place: string;
  /** A message such as `Cannot read "5" as a duration: write 5ms`, without a full stop. */
  readonly message: string;
  readonly fix?: string;
}

/** The command line or a file is wrong, and the user must act. Holds all problems found. */
export class UserError extends ExpectedError {
  override readonly name = "UserError";
  readonly exitCode = EXIT.usage;
  readonly lines: readonly string[];
  constructor(readonly problems: readonly Problem[]) {
    const lines = problems.map(problemLine).map(sentence);
    super(lines.join("\n"));
    this.lines = lines;
  }
}

/** A target, Redis or a port was not available, so whoever operates it must act. */
export class TargetError extends ExpectedError {
  override readonly name = "TargetError";
  readonly exitCode = EXIT.unavailable;
  readonly lines: readonly string[];
  readonly evidence: readonly string[];
  /** @param evidence Last lines of output of the program that failed, if any. */
  constructor(message: string, evidence: readonly string[] = []) {
    super(sentence(message));
    this.evidence = evidence.map(sentence);
    this.lines = [this.message, ...indented(this.evidence)];
  }
}

/** A prerequisite that an experiment may declare optional: cells that need it are then skipped if it is unavailable. */
export type Need = "redis" | "nginx" | "frameworks";

/**
 * A target or a prerequisite can't be started: a program is missing or never became ready, or a setup command failed.
 * Starting it again would fail the same way.
 */
export class StartError extends TargetError {
  /** @param need The prerequisite that can't be started; null if it is a target of the user's own. */
  constructor(
    message: string,
    evidence: readonly string[] = [],
    readonly need: Need | null = null,
  ) {
    super(message, evidence);
  }
}

/** The measurement is complete, but one of its checks failed. */
export class CheckError extends ExpectedError {
  override readonly name = "CheckError";
  readonly exitCode = EXIT.failedCheck;
  readonly lines: readonly string[];
  /** @param evidence The failed checks, one line each. */
  constructor(message: string, evidence: readonly string[] = []) {
    super(sentence(message));
    this.lines = [this.message, ...indented(evidence)];
  }
}

/** The measurement is complete, but its evidence is too weak for a verdict. */
export class InconclusiveError extends ExpectedError {
  override readonly name = "InconclusiveError";
  readonly exitCode = EXIT.inconclusive;
  readonly lines: readonly string[];
  /** @param evidence The thresholds without a verdict, one line each. */
  constructor(message: string, evidence: readonly string[] = []) {
    super(sentence(message));
    this.lines = [this.message, ...indented(evidence)];
  }
}

/** The measurement is complete, but the generator or the machine may have been its bottleneck. */
export class UntrustedError extends ExpectedError {
  override readonly name = "UntrustedError";
  readonly exitCode = EXIT.untrusted;
  readonly lines: readonly string[];
  /** @param evidence The affected runs with the reasons, one line each. */
  constructor(message: string, evidence: readonly string[]) {
    super(sentence(message));
    this.lines = [this.message, ...indented(evidence)];
  }
}

function problemLine({ place, message, fix }: Problem): string {
  return `${place}: ${message}${fix ? ` (${fix})` : ""}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${sentence(line)}`);
}

/** Removes secrets once more, as a safeguard, although text from outside already lost its secrets when it was read. */
function sentence(text: string): string {
  return secrets.sentence(text);
}
