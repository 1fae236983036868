/**
 * How a program is started whose profiles are to be taken: V8's runtimes open their inspector, on a port of the
 * system's choice at loopback. Others need nothing.
 */
import { basename } from "node:path";
import { LOOPBACK } from "../../base/net/listen.ts";

/** Of Deno: before its script. */
const DENO_FLAG = `--inspect=${LOOPBACK}:0`;

/**
 * What each process of Node imports first, cluster workers too. `--inspect` in its place would give a worker the port
 * after its parent's, which may be taken, and fails where the program opens its inspector itself.
 */
const OPENING = `import{open,url}from'node:inspector';` + // no spaces: one would end it
  `import{isMainThread}from'node:worker_threads';isMainThread&&(url()||open(0,'${LOOPBACK}'))`;

/** The environment in which processes of Node open their inspector. Node 18.18 or later. */
export function inspectableEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const options = [env.NODE_OPTIONS ?? "", `--import=data:text/javascript,${OPENING}`];
  return { ...env, NODE_OPTIONS: options.join(" ").trim() };
}

/** Arguments of the program with which it opens its inspector, where that takes an argument. */
export function inspectableArgs(program: string, args: readonly string[]): string[] {
  if (!/^deno(?:\.exe)?$/.test(basename(program))) return [...args];
  const isRun = ["run", "serve"].includes(args[0]);
  return isRun ? [args[0], DENO_FLAG, ...args.slice(1)] : [...args];
}
