/** Imports a HAR file (HTTP Archive 1.2), in which a browser saves the requests of its pages, as one user journey. */
import { METHODS } from "../../base/http/request.ts";
import * as z from "zod";
import { quotedOpenly } from "../../base/secrets.ts";
import { explain } from "../../base/explain.ts";
import { headerName, headerValue } from "../request/request.ts";
import { LONGEST_THINK_MS } from "../request/flow.ts";
import { percentEncoded } from "../request/template.ts";
import { Expansion } from "./format/expansion.ts";
import {
  BRACES,
  BRACES_VALUE,
  type Format,
  type Import,
  type ImportContext,
  nameFrom,
  Origins,
  withoutNames,
} from "./format/format.ts";

/** Some tools write null for a missing value. */
const text = z.string().nullish().transform((given) => given ?? "");
const pair = z.object({ name: z.string(), value: text });
const pairs = z.array(pair).nullish().transform((given) => given ?? []);

const posted = z.object({
  mimeType: text,
  text: z.string().nullish(),
  params: pairs,
  encoding: z.string().nullish().describe("base64 for bytes; proposed for HAR 1.3"),
});

const entry = z.object({
  startedDateTime: z.string().refine((text) => !Number.isNaN(Date.parse(text)), {
    error: ({ input }) => `Cannot read ${quotedOpenly(input)} as a moment`,
  }),
  time: z.number().nullish().transform((given) => given ?? 0).describe("Milliseconds"),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: pairs,
    postData: posted.nullish().transform((given) => given ?? undefined),
  }),
  response: z.object({
    status: z.number().int(),
    content: z.object({ mimeType: text }).nullish(),
  }),
  _fromCache: z.string().nullish().describe(
    "memory or disk: the response came from the browser's cache",
  ),
});

const archive = z.object({
  log: z.object({ entries: z.array(entry) }),
}).superRefine(({ log: { entries } }, context) => {
  if (entries.filter(hasResponse).length > 0) return;
  const message = "Cannot run an archive without a request that got a response over HTTP";
  context.addIssue({ code: "custom", path: ["log", "entries"], message });
});

type HarEntry = z.output<typeof entry>;
type Pair = z.output<typeof pair>;

/** Header fields that concern the browser's own connection or cache. */
const OWN_FIELDS = new Set([
  ...["host", "content-length", "connection", "keep-alive", "transfer-encoding", "upgrade", "te"],
  ...["expect", "proxy-connection", "if-none-match", "if-modified-since"],
]);
/** Header fields that identify a single user. */
const SECRETS = ["cookie", "authorization", "proxy-authorization"];

/** A shorter pause is taken for the browser's own time, not for a person's think time. */
const LEAST_THINK_MS = 500;

export const har: Format = {
  what: "a HAR file",
  recognise: (data) => Array.isArray(Object(Object(data).log).entries),
  convert: (data, around) => convert(archive.parse(data, { error: explain }).log.entries, around),
};

function convert(entries: readonly HarEntry[], { name }: ImportContext): Import {
  const inOrder = entries.filter(hasResponse).toSorted((a, b) => startMs(a) - startMs(b));
  const origin = mainOrigin(inOrder);
  const sent = inOrder.filter((entry) => originOf(entry) === origin);
  const visit = visitOf(sent);
  const origins = new Origins();
  const expansion = new Expansion();
  const places = new Map(entries.map((entry, at) => [entry, at]));
  const flow = sent.flatMap((entry, at) => {
    const thinkMs = visit.thinksMs[at];
    const think = thinkMs === 0 ? [] : [{ think: `${Math.round(thinkMs)}ms` }];
    const steps = [...think, stepOf(entry)];
    const why = expansion.whyNot(steps);
    const path = ["log", "entries", places.get(entry) ?? 0];
    if (why !== null) {
      const message = `Cannot convert this request: ${why}`;
      throw new z.ZodError([{ code: "custom", path, message, input: entry }]);
    }
    return steps.map((step) => origins.keep(step, path));
  });
  const hasBraces = JSON.stringify(flow).includes(BRACES);
  const experiment = {
    name,
    targets: { [nameFrom(new URL(origin).host, "target")]: { url: origin } },
    scenarios: {
      visit: { flow, ...(hasBraces ? { values: BRACES_VALUE } : {}) },
    },
    load: { connections: 10, duration: `${loadS(visit.lengthS)}s` },
    repeat: 1,
  };
  return { experiment, notes: [...notesOf(entries, sent, origin, visit)], origins };
}

