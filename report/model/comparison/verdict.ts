/** The verdict of a whole experiment in one sentence, from the answers of its scenarios. */
import type { Answer } from "./summary.ts";
import { counted, listed } from "../numbers/words.ts";

interface Answered {
  readonly name: string;
  readonly answer: Pick<Answer, "verdict" | "pairs">;
}

/** So many different verdicts are told. */
const MOST_VERDICTS = 4;

/** `In static and fib: hono is fastest; in redis: hono and express are too close to call.`; "" without scenarios. */
export function verdictOf(scenarios: readonly Answered[]): string {
  if (scenarios.length === 0) return "";
  if (scenarios.length === 1) return alone(scenarios[0]);
  const groups = [...Map.groupBy(scenarios, ({ answer }) => answer.verdict)];
  const told = groups.slice(0, MOST_VERDICTS)
    .map(([verdict, those], i) => `${i === 0 ? "In" : "in"} ${namesOf(those)}: ${verdict}`);
  const rest = groups.slice(MOST_VERDICTS).reduce((sum, [, those]) => sum + those.length, 0);
  if (rest > 0) told.push(`${counted(rest, "more scenario")} below`);
  return `${told.join("; ")}.`;
}

/** With the ratio of the next to the first, whose sentence may begin with the verdict. */
function alone({ answer: { verdict, pairs } }: Answered): string {
  if (pairs.length > 0 && pairs[0].startsWith(`${verdict}: `)) return `${pairs[0]}.`;
  return pairs.length === 0 ? `${verdict}.` : `${verdict} (${pairs[0]}).`;
}

/** As many scenarios are named. */
const MOST_NAMES = 4;

function namesOf(scenarios: readonly Answered[]): string {
  if (scenarios.length > MOST_NAMES) return counted(scenarios.length, "scenario");
  return listed(scenarios.map(({ name }) => name), "and");
}
