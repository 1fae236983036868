/** Advice as the report words it. Data names it by code (`runner/result/findings.ts`). */
import type { Advice } from "../../../runner/result/findings.ts";

/** Each goes on from `Fix: ` or from `, or `. */
const TEXTS: Readonly<Record<Advice, string>> = {
  "check-target": "check that the target runs and is reachable",
  "check-responses": "check the responses of the target",
  "check-agent": "check the log of the agent",
  "check-late-agents": "check the load on the machines of the late agents",
  "see-agents": "read the findings of each agent in the results",
  "more-workers": "give the generator more workers (-w of bench, workers of a load)",
  "more-generator-cores": "give the generator more cores",
  "own-machine": "run the generator on its own machine",
  "other-machine": "use another machine",
  "larger-machine": "use a larger machine",
  "separate-cores": "give target and generator their own cores",
  "stop-other-programs": "stop other programs or keep them to other cores",
  "raise-priority": "give the target normal priority",
  "raise-cpu-limit": "raise or lift the CPU limit",
  "repeat-run": "repeat the run",
  "own-host": "use a host of your own",
  "reuse-connections":
    "keep connections alive, use fewer of them, or widen net.ipv4.ip_local_port_range",
  "raise-open-files": "raise the limit with ulimit -n, or use fewer connections",
  "more-connections": "add connections (-c of bench, connections of a load)",
  "lower-rate": "lower the rate",
  "longer-run": "make the run longer",
  "inspect-timeline": "inspect the timeline",
  "compare-differences": "compare differences, not ratios",
  "heavier-requests": "send requests that take the target longer",
  "nearer-redis": "use a Redis nearer to the agents",
};

/** `Give the generator more cores, or run the generator on its own machine.`; "" without advice. */
export function adviceSentence(advice: readonly Advice[]): string {
  if (advice.length === 0) return "";
  const text = advice.map((code) => TEXTS[code]).join(", or ");
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
