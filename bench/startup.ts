/**
 * Measures the time of commands that measure nothing, from the start of the process to its exit, and the time until the
 * first request of `plateau bench` arrives at a server. Caches are warm.
 */
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { atMost, type Bar } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { plateauCommand } from "./stage/plateau.ts";
import { type Command, start } from "./stage/programs.ts";
import { selfCommand } from "../targets/launch/child.ts";

const BINARY = fileURLToPath(new URL("../dist/plateau", import.meta.url));
const FLAGS = ["-c", "1", "-n", "1"];

/** The bars for the time to the first request, in milliseconds. */
const FIRST_REQUEST = { source: atMost(150), compiled: atMost(90) };
/** The bar for a whole command in compiled form, in milliseconds. Commands run from source have no bar. */
const COMMAND = atMost(80);
type Form = keyof typeof FIRST_REQUEST;

/** The commands. `quick` is the smallest built-in experiment, `kuffel-walter` the largest. */
const COMMANDS: Readonly<Record<string, Command>> = {
  "plateau --version": ["--version"],
  "plateau --help": ["--help"],
  "plateau check quick": ["check", "quick"],
  "plateau check kuffel-walter": ["check", "kuffel-walter"],
};

export const startup: Bench = {
  about: "from the start of the program to its first request, and to its end",
  rounds: 10,
  async run({ rounds }): Promise<Section[]> {
    const isCompiled = statSync(BINARY, { throwIfNoEntry: false }) !== undefined;
    const forms: Form[] = isCompiled ? ["source", "compiled"] : ["source"];
    const notes = isCompiled ? [] : ["Not compiled: deno task compile makes dist/plateau."];
    const commands = forms.flatMap((form) =>
      Object.keys(COMMANDS).map((name) => ({ form, name, what: `${name}, ${form}` }))
    );
    const whats = commands.map(({ what }) => what);
    const commandMs = async (what: string): Promise<number> => {
      const { form, name } = commands[whats.indexOf(what)];
      return await wholeMs(inForm(form, COMMANDS[name]));
    };
    for (const form of forms) await firstRequestMs(form); // fills the caches
    for (const what of whats) await commandMs(what);
    const requests = await interleaved(forms, rounds, firstRequestMs);
    const ends = await interleaved(whats, rounds, commandMs);
    return [{
      caption: "From the start of the process to the first request",
      unit: "ms",
      rows: forms.map((form) => ({
        what: form,
        samples: requests[form],
        bar: FIRST_REQUEST[form],
      })),
      notes,
    }, {
      caption: "From the start of the process to its end",
      unit: "ms",
      rows: commands.map(({ form, what }) => ({ what, samples: ends[what], ...barOf(form) })),
      notes,
    }];
  },
};

function barOf(form: Form): { readonly bar?: Bar } {
  return form === "compiled" ? { bar: COMMAND } : {};
}

async function firstRequestMs(form: Form): Promise<number> {
  const { promise: asked, resolve } = Promise.withResolvers<number>();
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    resolve(performance.now());
    return new Response("witness");
  });
  const command = plateauCommand(`http://127.0.0.1:${server.addr.port}/`, FLAGS);
  const args = command.slice(command.indexOf("bench"));
  const startMs = performance.now();
  await start(inForm(form, args)).output;
  return await asked - startMs;
}

async function wholeMs(command: Command): Promise<number> {
  const startMs = performance.now();
  await start(command).output;
  return performance.now() - startMs;
}

function inForm(form: Form, args: Command): Command {
  if (form === "compiled") return [BINARY, ...args];
  const [program, whole] = selfCommand(args);
  return [program, ...whole];
}
