/** Origins that nginx and balancers can dial: http://host:port, without certificates and sockets. */
import { TargetError } from "../../scenarios/errors.ts";
import type { RunningTarget } from "./launcher.ts";

/** Throws a TargetError when the way to the target is another. */
export function plainOrigin({ origin, access }: RunningTarget, { name }: { name: string }): string {
  if (origin.startsWith("http:") && access?.unixPath === undefined) return origin;
  throw new TargetError(
    `Cannot start target ${name}: it can stand only in front of http://host:port, ` +
      "neither of https nor of a unix socket, as a proxy can",
  );
}
