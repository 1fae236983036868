/** One load on one origin: what is asked, how, and what is noted of it. */
import type { Access } from "../../base/net/endpoint.ts";
import type { CellLoad } from "../../scenarios/load/cell_load.ts";
import type { Script } from "../../scenarios/request/script.ts";
import type { DriverName } from "../load/driver.ts";

export interface LoadRequest extends Access {
  /** `http://host:port` or `https://host:port`, without a path. */
  readonly origin: string;
  readonly script: Script;
  readonly load: CellLoad;
  /** Of the arrivals. */
  readonly seed: number;
  /** auto: the best that works here. */
  readonly driver: DriverName | "auto";
  readonly intervalMs: number;
  /** File for the request log; null for none. */
  readonly logPath: string | null;
  /** Whether an answer with a status outside 2xx and 3xx is wrong where the script expects nothing. */
  readonly implicitCheck: boolean;
}
