/**
 * The origin server behind the gateways of the field trials. It speaks HTTP/1.1, runs in this process and serves the
 * paths of `app.mjs`.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { handler } from "./servers/app.mjs";

interface Origin extends AsyncDisposable {
  readonly port: number;
}

export async function startOrigin(): Promise<Origin> {
  const server = createServer({ keepAliveTimeout: 60_000 }, handler(null));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
