/** Passes V8 flags to a program that runs on V8, in the way that its runtime, Node or Deno, expects. */
import { basename } from "node:path";
import type { V8Options } from "../../base/target/target_shape.ts";

interface StartedProgram {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The V8 flags that the options of a target stand for; `default` stands for none. */
export function v8FlagsOf({ flags, gc }: V8Options = {}): string[] {
  return [flags, gc].flatMap((text) =>
    text === undefined || text === "default" ? [] : text.split(" ")
  );
}

const NODE = /^node(?:js)?(?:\.exe)?$/;
const DENO = /^deno(?:\.exe)?$/;
/** Programs that start Node as a child process, so flags reach it only through NODE_OPTIONS. */
const STARTS_NODE = /^(?:npm|npx|pnpm|pnpx|yarn|tsx|ts-node|nodemon|pm2-runtime)(?:\.cmd)?$/;

/** The V8 flags that NODE_OPTIONS accepts in Node 20 and later (Node.js, Command-line API, NODE_OPTIONS). */
const IN_NODE_OPTIONS =
  /^--(?:max[-_]old[-_]space[-_]size|max[-_]semi[-_]space[-_]size|stack[-_]trace[-_]limit|jitless)(?:=|$)/;

/**
 * Adds V8 flags to a program. Node gets them as arguments, which its `cluster` workers inherit; a program that starts
 * Node gets them in NODE_OPTIONS; Deno gets them in its environment, which every Deno that it starts inherits.
 * @param program The full path.
 * @returns The arguments and environment to start the program with, or a text that says why the flags would have no
 * effect.
 */
export function withV8Flags(
  program: string,
  { args, env }: StartedProgram,
  flags: readonly string[],
): StartedProgram | string {
  const name = basename(program);
  if (flags.length === 0) return { args, env };
  if (NODE.test(name)) return { args: [...flags, ...args], env };
  if (DENO.test(name)) return { args, env: { ...env, DENO_V8_FLAGS: flags.join(",") } };
  const start = `write command: [node, server.js], with the file that ${name} starts`;
  if (!STARTS_NODE.test(name)) {
    return `only node and deno take V8 flags, and ${name} is neither; ${start}`;
  }
  const refused = flags.filter((flag) => !IN_NODE_OPTIONS.test(flag));
  if (refused.length > 0) return `${name} can't pass ${refused.join(" ")} on to Node; ${start}`;
  const options = [env.NODE_OPTIONS ?? [], flags].flat().join(" ");
  return { args, env: { ...env, NODE_OPTIONS: options } };
}
