/** Serves one gateway in this process. The hidden command `gateway` uses it. */
import { listenOn, type ListenOptions, originAt } from "../base/net/listen.ts";
import { settlesWithin } from "./launch/settles.ts";
import type { Gateway, GatewaySettings } from "./gateways/gateway.ts";
import { ownResponse } from "./gateways/response.ts";

/** How long requests in flight may take to finish when the gateway closes. */
const CLOSE_MS = 200;

export interface ServedGateway {
  readonly origin: string;
  receive(line: string): void;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Throws a TargetError if the gateway cannot listen, or its store does not respond. */
export async function serveGateway(
  settings: GatewaySettings,
  where: ListenOptions,
): Promise<ServedGateway> {
  const gateway = await openGateway(settings);
  const server = listenOn(where, (request) => ownResponse(request) ?? gateway.fetch(request));
  return {
    origin: originAt(server.addr.hostname, server.addr.port),
    receive: (line) => gateway.receive(line),
    close: async () => {
      await settlesWithin(server.shutdown(), CLOSE_MS);
      gateway.close();
    },
  };
}

async function openGateway(settings: GatewaySettings): Promise<Gateway> {
  if (settings.kind === "proxy") {
    return await (await import("./gateways/proxy/proxy.ts")).openProxy(settings);
  }
  return new (await import("./gateways/cluster/balancer.ts")).Balancer(settings);
}
