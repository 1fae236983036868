/** Converts an HTTP Request of a JMeter plan to a step of a flow. */
import { METHODS } from "../../../base/http/request.ts";
import { stepName } from "../../request/request.ts";
import { pathText } from "../../request/template.ts";
import { type ContentContext, Contents } from "./content.ts";
import type { PlanElement } from "./elements.ts";
import { otherRequests, type PlanScope } from "./scope.ts";

/** A step of a flow, in the structure of an experiment file. */
export type JmeterStep = Record<string, unknown>;

/**
 * Settings that in Plateau belong to the load or the scenario, so all requests of a plan must agree on them. Until the
 * first request they are null, and the time-out is 0. If time-outs differ, the longest applies to all requests.
 */
export interface Agreement {
  origin: string | null;
  follows: boolean | null;
  keepsAlive: boolean | null;
  timeoutMs: number;
}

interface SamplerContext extends ContentContext {
  readonly note: (text: string) => void;
  readonly agreed: Agreement;
}

export class Samplers {
  readonly #contents: Contents;

  constructor(private readonly around: SamplerContext) {
    this.#contents = new Contents(around);
  }

  step(sampler: PlanElement, scope: PlanScope): JmeterStep {
    for (const why of otherRequests(sampler)) this.#refuse(sampler, why);
    const written = this.around.variables.constant(sampler.text("HTTPSampler.method"), sampler);
    const method = (written || "GET").toLowerCase();
    if (!(METHODS as readonly string[]).includes(method)) {
      this.#refuse(sampler, `Plateau does not send the method ${method.toUpperCase()}`);
    }
    this.#agree(sampler, scope);
    const content = this.#contents.of(sampler, method, this.#path(sampler, scope));
    const { data: name } = stepName.safeParse(sampler.title || undefined);
    const expect = expectationOf(scope.assertions, this.around.note);
    return {
      ...name !== undefined && { name },
      [method]: content.path,
      ...headersOf(this.#headers(scope), content.type),
      ...content.body,
      ...expect !== null && { expect },
    };
  }

  #refuse(sampler: PlanElement, why: string): void {
    this.around.refusals.add(sampler, `Cannot convert ${sampler.called}: ${why}`);
  }

  /**
   * Header fields. Their values are filled in for each request separately, so that each request draws its own random
   * values, as in JMeter.
   */
  #headers({ headers }: PlanScope): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, field]) => [
        name,
        this.around.variables.filled(field.text("Header.value"), field),
      ]),
    );
  }

  /**
   * Compares settings that belong to the load or the scenario with those of earlier requests. Refuses a different
   * setting, except that the longest time-out applies to all requests.
   */
  #agree(sampler: PlanElement, scope: PlanScope): void {
    const { agreed } = this.around;
    const follows = sampler.is("HTTPSampler.follow_redirects") ||
      sampler.is("HTTPSampler.auto_redirects");
    const keepsAlive = sampler.text("HTTPSampler.use_keepalive").trim() !== "false";
    if ((agreed.follows ??= follows) !== follows) {
      this.#refuse(
        sampler,
        "its setting to follow redirects differs from that of the requests before it",
      );
    }
    if ((agreed.keepsAlive ??= keepsAlive) !== keepsAlive) {
      this.#refuse(sampler, "its keep-alive setting differs from that of the requests before it");
    }
    const timeout = this.#property(sampler, scope, "HTTPSampler.response_timeout");
    const timeoutMs = Number(timeout) || 0;
    if (agreed.timeoutMs > 0 && agreed.timeoutMs !== timeoutMs) {
      this.around.note(
        "the requests have different time-outs; in Plateau the longest applies to all",
      );
    }
    agreed.timeoutMs = Math.max(agreed.timeoutMs, timeoutMs);
  }

  #property(sampler: PlanElement, { defaults }: PlanScope, name: string): string {
    return this.around.variables.constant(sampler.text(name) || (defaults[name] ?? ""), sampler);
  }

  /**
   * Path and query, with JMeter variables replaced by constants or placeholders. Refuses a sampler that has no server,
   * or whose origin differs from that of the earlier requests.
   */
  #path(sampler: PlanElement, scope: PlanScope): string {
    const { variables, agreed } = this.around;
    const text = sampler.text("HTTPSampler.path") || (scope.defaults["HTTPSampler.path"] ?? "");
    const written = variables.filled(text, sampler).trim();
    const isWhole = /^https?:\/\//i.test(written);
    const origin = isWhole ? URL.parse(written)?.origin ?? "" : this.#origin(sampler, scope);
    agreed.origin ??= origin;
    if (origin === "" || origin !== agreed.origin) {
      this.#refuse(
        sampler,
        origin === ""
          ? "it has no server"
          : `it goes to ${origin}, but the other requests go to ${agreed.origin}`,
      );
    }
    const path = isWhole ? written.replace(/^https?:\/\/[^/?#]*/i, "") : written;
    return pathText(path.startsWith("/") ? path : `/${path}`);
  }

  #origin(sampler: PlanElement, scope: PlanScope): string {
    const [domain, port, protocol] = ["domain", "port", "protocol"].map((name) =>
      this.#property(sampler, scope, `HTTPSampler.${name}`).trim()
    );
    const url = URL.parse(`${protocol || "http"}://${domain}${port === "" ? "" : `:${port}`}`);
    return url !== null && /^https?:$/.test(url.protocol) ? url.origin : "";
  }
}

