/** Where an origin's connections go. */
import type { Endpoint } from "./load/job.ts";

/** @param origin `http://host:port`, without a path. */
export function endpointOf(origin: string): Endpoint {
  const { hostname, port } = new URL(origin);
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) };
}
