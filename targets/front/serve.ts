/** Serves one front in this process: what the hidden command `front` does. */
import { listenOn, type ListenOptions, originAt } from "../listen.ts";
import { settlesWithin } from "../launch/settles.ts";
import type { Front } from "./front.ts";
import { ownAnswer } from "./own_answer.ts";
import type { FrontSettings } from "./settings.ts";

/** What is in flight at the end has this long to finish. */
const CLOSE_MS = 200;

export interface ServedFront {
  readonly origin: string;
  tell(line: string): void;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Throws a TargetError when it cannot listen, or its store does not answer. */
export async function serveFront(
  settings: FrontSettings,
  where: ListenOptions,
): Promise<ServedFront> {
  const front = await openFront(settings);
  const server = listenOn(where, (request) => ownAnswer(request) ?? front.fetch(request));
  return {
    origin: originAt(server.addr.hostname, server.addr.port),
    tell: (line) => front.tell(line),
    close: async () => {
      await settlesWithin(server.shutdown(), CLOSE_MS);
      front.close();
    },
  };
}

async function openFront(settings: FrontSettings): Promise<Front> {
  if (settings.kind === "proxy") {
    return await (await import("../proxy/proxy.ts")).openProxy(settings);
  }
  return new (await import("../cluster/balancer.ts")).Balancer(settings);
}
