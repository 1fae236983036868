/** A server in a process of its own, each of whose requests takes some rounds of arithmetic, or waits. */
import { join } from "node:path";
import { until } from "./patience.ts";

/**
 * Each round needs the one before, so that a request takes its rounds on any machine. Requests that wait for some
 * milliseconds in place of that leave the cores to others.
 */
export const SERVER = `
const [port, rounds, waitMs = 0] = Deno.args.map(Number);
let last = 1;
function work() {
  let x = last;
  for (let i = 0; i < rounds; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  last = x;
}
Deno.serve({ hostname: "127.0.0.1", port: port || Number(Deno.env.get("PORT")) }, async () => {
  work();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  return new Response("Hello");
});
`;

export interface Served extends AsyncDisposable {
  readonly url: string;
}

export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}

interface Work {
  /** Of arithmetic; default none. */
  readonly rounds?: number;
  /** Default none. */
  readonly waitMs?: number;
  /** Default a free one. */
  readonly port?: number;
}

export async function serverOf(
  folder: string,
  { rounds = 0, waitMs = 0, port = freePort() }: Work = {},
): Promise<Served> {
  const file = join(folder, "server.js");
  Deno.writeTextFileSync(file, SERVER);
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-config", "--allow-net", "--allow-env", file],
      ...[port, rounds, waitMs].map(String),
    ],
    ...{ stdin: "null", stdout: "null", stderr: "null" },
  });
  const child = command.spawn();
  const url = `http://127.0.0.1:${port}/`;
  const isThere = (): Promise<boolean> =>
    fetch(url).then((response) => response.text()).then(() => true, () => false);
  await until(`${url} responds`, isThere);
  return {
    url,
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}