/**
 * Whether the request got a response from a server, and Plateau can send its method. Blocked requests, responses from a
 * cache and WebSockets don't count.
 */
function hasResponse(
  { request: { method, url }, response: { status }, _fromCache }: HarEntry,
): boolean {
  const isKnown = (METHODS as readonly string[]).includes(method.toLowerCase());
  return isKnown && /^https?:\/\//.test(url) && URL.canParse(url) && status >= 200 &&
    (_fromCache ?? undefined) === undefined;
}

/**
 * Of the origins that served a page, the one with the most requests. If none served a page, the origins that sent any
 * response but a redirect are considered instead; if there are none of these either, all origins.
 */
function mainOrigin(entries: readonly HarEntry[]): string {
  const responses = entries.filter(({ response: { status } }) =>
    status < 300 || status >= 400 || status === 304
  );
  const pages = responses.filter(({ response: { content } }) =>
    /^(?:text\/html|application\/xhtml)/i.test(content?.mimeType ?? "")
  );
  const [among] = [pages, responses, entries].filter(({ length }) => length > 0);
  const counts = new Map<string, number>();
  for (const origin of entries.map(originOf)) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  const countOf = (entry: HarEntry): number => counts.get(originOf(entry)) ?? 0;
  return originOf(among.reduce((most, one) => countOf(one) > countOf(most) ? one : most));
}

function originOf({ request: { url } }: HarEntry): string {
  return new URL(url).origin;
}

function* notesOf(
  entries: readonly HarEntry[],
  sent: readonly HarEntry[],
  origin: string,
  { lengthS, cut }: HarVisit,
): Generator<string> {
  const left = entries.length - sent.length;
  if (left > 0) {
    yield `left out: requests to hosts other than ${origin}, served from a cache or without a response: ${left} of ${entries.length}`;
  }
  const fields = sent.flatMap(({ request }) =>
    request.headers.map(({ name }) => name.toLowerCase())
  );
  const secrets = SECRETS.filter((name) => fields.includes(name));
  if (secrets.length > 0) {
    const cookies = secrets.includes("cookie") ? "; cookies that responses set are still sent" : "";
    yield `left out: the ${secrets.join(" and ")} fields, which belong to one user${cookies}`;
  }
  const unsent = sent.flatMap(({ request: { headers } }) =>
    headers.filter((field) => isOthers(field) && !isSendable(field)).map(({ name }) => name)
  );
  if (unsent.length > 0) {
    const names = [...new Set(unsent)].join(", ");
    yield `left out: the header fields ${names}, which hold characters that a header field may not (RFC 9110 §5.5)`;
  }
  const bodiless = sent.filter(({ request: { postData } }) =>
    postData && bodyOf(postData) === null
  );
  if (bodiless.length > 0) {
    const paths = bodiless.map(({ request: { url } }) => new URL(url).pathname);
    yield `left out: the bodies of ${
      [...new Set(paths)].join(", ")
    }, which are not text or are missing from the file`;
  }
  yield "a browser sends several requests at once; here a virtual user sends one after the other";
  if (cut > 0) {
    const pauses = cut === 1
      ? "1 pause of more than 1 h was"
      : `${cut} pauses of more than 1 h were`;
    yield `${pauses} shortened to 1 h, the longest that a flow may have`;
  }
  const why = lengthS <= USUAL_S ? "" : `, because one visit takes ${Math.ceil(lengthS)} s`;
  yield `the load is a default: 10 virtual users for ${loadS(lengthS)} s${why}`;
}

