/**
 * Classes of expected failures, by who must act on them. Any other error that reaches `main.ts` is a defect of Plateau
 * (exit code 70, with its stack). No message holds a secret.
 */
import { secrets } from "./secrets.ts";

/** Exit codes, on which scripts rely. */
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

/** A failure that is not a defect of Plateau, with the lines that `main.ts` prints and its exit code. */
export abstract class ExpectedError extends Error {
  abstract readonly exitCode: number;
  abstract readonly lines: readonly string[];
}

/** One problem of the user's command line or file: its place, a message, and a fix. */
export interface Problem {
  /** `file:line:column`, `--flag`, or a path such as `targets.slow.set.delay`. */
  readonly place: string;
  /** A message in the form «Cannot … as …: … is …», without a full stop. */
  readonly message: string;
  readonly fix?: string;
}

/** The command line or a file is wrong: the user must act. Holds every problem at once. */
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

/** A target, Redis or port was not available: its operator must act. */
export class TargetError extends ExpectedError {
  override readonly name = "TargetError";
  readonly exitCode = EXIT.unavailable;
  readonly lines: readonly string[];
  readonly evidence: readonly string[];
  /** @param evidence The last lines that the program printed, if any. */
  constructor(message: string, evidence: readonly string[] = []) {
    super(sentence(message));
    this.evidence = evidence.map(sentence);
    this.lines = [this.message, ...indented(this.evidence)];
  }
}

/**
 * A prerequisite that an experiment may declare optional: cells that need it are skipped if it is unavailable, for
 * whatever reason.
 */
export type Need = "redis" | "nginx" | "frameworks";

/** A program that never became ready, so starting it again would fail the same way. */
export class StartError extends TargetError {
  /** @param need The prerequisite that did not start; null for a target of the user's own. */
  constructor(
    message: string,
    evidence: readonly string[] = [],
    readonly need: Need | null = null,
  ) {
    super(message, evidence);
  }
}

/** The measurement is complete, and a check in it failed. */
export class CheckError extends ExpectedError {
  override readonly name = "CheckError";
  readonly exitCode = EXIT.failedCheck;
  readonly lines: readonly string[];
  /** @param evidence What failed, one line each. */
  constructor(message: string, evidence: readonly string[] = []) {
    super(sentence(message));
    this.lines = [this.message, ...indented(evidence)];
  }
}

/** The measurement is complete, and its evidence too weak for a verdict. */
export class InconclusiveError extends ExpectedError {
  override readonly name = "InconclusiveError";
  readonly exitCode = EXIT.inconclusive;
  readonly lines: readonly string[];
  /** @param evidence The inconclusive rules, one line each. */
  constructor(message: string, evidence: readonly string[] = []) {
    super(sentence(message));
    this.lines = [this.message, ...indented(evidence)];
  }
}

/** The measurement is complete, and the generator or the machine may have been its bottleneck. */
export class UntrustedError extends ExpectedError {
  override readonly name = "UntrustedError";
  readonly exitCode = EXIT.untrusted;
  readonly lines: readonly string[];
  /** @param evidence Which runs and why, one line each. */
  constructor(message: string, evidence: readonly string[]) {
    super(sentence(message));
    this.lines = [this.message, ...indented(evidence)];
  }
}

/** One problem as one line: `place: message (fix)`. */
function problemLine({ place, message, fix }: Problem): string {
  return `${place}: ${message}${fix ? ` (${fix})` : ""}`;
}

/** The message of a caught error, for use within another. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${sentence(line)}`);
}

/** Removes secrets from a message once more; texts from outside had theirs removed when they were read. */
function sentence(text: string): string {
  return secrets.sentence(text);
}
