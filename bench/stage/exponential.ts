/**
 * `exponential.ts SEED` runs a server whose response times are exponential with a mean of one second, drawn from the
 * seed; only `/` is answered at once. The variable PORT gives the port.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../statistics/random.ts";

const MEAN_MS = 1_000;

const random = new Random(Number(Deno.args[0]));

Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")), onListen: () => {} },
  async ({ url }) => {
    if (new URL(url).pathname !== "/") await sleep(MEAN_MS * random.exponential());
    return new Response("ok");
  },
);
