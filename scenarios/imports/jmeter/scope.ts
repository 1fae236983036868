/** What configuration elements of a JMeter plan say of all samplers beside and below them. */
import type { PlanElement, Refusals } from "./elements.ts";
import type { PlanVariables } from "./variables.ts";

export interface PlanScope {
  /** What requests have that do not say it themselves: `HTTPSampler.domain`, … */
  readonly defaults: Readonly<Record<string, string>>;
  /** Under their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly thinkMs: number;
  readonly assertions: readonly PlanElement[];
}

export const NO_SCOPE: PlanScope = { defaults: {}, headers: {}, thinkMs: 0, assertions: [] };

export const DEFAULTS = [
  "HTTPSampler.domain",
  "HTTPSampler.port",
  "HTTPSampler.protocol",
  "HTTPSampler.path",
  "HTTPSampler.response_timeout",
] as const;

/** Assertions of which none changes what is sent. */
const OTHER_ASSERTIONS = /^(?:Duration|Size|XPath2?|XML|HTML|JSONPath|JSR223|Compare|MD5Hex)/;

/** What is of a configuration element, which sends nothing itself; false for other elements. */
export class Scopes {
  constructor(
    private readonly variables: PlanVariables,
    private readonly refusals: Refusals,
    private readonly note: (text: string) => void,
  ) {}

  /** The scope with what an element adds; null for an element that is no configuration. */
  with(scope: PlanScope, element: PlanElement): PlanScope | null {
    switch (element.kind) {
      case "ConfigTestElement":
        return { ...scope, defaults: { ...scope.defaults, ...this.#defaults(element) } };
      case "HeaderManager":
        return { ...scope, headers: { ...scope.headers, ...this.#headers(element) } };
      case "ConstantTimer":
        return { ...scope, thinkMs: scope.thinkMs + this.#delayMs(element) };
      case "ResponseAssertion":
        return { ...scope, assertions: [...scope.assertions, element] };
      case "Arguments":
      case "CSVDataSet":
      case "CookieManager":
        return scope; // of the whole plan
      default:
        return this.#ignored(element) ? scope : null;
    }
  }

  #ignored({ kind, called }: PlanElement): boolean {
    if (/Assertion$/.test(kind) && OTHER_ASSERTIONS.test(kind)) {
      this.note(`without ${called}`);
      return true;
    }
    return ["ResultCollector", "Summariser", "BackendListener", "DebugSampler"].includes(kind);
  }

  #defaults(element: PlanElement): Record<string, string> {
    const others = element.list("Arguments.arguments", "HTTPsampler.Arguments").length > 0;
    if (!/HttpDefaults/.test(element.editor) || others || element.is("HTTPSampler.image_parser")) {
      const why = /HttpDefaults/.test(element.editor)
        ? "it adds parameters or embedded resources to requests"
        : "it is no HTTP Request Defaults";
      this.refusals.add(element, `Cannot take over ${element.called}: ${why}`);
    }
    return Object.fromEntries(
      DEFAULTS.flatMap((name) => {
        const text = element.text(name);
        return text === "" ? [] : [[name, text]];
      }),
    );
  }

  #headers(element: PlanElement): Record<string, string> {
    const fields = element.list("HeaderManager.headers");
    return Object.fromEntries(fields.map((field) => [
      field.text("Header.name").toLowerCase(),
      this.variables.filled(field.text("Header.value"), field),
    ]));
  }

  #delayMs(element: PlanElement): number {
    const text = this.variables.constant(element.text("ConstantTimer.delay"), element);
    const ms = Number(text);
    if (Number.isFinite(ms) && ms >= 0 && ms <= 3_600_000) return ms;
    this.refusals.add(element, `Cannot take over ${element.called}: its delay is "${text}"`);
    return 0;
  }
}
