/**
 * The configuration elements of a JMeter plan, such as header managers and timers, which affect all requests beside and
 * below them.
 */
import type { PlanElement, Refusals } from "./elements.ts";
import type { PlanVariables } from "./variables.ts";
import { quotedOpenly } from "../../../base/secrets.ts";

export interface PlanScope {
  /** Defaults of properties such as `HTTPSampler.domain`, for requests that do not set them. */
  readonly defaults: Readonly<Record<string, string>>;
  /**
   * Header fields of header managers, keyed by lower-case name. They are kept as elements because each request fills in
   * its own values.
   */
  readonly headers: Readonly<Record<string, PlanElement>>;
  /** The constant part of the think time before each request. */
  readonly thinkMs: number;
  /**
   * The maximum of each random part of the think time before a request. Each part is uniform between 0 and its maximum.
   */
  readonly uniformMs: readonly number[];
  readonly assertions: readonly PlanElement[];
  readonly cookieManagers: readonly PlanElement[];
}

export const NO_SCOPE: PlanScope = {
  defaults: {},
  headers: {},
  thinkMs: 0,
  uniformMs: [],
  assertions: [],
  cookieManagers: [],
};

const DEFAULTS = [
  "HTTPSampler.domain",
  "HTTPSampler.port",
  "HTTPSampler.protocol",
  "HTTPSampler.path",
  "HTTPSampler.response_timeout",
] as const;

/** Properties that make JMeter send something other than Plateau would, each with the reason. */
const OTHERWISE: readonly (readonly [name: string, why: string])[] = [
  ["HTTPSampler.image_parser", "it also fetches embedded resources"],
  ["HTTPSampler.proxyHost", "it goes through a proxy"],
  ["HTTPSampler.ipSource", "it sets its own source address"],
];

/**
 * Reasons why JMeter would send something other than Plateau would.
 * @param element An HTTP Request, or an element with defaults for several requests.
 */
export function otherRequests(element: PlanElement): string[] {
  return OTHERWISE.flatMap(([name, why]) => {
    const text = element.text(name).trim();
    return text === "" || text === "false" ? [] : [why];
  });
}

/** Assertions without an equivalent. They are left out, because they do not affect what is sent. */
const OTHER_ASSERTION =
  /^(?:Duration|Size|XPath2?|XML|HTML|JSONPath|JSR223|Compare|MD5Hex).*Assertion$/;
const CONFIGURATIONS = [
  ...["ConfigTestElement", "HeaderManager", "ConstantTimer", "ResponseAssertion"],
  ...["UniformRandomTimer", "PoissonRandomTimer", "CookieManager"],
  ...["Arguments", "CSVDataSet"], // handled for the whole plan or thread group
  ...["ResultCollector", "Summariser", "BackendListener"],
];

/** Whether the element sends nothing itself, such as a header manager or a listener. */
export function isConfiguration({ kind }: PlanElement): boolean {
  return CONFIGURATIONS.includes(kind) || OTHER_ASSERTION.test(kind);
}

/** Adds the effects of configuration elements to the scope of the requests beside and below them. */
export class Scopes {
  constructor(
    private readonly variables: PlanVariables,
    private readonly refusals: Refusals,
    private readonly note: (text: string) => void,
  ) {}

  /**
   * The scope with the effect of one more element. Refuses settings of the element that have no equivalent. An
   * assertion without an equivalent is left out with a note.
   */
  with(scope: PlanScope, element: PlanElement): PlanScope {
    switch (element.kind) {
      case "ConfigTestElement":
        return { ...scope, defaults: { ...scope.defaults, ...this.#defaults(element) } };
      case "HeaderManager":
        return { ...scope, headers: { ...scope.headers, ...this.#headers(element) } };
      case "ConstantTimer":
        return { ...scope, thinkMs: scope.thinkMs + this.#delayMs(element) };
      case "UniformRandomTimer":
        return {
          ...scope,
          thinkMs: scope.thinkMs + this.#delayMs(element),
          uniformMs: [...scope.uniformMs, this.#delayMs(element, "RandomTimer.range")],
        };
      case "PoissonRandomTimer":
        return { ...scope, thinkMs: scope.thinkMs + this.#poissonMs(element) };
      case "ResponseAssertion":
        return { ...scope, assertions: [...scope.assertions, element] };
      case "CookieManager":
        return { ...scope, cookieManagers: [...scope.cookieManagers, element] };
      default:
        if (OTHER_ASSERTION.test(element.kind)) this.note(`left out: ${element.called}`);
        return scope;
    }
  }

  #defaults(element: PlanElement): Record<string, string> {
    const refuse = (why: string): void =>
      this.refusals.add(element, `Cannot convert ${element.called}: ${why}`);
    if (!/HttpDefaults/.test(element.editor)) refuse("it is not an HTTP Request Defaults element");
    if (element.list("Arguments.arguments", "HTTPsampler.Arguments").length > 0) {
      refuse("it adds parameters to requests");
    }
    for (const why of otherRequests(element)) refuse(why);
    return Object.fromEntries(
      DEFAULTS.flatMap((name) => {
        const text = element.text(name);
        return text === "" ? [] : [[name, text]];
      }),
    );
  }

  #headers(element: PlanElement): Record<string, PlanElement> {
    const fields = new Map<string, PlanElement>();
    for (const field of element.list("HeaderManager.headers")) {
      const name = field.text("Header.name").toLowerCase();
      if (fields.has(name)) {
        const why = `it has ${name} twice, but in Plateau a request has each field only once`;
        this.refusals.add(field, `Cannot convert ${element.called}: ${why}`);
      }
      fields.set(name, field);
    }
    return Object.fromEntries(fields);
  }

  /**
   * Replaces a Poisson timer by its mean, from which its times differ little: the standard deviation of a Poisson
   * distribution is the square root of the mean.
   */
  #poissonMs(element: PlanElement): number {
    const meanMs = this.#delayMs(element, "RandomTimer.range");
    const deviationMs = Number(Math.sqrt(meanMs).toPrecision(2));
    this.note(
      `${element.called} always waits its mean; in JMeter its times vary by some ${deviationMs} ms`,
    );
    return this.#delayMs(element) + meanMs;
  }

  #delayMs(element: PlanElement, property = "ConstantTimer.delay"): number {
    const text = this.variables.constant(element.text(property), element);
    const ms = Number(text);
    if (Number.isFinite(ms) && ms >= 0 && ms <= 3_600_000) return ms;
    this.refusals.add(
      element,
      `Cannot convert ${element.called}: its delay is ${
        quotedOpenly(text)
      }, but must be 0 to 3600000 ms`,
    );
    return 0;
  }
}
