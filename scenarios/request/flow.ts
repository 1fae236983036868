/**
 * A user journey: requests and think times in order. Values captured from responses are used in later requests. A page
 * with its subresources is a journey, too.
 */
import { METHODS } from "../../base/http/request.ts";
import * as z from "zod";
import { ALWAYS, forAll, unknownKeys } from "../../base/explain.ts";
import type { Files } from "../../base/files.ts";
import { beyond, isWithin, type LimitName, LIMITS } from "../../base/limits.ts";
import { between, msBetween } from "../../base/quantity.ts";
import { type BodySource, jsonSource, patternSource, textSource } from "./values.ts";
import {
  BODIES,
  checkRequest,
  fieldName,
  headers,
  httpExpectation,
  path,
  requestFields,
  stepName,
} from "./request.ts";
import { THINK_SHAPES } from "../pace/think_times.ts";
import { valueName } from "./values.ts";
import { quotedOpenly } from "../../base/secrets.ts";

const THINKING = ["1ms", "1h"] as const;
export const LONGEST_THINK_MS = 3_600_000;
export const thinkMs = msBetween(...THINKING);

const think = z.strictObject({
  think: z.union([
    between(...THINKING),
    z.strictObject({
      mean: between(...THINKING).describe("Mean of the think times"),
      as: z.enum(THINK_SHAPES).describe(
        "Distribution of the think times: exponential; lognormal, with a standard deviation as large as the mean; " +
          "uniform, from 0 to twice the mean",
      ),
    }),
  ]).describe("Think time of the virtual user before its next request"),
}, {
  error: unknownKeys(forAll(
    [...METHODS, ...BODIES, "headers", "expect", "capture"],
    "a think time must be a step of its own",
  )),
});

const requestStep = (files: Files) =>
  z.strictObject({
    name: stepName,
    ...requestFields(files),
    capture: z.record(valueName, captureSource).default({})
      .describe("Values captured from the response; later requests use them as {{ name }}"),
  }, { error: unknownKeys({ weight: "it belongs to the requests of a mix" }, ["think"]) })
    .superRefine(checkRequest, ALWAYS);

const stepSpec = (files: Files) => z.xor([think, requestStep(files)]);

export type ThinkSpec = z.output<typeof think>;
export type RequestStepSpec = z.output<ReturnType<typeof requestStep>>;
export type FlowStepSpec = ThinkSpec | RequestStepSpec;

/**
 * Syntax of cookies (RFC 6265 §4.1.1). A name is a token; a value consists of octets other than blanks, quotes, commas,
 * semicolons and backslashes.
 */
export const cookieName = z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, {
  error: ({ input }) => `Cannot use ${quotedOpenly(input)} as the name of a cookie`,
});
export const cookieValue = z.string().regex(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/, {
  error: ({ input }) =>
    `Cannot use ${quotedOpenly(input)} as the value of a cookie: ` +
    "write it without blanks, quotes, commas, semicolons and backslashes",
});

/**
 * Cookies from the start, limited to what a user can keep. Otherwise some would be lost as soon as a response sets a
 * cookie.
 */
const presetCookies = z.record(cookieName, cookieValue).superRefine((preset, context) => {
  const pairs = Object.entries(preset).map((pair) => pair.join("="));
  const sizes: [limit: LimitName, found: number][] = [
    ["cookies", pairs.length],
    ["cookie", pairs.reduce((most, { length }) => Math.max(most, length), 0)],
    ["cookieBytes", pairs.join("").length],
  ];
  const [wrong] = sizes.filter(([limit, found]) => !isWithin(limit, found));
  if (wrong) context.addIssue(`Cannot give these cookies to a user: ${beyond(...wrong)}`);
});

/** The cookies that virtual users have from the start; null if they keep no cookies at all. */
const cookies = z.union([
  z.literal("off").transform(() => null),
  presetCookies,
]).default({}).describe(
  "Cookies that a virtual user has from the start, by name; the user also keeps those that responses set. off: no cookies are kept",
);

export type Cookies = z.output<typeof cookies>;

export const flowFields = (files: Files) => ({
  cookies,
  flow: z.array(stepSpec(files)).max(LIMITS.steps.most)
    .refine((steps) => steps.some(isRequest), "Cannot run a flow without a request: add a step")
    .describe("Steps of a virtual user, in order: requests and think times"),
});

export const pageFields = {
  cookies,
  page: path.describe("Path of a page"),
  with: z.array(path).max(LIMITS.steps.most).default([]).describe(
    "Subresources of the page, such as images and styles",
  ),
  parallel: z.int().min(1).max(LIMITS.parallel.most).optional().describe(
    "Number of subresources that a virtual user fetches at a time (6 in browsers), each over a connection of its own or as a stream of one HTTP/2 connection; 1 when absent",
  ),
  headers: headers.describe("Header fields of all requests of the page"),
  expect: httpExpectation.prefault({}).describe(
    "Expected response to the request for the page itself",
  ),
};

type PageSpec = z.output<z.ZodObject<typeof pageFields>>;

/** The steps of a page: the page itself, then its subresources. */
export function stepsOfPage({ page, with: needed, headers, expect }: PageSpec): RequestStepSpec[] {
  return [
    { get: page, headers, expect, capture: {} },
    ...needed.map((path) => ({ get: path, headers, expect: {}, capture: {} })),
  ];
}

export function isRequest(step: FlowStepSpec): step is RequestStepSpec {
  return !("think" in step);
}

/** Where in a response a value is captured. */
export type CaptureSource =
  | BodySource
  | { readonly kind: "header"; readonly name: string; readonly pattern?: string }
  /** A cookie that the response itself sets, in Set-Cookie. */
  | { readonly kind: "cookie"; readonly name: string };

export interface CaptureSpec {
  /** Name under which later requests use the value. */
  readonly as: string;
  readonly from: CaptureSource;
}

const header = z.strictObject({
  header: fieldName.describe("Header field that holds the value"),
  pattern: patternSource.optional().describe("Regular expression with one group around the value"),
}).transform(({ header, pattern }): CaptureSource => ({
  kind: "header",
  name: header,
  ...pattern !== undefined && { pattern },
}));

const cookie = z.strictObject({
  cookie: cookieName.describe("Cookie that the response sets"),
}).transform(({ cookie }): CaptureSource => ({ kind: "cookie", name: cookie }));

export const captureSource = z.xor([jsonSource, header, cookie, textSource]);
