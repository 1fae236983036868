/** How many redirects the requests of a scenario follow, and to which hosts they may lead. */
import * as z from "zod";
import { quotedOpenly } from "../../base/secrets.ts";

export const MOST_HOPS = 20;
/**
 * The most hosts to which redirects may lead, because each connection of the load may open another one to each host.
 */
const MOST_HOSTS = 8;

export const hops = z.int().min(1).max(MOST_HOPS);

/** The URL of an origin: scheme, host and port, and nothing else. */
const host = z.string().superRefine((text, context) => {
  const url = URL.parse(text);
  const isWhole = url !== null && /^https?:\/\//i.test(text) && url.href === `${url.origin}/`;
  if (isWhole) return;
  context.addIssue(
    `Cannot follow redirects to ${quotedOpenly(text)}: write scheme, host and port, ` +
      "such as https://auth.example.org",
  );
});

export const followSpec = z.union([
  hops,
  z.strictObject({
    hops: hops.describe("Maximum number of redirects that each request follows"),
    hosts: z.array(host).min(1).max(MOST_HOSTS)
      .describe(
        "Hosts to which redirects may lead besides the target, such as https://auth.example.org",
      ),
  }),
]).optional().describe(
  "Maximum number of redirects that each request follows, within the target and the hosts that are named (default: none)",
);

export interface Follow {
  /** The most redirects to follow. At 0, a redirect counts as the response. */
  readonly most: number;
  /** Origins to which redirects may lead, besides the target's own. */
  readonly elsewhere: readonly string[];
}

export function followOf(spec: z.output<typeof followSpec>): Follow {
  if (typeof spec !== "object") return { most: spec ?? 0, elsewhere: [] };
  const elsewhere = new Set(spec.hosts.map((host) => new URL(host).origin));
  return { most: spec.hops, elsewhere: [...elsewhere] };
}
