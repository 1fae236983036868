/** The key `pin`: the cores for the targets, and the cores for the load workers. */
import * as z from "zod";
import { readAllowedCores } from "../../base/system/linux.ts";
import { coresText, parseCores } from "../../base/system/affinity.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** The machine on which an experiment is read. */
interface MachineCores {
  /** The operating system, as in `Deno.build.os`. */
  readonly os: string;
  /** The cores on which this process may run; null if unknown. */
  readonly allowed: readonly number[] | null;
}

/** Why a list of cores can't be used on that machine; null if it can. */
export function coresProblem(text: string, { os, allowed }: MachineCores): string | null {
  const cores = parseCores(text);
  if (cores === null) {
    return `Cannot use ${quotedOpenly(text)} as cores: write numbers and ranges, such as "0-3,6"`;
  }
  if (os !== "linux") {
    return `Cannot pin anything to cores on ${os}: only Linux supports it; leave pin out`;
  }
  if (allowed === null) return null;
  const missing = cores.filter((core) => !allowed.includes(core));
  if (missing.length === 0) return null;
  return `Cannot pin to ${missing.length === 1 ? "core" : "cores"} ${coresText(missing)}: ` +
    `the available cores are ${coresText(allowed)}`;
}

const coreList = z.union([z.string(), z.int().min(0).transform(String)])
  .superRefine((text, context) => {
    const problem = coresProblem(text, coresHere());
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  });

export const pin = z.strictObject({
  targets: coreList.optional().describe(
    'Cores of the targets and all processes that they start, such as "0-3,6"',
  ),
  workers: coreList.optional().describe("Cores of Plateau itself and its load workers"),
});

export type PinSpec = z.output<typeof pin>;

function coresHere(): MachineCores {
  const { os } = Deno.build;
  return { os, allowed: os === "linux" ? readAllowedCores() : null };
}