const USUAL_S = 10;
const LONGEST_S = 24 * 3_600;

interface HarVisit {
  /** Think time before each request; 0 for a pause of the browser rather than of a person. */
  readonly thinksMs: readonly number[];
  /** Number of pauses that were shortened to the longest think time allowed. */
  readonly cut: number;
  /** Seconds from the first request to the last response, with long pauses shortened. */
  readonly lengthS: number;
}

function visitOf(sent: readonly HarEntry[]): HarVisit {
  const pausesMs = sent.map((entry, at) =>
    at === 0 ? 0 : startMs(entry) - startMs(sent[at - 1]) - sent[at - 1].time
  );
  const thinksMs = pausesMs.map((ms) => ms < LEAST_THINK_MS ? 0 : Math.min(ms, LONGEST_THINK_MS));
  const cutMs = pausesMs.map((ms) => Math.max(0, ms - LONGEST_THINK_MS));
  const endMs = sent.reduce(
    (last, entry) => Math.max(last, startMs(entry) + Math.max(0, entry.time)),
    0,
  );
  return {
    thinksMs,
    cut: cutMs.filter((ms) => ms > 0).length,
    lengthS: (endMs - startMs(sent[0]) - cutMs.reduce((sum, ms) => sum + ms, 0)) / 1_000,
  };
}

/** Duration of the load: `USUAL_S` if one visit fits into it, otherwise one and a half visits, up to `LONGEST_S`. */
function loadS(visitS: number): number {
  return visitS <= USUAL_S ? USUAL_S : Math.min(LONGEST_S, Math.ceil(1.5 * visitS));
}

function stepOf({ request: { method, url, headers, postData }, response }: HarEntry): object {
  const { pathname, search } = new URL(url);
  const fields = headers.filter((field) => isOthers(field) && isSendable(field))
    .map(({ name, value }) => ({ name, value: withoutNames(value, BRACES) }));
  const body = postData === undefined ? null : bodyOf(postData);
  return {
    [method.toLowerCase()]: withoutNames(pathname + search, "%7B%7B"),
    ...(fields.length > 0 ? { headers: combined(fields) } : {}),
    ...(body === null ? {} : { body }),
    // A server sends a 304 only to a client that has the response in its cache; others get a 200.
    expect: { status: response.status === 304 ? 200 : response.status },
  };
}

/** Whether a header field concerns neither the browser's connection nor a single user. */
function isOthers({ name }: Pair): boolean {
  return !name.startsWith(":") && !OWN_FIELDS.has(name.toLowerCase()) &&
    !SECRETS.includes(name.toLowerCase());
}

function isSendable({ name, value }: Pair): boolean {
  return headerName.safeParse(name).success && headerValue.safeParse(value).success;
}

/** The body as text; null if it is missing or isn't text. A HAR file does not contain uploaded files. */
function bodyOf({ mimeType, text, params, encoding }: z.output<typeof posted>): string | null {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(mimeType);
  if (text === undefined || text === null || (text === "" && isForm)) {
    return isForm && params.length > 0
      ? params.map(({ name, value }) => [name, value].map(percentEncoded).join("=")).join("&")
      : null;
  }
  const body = encoding === "base64" ? textOf(text) : text;
  if (body === null) return null;
  if (/[/+]json\b/i.test(mimeType)) return withoutNames(body, "\\u007b\\u007b");
  return withoutNames(body, isForm ? "%7B%7B" : BRACES);
}

function textOf(base64: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(base64));
  } catch {
    return null;
  }
}

function startMs({ startedDateTime }: HarEntry): number {
  return Date.parse(startedDateTime);
}

/** Joins the values of a repeated field to one list (RFC 9110 §5.3). */
function combined(fields: readonly Pair[]): Record<string, string> {
  const byName = Map.groupBy(fields, ({ name }) => name.toLowerCase());
  return Object.fromEntries(
    [...byName].map(([name, given]) => [name, given.map(({ value }) => value).join(", ")]),
  );
}