/** The given header fields, and `type` as content-type if they do not contain one. */
function headersOf(
  given: Readonly<Record<string, string>>,
  type: string | undefined,
): { readonly headers?: Readonly<Record<string, string>> } {
  const headers = { ...type !== undefined && { "content-type": type }, ...given };
  return Object.keys(headers).length > 0 ? { headers } : {};
}

// The rest of this file converts Response Assertions to the expectation of a response.

// Bits of the property Assertion.test_type (org.apache.jmeter.assertions.ResponseAssertion).
const MATCH = 1;
const CONTAINS = 2;
const NOT = 4;
const EQUALS = 8;
const SUBSTRING = 16;
const OR = 32;
/**
 * Any of these kinds of comparison is accepted for a status, because "matches", "contains" and "equals" mean the same
 * for a code of three digits.
 */
const OF_STATUS = MATCH | CONTAINS | EQUALS | SUBSTRING;

const STATUS = "Assertion.response_code";
const BODY = "Assertion.response_data";

interface Expected {
  readonly status?: number | number[];
  readonly contains?: string;
}

/**
 * The expectation that all assertions together make; null if they make none. An assertion is left out with a note if it
 * has no equivalent, or if an earlier one sets the same part of the expectation.
 */
function expectationOf(
  assertions: readonly PlanElement[],
  note: (text: string) => void,
): Expected | null {
  let expected: Expected = {};
  for (const assertion of assertions) {
    const more = expectedBy(assertion);
    const isNew = more !== null && Object.keys(more).every((key) => !Object.hasOwn(expected, key));
    if (isNew) expected = { ...expected, ...more };
    else note(`left out: ${assertion.called}`);
  }
  return Object.keys(expected).length === 0 ? null : expected;
}

function expectedBy(assertion: PlanElement): Expected | null {
  const kind = Number(assertion.text("Assertion.test_type"));
  const texts = assertion.texts("Asserion.test_strings"); // JMeter itself misspells this name
  const field = assertion.text("Assertion.test_field");
  const isPlain = (kind & NOT) === 0 && texts.length > 0 &&
    !texts.some((text) => /\$\{|\{\{/.test(text));
  if (!isPlain) return null;
  if (field === BODY && (kind & SUBSTRING) !== 0 && texts.length === 1) {
    return { contains: texts[0] };
  }
  const isStatus = field === STATUS && (kind & OF_STATUS) !== 0 &&
    (texts.length === 1 || (kind & OR) !== 0) && texts.every((text) => /^[1-5]\d\d$/.test(text));
  if (!isStatus) return null;
  return { status: texts.length === 1 ? Number(texts[0]) : texts.map(Number) };
}
