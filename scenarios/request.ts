/**
 * What is asked: one HTTP request with its expectations, as written in the file, as it goes over the
 * wire (RFC 9112 §3), and how an answer is judged.
 */
import { z } from "zod";

export const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"] as const;
export type Method = (typeof METHODS)[number];

/** Text of a given form; `rule` is what a wrong one is told. */
function formed(form: RegExp, what: string, rule: string): z.ZodString {
  return z.string().regex(form, {
    error: ({ input }) => `Cannot use ${JSON.stringify(input)} as ${what}: ${rule}`,
  });
}

const path = formed(/^\/[\x21-\x7e]*$/, "a path", "start with /, and encode spaces and non-ASCII");

// RFC 9110 §5.1 and §5.5; how long the body is, the encoder knows best.
export const headerName = formed(
  /^(?!(?:content-length|transfer-encoding)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i,
  "a header name",
  "only letters, digits and signs such as - are; content-length and transfer-encoding follow from the body",
);
export const headerValue = formed(
  /^[\x20-\x7e\t\x80-\xff]*$/,
  "a header value",
  "line breaks and characters beyond Latin-1 are not allowed",
);

export const status = z.int().min(100).max(599);

export const expectation = z.strictObject({
  status: z.union([status, z.array(status).min(1)]).optional()
    .describe("Status, or any of several; 2xx and 3xx when absent"),
  body: z.string().optional().describe("The whole body, exactly"),
  contains: z.string().optional().describe("Text that the body must contain"),
});

export type Expectation = z.output<typeof expectation>;

const paths = Object.fromEntries(METHODS.map((method) => [method, path.optional()]));

export const scenarioSpec = z.strictObject({
  ...paths as Record<Method, z.ZodOptional<z.ZodString>>,
  headers: z.record(headerName, headerValue).default({}).describe("Header fields of the request"),
  body: z.string().optional().describe("Body, as text"),
  json: z.json().optional().describe("Body, as JSON; sets content-type"),
  expect: expectation.prefault({}).describe("What a right answer looks like"),
  targets: z.array(z.string()).min(1).optional()
    .describe("Only these targets are asked; all when absent"),
  needs: z.array(z.enum(["redis"])).default([]).describe("What must be there for it"),
}).superRefine((scenario, context) => {
  const misspelt = context.issues.some(({ code }) => code === "unrecognized_keys");
  for (const { path, message } of contradictions(scenario)) {
    if (path.length > 0 || !misspelt) context.addIssue({ code: "custom", path, message });
  }
}, { when: ({ value }) => typeof value === "object" && value !== null });

export type Scenario = z.output<typeof scenarioSpec>;

function contradictions(scenario: Partial<Scenario>): { path: string[]; message: string }[] {
  const found: { path: string[]; message: string }[] = [];
  const given = methodsOf(scenario);
  if (given.length === 0) {
    const choices = METHODS.join(", ");
    const message =
      `Cannot ask without a request: write one of ${choices} with a path, as in get: /static`;
    found.push({ path: [], message });
  }
  if (given.length > 1) {
    const message = `Cannot ask with two methods at once: ${given.join(" and ")} are given`;
    found.push({ path: [given[1]], message });
  }
  if (scenario.body !== undefined && scenario.json !== undefined) {
    found.push({ path: ["json"], message: "Cannot send both body and json: leave one out" });
  }
  return found;
}

function methodsOf(scenario: Partial<Scenario>): Method[] {
  return METHODS.filter((method) => scenario[method] !== undefined);
}

/** What goes over the wire, but for Host and the framing of the body. */
export interface WireRequest {
  readonly method: string;
  /** Origin form: path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for none. */
  readonly body: string | null;
}

export function wireRequest(scenario: Scenario): WireRequest {
  const [method] = methodsOf(scenario);
  const { headers, body = null, json } = scenario;
  const request = { method: method.toUpperCase(), path: scenario[method] ?? "/" };
  if (json === undefined) return { ...request, headers, body };
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return {
    ...request,
    headers: typed ? headers : { ...headers, "content-type": "application/json" },
    body: JSON.stringify(json),
  };
}

/** 2xx and 3xx: what is right when nothing else is expected. */
const USUAL_STATUSES = Array.from({ length: 200 }, (_, index) => 200 + index);

/** The statuses of a right answer. */
export function rightStatuses({ status }: Expectation): readonly number[] {
  if (status === undefined) return USUAL_STATUSES;
  return typeof status === "number" ? [status] : status;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** What is wrong with `answer`, beside what was expected; null when it is right. */
export function wrongAnswer(expect: Expectation, { status, body }: Answer): string | null {
  if (!rightStatuses(expect).includes(status)) {
    const right = expect.status === undefined ? "2xx or 3xx" : rightStatuses(expect).join(" or ");
    return `expected status ${right}, got ${status} with body ${excerpt(body)}`;
  }
  if (expect.body !== undefined && body !== expect.body) {
    return `expected body ${excerpt(expect.body)}, got ${excerpt(body)}`;
  }
  if (expect.contains !== undefined && !body.includes(expect.contains)) {
    return `expected a body that contains ${excerpt(expect.contains)}, got ${excerpt(body)}`;
  }
  return null;
}

const EXCERPT_CHARS = 200;

function excerpt(text: string): string {
  return JSON.stringify(text.length <= EXCERPT_CHARS ? text : `${text.slice(0, EXCERPT_CHARS)}…`);
}
