/** From the start of `plateau bench` to its first request, as a server sees it, with warm caches. */
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { atMost } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { plateauCommand } from "./stage/plateau.ts";
import { type Command, start } from "./stage/programs.ts";

const BINARY = fileURLToPath(new URL("../dist/plateau", import.meta.url));
const FLAGS = ["-c", "1", "-n", "1"];

/** Milliseconds. */
const BARS = { source: atMost(150), compiled: atMost(120) };
type Form = keyof typeof BARS;

export const startup: Bench = {
  about: "from the start of the program to its first request",
  rounds: 10,
  async run({ rounds }): Promise<Section[]> {
    const isCompiled = statSync(BINARY, { throwIfNoEntry: false }) !== undefined;
    const forms: Form[] = isCompiled ? ["source", "compiled"] : ["source"];
    for (const form of forms) await firstRequestMs(form); // fills the caches
    const seen = await interleaved(forms, rounds, firstRequestMs);
    return [{
      caption: "From the start of the process to the first request",
      unit: "ms",
      rows: forms.map((form) => ({ what: form, samples: seen[form], bar: BARS[form] })),
      notes: isCompiled ? [] : ["Not compiled: deno task compile makes dist/plateau."],
    }];
  },
};

async function firstRequestMs(form: Form): Promise<number> {
  const { promise: asked, resolve } = Promise.withResolvers<number>();
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    resolve(performance.now());
    return new Response("witness");
  });
  const command = commandOf(form, `http://127.0.0.1:${server.addr.port}/`);
  const startMs = performance.now();
  await start(command).output;
  return await asked - startMs;
}

function commandOf(form: Form, url: string): Command {
  const command = plateauCommand(url, FLAGS);
  return form === "source" ? command : [BINARY, ...command.slice(command.indexOf("bench"))];
}
