/** That a target does not start, and why, as all who start one say it. */
import { TargetError } from "../../base/errors.ts";
import type { LaunchContext } from "./launcher.ts";

export function cannotStart({ name }: Pick<LaunchContext, "name">, why: string): TargetError {
  return new TargetError(`Cannot start target ${name}: ${why}`);
}
