/** What a front process of ours is told by the one that starts it. */
import { z } from "zod";
import { policyNames } from "../cluster/policies/registry.ts";
import { storeNames } from "../proxy/stores/registry.ts";

/** Holds the settings as JSON, in the environment of the front: they may have a password in them. */
export const FRONT_SETTINGS = "PLATEAU_FRONT";

const proxySettings = z.strictObject({
  kind: z.literal("proxy"),
  origin: z.url(),
  store: z.enum(storeNames),
  redisUrl: z.string().nullable(),
  ttlMs: z.number(),
  staleMs: z.number(),
  paths: z.array(z.string()),
  singleFlight: z.boolean(),
  maxBodyBytes: z.int(),
});

const balancerSettings = z.strictObject({
  kind: z.literal("balancer"),
  origins: z.array(z.url()).min(1),
  policy: z.enum(policyNames),
});

export const frontSettings = z.discriminatedUnion("kind", [proxySettings, balancerSettings]);

export type FrontSettings = z.output<typeof frontSettings>;
export type ProxySettings = z.output<typeof proxySettings>;
export type BalancerSettings = z.output<typeof balancerSettings>;
