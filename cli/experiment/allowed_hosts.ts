/**
 * The hosts that `run` and `bench` may send load to if the process that started them sets limits, as `plateau mcp`
 * does.
 */
import { UserError } from "../../base/errors.ts";
import {
  type Access,
  type Endpoint,
  endpointOf,
  type TcpEndpoint,
} from "../../base/net/endpoint.ts";
import { isUrl } from "../../base/target/gateway_shape.ts";
import type { TargetSpec } from "../../base/target/target_shape.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import { AllowList } from "../../runner/fleet/agent/allow.ts";

/**
 * Throws a UserError unless all endpoints, and the proxies on the way to them, may be loaded. A host name must itself
 * be on the list. It is not enough that its present addresses are on the list, because the name may resolve to others
 * when it is dialed (DNS rebinding).
 * @param hosts Allowed hosts, in the format of `ALLOWED_HOSTS`.
 */
export async function checkAllowed(hosts: string, endpoints: readonly Endpoint[]): Promise<void> {
  const list = new AllowList(hosts.split(","), null, {
    who: "plateau mcp",
    flag: "--allow-host",
  });
  const refusals = new Set<string>();
  for (const endpoint of endpoints.flatMap(dialed)) {
    const admission = await list.admit(endpoint);
    if ("refusal" in admission) refusals.add(admission.refusal);
  }
  if (refusals.size === 0) return;
  throw new UserError([...refusals].map((message) => ({ place: "target", message })));
}

function dialed(endpoint: Endpoint): Endpoint[] {
  if ("path" in endpoint || endpoint.proxy === undefined) return [endpoint];
  const { hostname, port }: Pick<TcpEndpoint, "hostname" | "port"> = endpoint.proxy;
  return [endpoint, { hostname, port }];
}

/** The endpoints that planned cells load, except those of programs that the experiment itself starts. */
export function endpointsOf(cells: readonly Cell[]): Endpoint[] {
  return cells.flatMap(({ targetSpec, others, request }) => {
    const { follow } = { follow: undefined, ...request };
    const elsewhere = typeof follow === "object" ? follow.hosts : [];
    return [
      ...[targetSpec, ...Object.values(others)].flatMap(outside),
      ...elsewhere.map((host) => endpointOf(new URL(host).origin)),
    ];
  });
}

function outside(spec: TargetSpec): Endpoint[] {
  if ("url" in spec) return [endpointOf(new URL(spec.url).origin, accessOf(spec))];
  const behind = "proxy" in spec
    ? spec.proxy.origin
    : "nginx" in spec
    ? spec.nginx.proxy
    : undefined;
  return behind !== undefined && isUrl(behind) ? [endpointOf(behind)] : [];
}

function accessOf(
  { unix, resolve, httpProxy }: Extract<TargetSpec, { url: string }>,
): Access {
  return {
    unixPath: unix,
    ...resolve && { addresses: resolve.addresses },
    ...httpProxy !== undefined && { proxy: httpProxy },
  };
}
