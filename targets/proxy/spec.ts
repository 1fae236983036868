/** The lines of a caching proxy in front of a target. */
import { z } from "zod";
import { between } from "../../base/quantity.ts";
import { oneOrList, type Settled } from "../factor.ts";
import { originName } from "../upstream/origin_name.ts";
import { storeNames } from "./stores/registry.ts";

/** 8 MB. */
const LARGEST_BODY_BYTES = 8 * 1_024 * 1_024;

export const proxyTarget = z.strictObject({
  proxy: z.strictObject({
    origin: originName
      .describe(
        "What it stands in front of: the name of another target, or http://host:port or https://host:port",
      ),
    store: oneOrList(z.enum(storeNames)).default("memory").describe("Where answers are kept"),
    ttl: oneOrList(between("1ms", "24h")).prefault("60s").describe(
      "How long a kept answer is fresh, unless the origin says a shorter time",
    ),
    stale: oneOrList(between("0s", "24h")).prefault("0s").describe(
      "How long after that it is still served, while one request fetches it anew",
    ),
    paths: z.array(z.string().regex(/^\/[\x21-\x7e]*$/, "Cannot use this as a path: start with /"))
      .min(1).default(["/"])
      .describe("Only these paths, and what is below them, are kept"),
    singleFlight: oneOrList(z.boolean()).default(true).describe(
      "Requests for what is being fetched wait for it, instead of asking the origin too",
    ),
    maxBodyBytes: oneOrList(z.int().min(0).max(64 * LARGEST_BODY_BYTES)).default(LARGEST_BODY_BYTES)
      .describe("Larger bodies pass through and are not kept"),
  }).describe("A cache in front of another server"),
});

/** With lists where they make factors. */
export type WrittenProxy = z.output<typeof proxyTarget>;

export interface ProxyTarget {
  readonly proxy: Settled<
    WrittenProxy["proxy"],
    "store" | "ttl" | "stale" | "singleFlight" | "maxBodyBytes"
  >;
}
