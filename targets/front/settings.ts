/**
 * What a front process of ours is told by the one that starts it: as JSON, in the first line of its standard
 * input. There may be a password in it, and more certificates than an environment can hold.
 */
import { z } from "zod";
import { policyNames } from "../cluster/policies/registry.ts";
import { storeNames } from "../proxy/stores/registry.ts";

const proxySettings = z.strictObject({
  kind: z.literal("proxy"),
  origin: z.url(),
  access: z.strictObject({
    insecure: z.boolean().optional(),
    caCerts: z.array(z.string()).readonly().optional(),
    unixPath: z.string().optional(),
  }),
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
