/** Origins that nginx and balancers can dial: http://host:port, without certificates and sockets. */
import { cannotStart } from "./cannot_start.ts";
import type { RunningTarget } from "./launcher.ts";

/** Throws a TargetError when the way to the target is another. */
export function plainOrigin({ origin, access }: RunningTarget, context: { name: string }): string {
  if (origin.startsWith("http:") && access?.unixPath === undefined) return origin;
  const others = "neither of https nor of a unix socket, as a proxy can";
  throw cannotStart(context, `it can stand only in front of http://host:port, ${others}`);
}
