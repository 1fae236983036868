/** Which driver a load takes. `auto` takes the best that works here. */
import { type Problem, UserError } from "../../scenarios/errors.ts";
import { type Endpoint, isPlainTcp } from "../../targets/dial/endpoint.ts";
import type { DriverName } from "./driver.ts";
import { libc } from "./libc.ts";

export interface DriverChoice {
  readonly driver: DriverName;
  /** Why it is not the best one, or null. */
  readonly note: string | null;
}

/** Throws a UserError when the wish can't be granted for this endpoint on any machine. */
export function chooseDriver(wish: DriverName | "auto", endpoint: Endpoint): DriverChoice {
  if (wish === "epoll" && !isPlainTcp(endpoint)) throw new UserError([needsTcpDriver(endpoint)]);
  if (wish === "tcp" || !isPlainTcp(endpoint)) return { driver: "tcp", note: null };
  try {
    libc();
    return { driver: "epoll", note: null };
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    return { driver: "tcp", note: `The tcp driver is used, as epoll can't be had here: ${why}` };
  }
}

function needsTcpDriver(endpoint: Endpoint): Problem {
  const what = "path" in endpoint ? "on a unix socket" : "with TLS";
  const message = `Cannot use the epoll driver ${what}: it speaks plain TCP alone`;
  return { place: "--driver", message, fix: "use tcp or auto" };
}
