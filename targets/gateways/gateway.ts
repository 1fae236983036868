/**
 * A gateway of Plateau's own, either the caching proxy or the balancer: a server in its own process that forwards the
 * responses of other servers. The process that starts it sends the settings as JSON in the first line of standard
 * input, because they may contain a password, and more certificates than fit in environment variables.
 */
import { accessShape } from "../../base/target/access.ts";
import { policyNames, storeNames } from "../../base/target/gateway_shape.ts";
import * as z from "zod";

export interface Gateway {
  fetch(request: Request): Response | Promise<Response>;
  /**
   * Handles a line from the process that started the gateway: `empty` for the proxy, `join ORIGIN` for the balancer.
   */
  receive(line: string): void;
  close(): void;
}

const proxySettings = z.strictObject({
  kind: z.literal("proxy"),
  origin: z.url(),
  access: accessShape,
  store: z.enum(storeNames),
  redisUrl: z.string().nullable(),
  ttlMs: z.number(),
  staleMs: z.number(),
  paths: z.array(z.string()),
  singleFlight: z.boolean(),
  maxBodyBytes: z.int(),
  invalidate: z.record(z.string(), z.array(z.string())).optional(),
});

const balancerSettings = z.strictObject({
  kind: z.literal("balancer"),
  origins: z.array(z.url()).min(1),
  policy: z.enum(policyNames),
  slowStartMs: z.number().optional(),
});

export const gatewaySettings = z.discriminatedUnion("kind", [proxySettings, balancerSettings]);

export type GatewaySettings = z.output<typeof gatewaySettings>;
export type ProxySettings = z.output<typeof proxySettings>;
export type BalancerSettings = z.output<typeof balancerSettings>;
