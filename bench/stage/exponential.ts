/**
 * A server whose answers to anything but / take exponential times with a mean of a second, from a seed: `exponential.ts
 * SEED`, with PORT in the environment.
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
