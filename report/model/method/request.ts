/** What a scenario sends, in a line. Pure. */
import * as z from "zod";
import { formatExactly, GLUE } from "../numbers/units.ts";

const MOST_CHARS = 100;

const path = z.string().optional();

/** A request, also one of a mix, or a step of a flow; `think` in milliseconds. */
const requestSpec = z.object({
  get: path,
  head: path,
  post: path,
  put: path,
  patch: path,
  delete: path,
  options: path,
  weight: z.number().positive().default(1),
  think: z.number().min(0).optional(),
});
type WrittenRequest = z.output<typeof requestSpec>;

const scenario = z.union([
  z.object({ flow: z.array(requestSpec).min(1) }),
  z.object({ mix: z.array(requestSpec).min(1) }),
  z.object({ page: z.string(), with: z.array(z.unknown()).default([]) }),
  requestSpec,
]);

/**
 * Such as `POST /login`, `flow: GET /home → think 1 s → GET /me` or `mix: 70 % GET /a, 30 % GET /b`, at
 * most 100 characters; "" when the experiment does not say.
 * @param scenarios Of the experiment, with defaults filled in.
 */
export function requestText(name: string, scenarios: unknown): string {
  const { data } = z.record(z.string(), z.unknown()).safeParse(scenarios);
  const spec = scenario.safeParse(data?.[name]).data;
  if (spec === undefined) return "";
  if ("flow" in spec) return listed("flow: ", spec.flow.map(stepText), " → ");
  if ("mix" in spec) return listed("mix: ", mixTexts(spec.mix), ", ");
  if (!("page" in spec)) return cut(stepText(spec), MOST_CHARS);
  const needed = spec.with.length === 0 ? "" : ` with ${spec.with.length} more`;
  return cut(`page: GET ${spec.page}`, MOST_CHARS - needed.length) + needed;
}

function stepText({ weight: _, think, ...paths }: WrittenRequest): string {
  if (think !== undefined) return `think ${thinkText(think)}`;
  const [method, path] = Object.entries(paths).find(([, path]) => path !== undefined) ?? [];
  return method === undefined ? "" : `${method.toUpperCase()} ${path}`;
}

/** As people write it: no digits but those given. */
function thinkText(ms: number): string {
  return ms < 1_000 ? `${ms}${GLUE}ms` : formatExactly(ms / 1_000);
}

function mixTexts(requests: readonly WrittenRequest[]): string[] {
  const total = requests.reduce((sum, { weight }) => sum + weight, 0);
  return requests.map((request) => {
    const percent = Number((100 * request.weight / total).toPrecision(3));
    return `${percent}${GLUE}% ${stepText(request)}`;
  });
}

/** As many as there is room for, and how many more there are. */
function listed(head: string, texts: readonly string[], separator: string): string {
  for (let shown = texts.length; shown > 0; shown--) {
    const line = head + texts.slice(0, shown).join(separator) + more(texts.length - shown);
    if (line.length <= MOST_CHARS) return line;
  }
  const rest = more(texts.length - 1);
  return cut(head + texts[0], MOST_CHARS - rest.length) + rest;
}

function more(count: number): string {
  return count === 0 ? "" : ` and ${count} more`;
}

function cut(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${text.slice(0, mostChars - 1)}…`;
}
