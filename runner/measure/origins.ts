/** Where the requests of a load go: to the target, and to the hosts that the experiment names for its redirects. */
import {
  type Access,
  accessElsewhere,
  type Endpoint,
  endpointOf,
} from "../../base/net/endpoint.ts";
import type { Script } from "../../scenarios/request/script.ts";
import type { LoadRequest } from "./loader.ts";

export interface LoadedOrigin {
  readonly origin: string;
  readonly endpoint: Endpoint;
}

interface OriginsRequest extends Access {
  readonly origin: string;
  readonly script: Script;
}

/** Those of a load, which is over one protocol. */
export function originsOfLoad(
  request: LoadRequest,
): readonly [target: LoadedOrigin, ...LoadedOrigin[]] {
  return originsOf({ ...request, http2: request.load.http2 });
}

/** The target's first, then those that redirects may lead to. */
export function originsOf(
  request: OriginsRequest,
): readonly [target: LoadedOrigin, ...LoadedOrigin[]] {
  const { origin } = new URL(request.origin);
  const others = (request.script.elsewhere ?? []).filter((other) => other !== origin);
  const access = accessElsewhere(request);
  return [
    { origin, endpoint: endpointOf(origin, request) },
    ...others.map((origin) => ({ origin, endpoint: endpointOf(origin, access) })),
  ];
}
