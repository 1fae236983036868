/** Passes flags of V8 to the program that runs on it, in the way that the program's runtime provides. */
import { basename } from "node:path";
import type { V8Options } from "../../base/target/target_shape.ts";

/** A program with its arguments and its environment. */
interface StartedProgram {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The V8 flags of an option; `default` needs none. */
export function v8FlagsOf({ flags, gc }: V8Options = {}): string[] {
  return [flags, gc].flatMap((text) =>
    text === undefined || text === "default" ? [] : text.split(" ")
  );
}

const NODE = /^node(?:js)?(?:\.exe)?$/;
const DENO = /^deno(?:\.exe)?$/;
/** Programs that start Node themselves, and whatever scripts the user's package.json has. */
const STARTS_NODE = /^(?:npm|npx|pnpm|pnpx|yarn|tsx|ts-node|nodemon|pm2-runtime)(?:\.cmd)?$/;

/** The V8 flags that NODE_OPTIONS accepts, in Node 20 and later (Node.js, Command-line API, NODE_OPTIONS). */
const IN_NODE_OPTIONS =
  /^--(?:max[-_]old[-_]space[-_]size|max[-_]semi[-_]space[-_]size|stack[-_]trace[-_]limit|jitless)(?:=|$)/;

/**
 * The program with these flags. For Node they are arguments, which processes of its `cluster` inherit; Deno takes them
 * from its environment, as does every Deno that it starts.
 * @param program The full path.
 * @returns The program, or a text that says why the flags would have no effect.
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
