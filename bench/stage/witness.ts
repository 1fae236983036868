/** Compiles and starts the witness, a server that notes when it reads and answers each request (`witness.c`). */
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";
import { compile, placed } from "./programs.ts";
import { type Server, startServer } from "./server.ts";

/** One request, with times in milliseconds by the server's own clock. */
export interface Noted {
  readonly readMs: number;
  readonly answeredMs: number;
}

export interface Witness extends Server {
  /** Returns the requests answered since the last call, in the order of their answers. */
  takeNotes(): Promise<Noted[]>;
}

export async function startWitness(answerMs: number): Promise<Witness> {
  using folder = temporaryFolder();
  const program = join(folder.path, "witness");
  await compile(new URL("witness.c", import.meta.url), program);
  const server = await startServer(
    "witness",
    (port) => placed("server", [program, String(port), String(answerMs * 1_000)]),
  );
  const takeNotes = async (): Promise<Noted[]> => {
    const answer = await fetch(`${server.origin}/noted`);
    return parseNotes(await answer.text());
  };
  await takeNotes(); // drops the request that showed that the server was ready
  return { ...server, takeNotes };
}

function parseNotes(text: string): Noted[] {
  return text.trim().split("\n").filter(Boolean).map((line) => {
    const [readMs, answeredMs] = line.split(" ").map((us) => Number(us) / 1_000);
    return { readMs, answeredMs };
  });
}
