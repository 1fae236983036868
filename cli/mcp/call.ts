/**
 * Calls a tool by running Plateau in a child process. So a tool returns exactly what its command returns, no call
 * affects a later one, and ending a call also ends everything that the call has started.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { clearInterval, setInterval } from "node:timers";
import { EXIT } from "../../base/errors.ts";
import { LIMITS } from "../../base/limits.ts";
import { TemporaryFolder } from "../../base/system/temporary_folder.ts";
import { startCommand } from "../../targets/launch/child.ts";
import { ALLOWED_HOSTS, CALLED } from "../terminal/process.ts";
import type { CommandLine } from "./tools.ts";
import type { ToolCall, ToolResult } from "./protocol.ts";

/** Exit codes that stand for a verdict, and so not for a failure of the tool. */
const VERDICTS: readonly number[] = [
  ...[EXIT.done, EXIT.failedCheck, EXIT.untrusted, EXIT.inconclusive],
];

const TELL_MS = 1_000;
/** Maximum number of characters of standard error that are shown if the command failed. */
const MOST_ERROR = 4_000;

interface Wish {
  /** Hosts that the command may send load to. */
  readonly hosts: readonly string[];
  readonly wantsFigures: boolean;
}

export async function callProgram(
  { command, flags, operands }: CommandLine,
  { hosts, wantsFigures }: Wish,
  { signal, onProgress }: ToolCall,
): Promise<ToolResult> {
  using folder = TemporaryFolder.make("mcp");
  const file = join(folder.path, "result.json");
  const printed = { stdout: "", stderr: "" };
  const startedMs = performance.now();
  const tell = (): void => {
    const [last = "under way"] = printed.stderr.trimEnd().split("\n").slice(-1);
    onProgress(Math.round(performance.now() - startedMs) / 1_000, last || "under way");
  };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const read = (stream: "stdout" | "stderr") => (bytes: Uint8Array): void => {
    printed[stream] += decoders[stream].decode(bytes, { stream: true });
  };
  const child = startCommand([command, ...flags, `--json=${file}`, "--", ...operands], {
    env: { [CALLED]: "1", [ALLOWED_HOSTS]: hosts.join(",") },
    onStreams: { stdout: read("stdout"), stderr: read("stderr") },
  });
  const timer = setInterval(tell, TELL_MS);
  const stop = (): void => void child.stop();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  const { code } = await child.exited.finally(() => {
    clearInterval(timer);
    signal.removeEventListener("abort", stop);
  });
  const isError = !VERDICTS.includes(code);
  const figures = wantsFigures ? figuresIn(file) : {};
  return { text: textOf(printed, code), ...figures, exitCode: code, isError };
}

function textOf(
  { stdout, stderr }: Readonly<Record<"stdout" | "stderr", string>>,
  code: number,
): string {
  const why = code === EXIT.done ? "" : stderr.trim().slice(-MOST_ERROR);
  return [stdout.trimEnd(), why].filter(Boolean).join("\n\n") || `Exit code ${code}`;
}

/** The JSON that the command wrote to the file; empty if there is none or if it is too large for a client. */
function figuresIn(file: string): { structured?: unknown } {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || size > LIMITS.toolResult.most) return {};
  return { structured: JSON.parse(readFileSync(file, "utf8")) };
}
