/**
 * The steps of a scenario and the names of their figures. Steps are the requests of a mix, flow or page, as listed in
 * the experiment file. Pure.
 */
import { type Distribution, type FigureName, figureNamed, MESSAGE_TIMES } from "./figure.ts";

/** Maximum length, in characters, of a step's name that is made of the method and path; a longer one is cut. */
const MOST_CHARS = 200;

const METHODS = [
  ...["get", "head", "post", "put", "patch", "delete", "options"] as const,
  "websocket",
] as const;

/**
 * Name under which a request is reported: its own name, or else its gRPC method, or else its HTTP method and path as
 * written.
 */
export function stepNameOf(request: object): string {
  const { name, ...fields }: Readonly<Record<string, unknown>> = { name: undefined, ...request };
  if (typeof name === "string") return name;
  if (typeof fields.grpc === "string") return fields.grpc;
  const method = METHODS.find((method) => typeof fields[method] === "string") ?? "get";
  const text = `${method.toUpperCase()} ${fields[method] ?? "/"}`;
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS - 1)}…`;
}

/**
 * The paths of all steps of all scenarios, such as `checkout.pay`, as claims and thresholds write them. A scenario with
 * a single step contributes none.
 */
export function stepPathsIn(scenarios: unknown): string[] {
  return Object.entries(Object(scenarios)).flatMap(([name, scenario]) =>
    stepNamesIn(scenario).map((step) => stepPath(name, step))
  );
}

/**
 * The distinct names of a scenario's steps, in the order of the file. Empty if there is only one name.
 * @param scenario The scenario as written in the file, valid or not.
 */
export function stepNamesIn(scenario: unknown): string[] {
  const { mix, flow, page, with: needed } = Object(scenario);
  const requests: unknown[] = [
    ...listed(mix),
    ...listed(flow).filter((step) => Object(step).think === undefined),
    ...typeof page === "string" ? [page, ...listed(needed)].map((get) => ({ get })) : [],
  ];
  const names = [...new Set(requests.map((request) => stepNameOf(Object(request))))];
  return names.length > 1 ? names : [];
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a figure is also known for each step. Some, such as CPU time, are known only for whole runs. */
export function isStepFigure(figure: string): boolean {
  const known = figureNamed(figure);
  if (known === null) return false;
  const { name, distribution } = known;
  return distribution === null ? OF_STEPS.includes(name) : TIMES_OF_STEPS.includes(distribution);
}

const TIMES_OF_STEPS: readonly Distribution[] = ["latency", ...MESSAGE_TIMES];

const OF_STEPS: readonly FigureName[] = [
  ...["rate", "requests", "success", "errors", "dropped"] as const,
  ...["2xx", "3xx", "4xx", "5xx"] as const,
  ...["events", "eventsPerSec", "tokens", "tokensPerSec"] as const,
  ...["messages", "messagesPerSec", "messages.failed", "messages.dropped"] as const,
];

/** The name of a step in claims and thresholds: `checkout.pay`. */
export function stepPath(scenario: string, step: string): string {
  return `${scenario}.${step}`;
}

const REDIRECTED = " (redirected)";

/** The name under which the requests that follow a step's redirects are reported. */
export function redirectedName(step: string): string {
  return `${step}${REDIRECTED}`;
}

export function isRedirectedName(name: string): boolean {
  return name.endsWith(REDIRECTED);
}
