/** Converts a JMeter plan (.jmx): its thread groups become scenarios with loads, and its HTTP requests become flows. */
import { quotedOpenly } from "../../../base/secrets.ts";
import { durationText } from "../../../base/quantity.ts";
import { Expansion } from "../format/expansion.ts";
import {
  freeName,
  type Import,
  type ImportContext,
  nameFrom,
  Origins,
  REDIRECTS_ELSEWHERE,
  type TextFormat,
} from "../format/format.ts";
import { elementsIn, type PlanElement, Refusals } from "./elements.ts";
import { groupLoadOf } from "./load.ts";
import { type Agreement, type JmeterStep, Samplers } from "./sampler.ts";
import { isConfiguration, NO_SCOPE, type PlanScope, Scopes } from "./scope.ts";
import { PlanVariables } from "./variables.ts";
import { type XmlElement, xmlIn } from "./xml.ts";

const NOTES = [
  "JMeter goes on after a failed request if its plan says so; here a failed request ends its virtual user",
];
const USUAL_TIMEOUT = "60s";
const MOST_REDIRECTS = 20;
const CONTAINERS = ["GenericController", "RecordingController", "TransactionController"];

export const jmeter: TextFormat = {
  what: "a JMeter plan",
  recognise: (text) => text.startsWith("<jmeterTestPlan", prologEnd(text)),
  convert: (text, path, around): Import => new PlanImport(xmlIn(text, path), path, around).made(),
};

/** Offset of the root element. Only white space, `<?…?>` instructions and comments may precede it. */
function prologEnd(text: string): number {
  for (let at = 0;;) {
    const isComment = text.startsWith("<!--", at);
    if (!isComment && !text.startsWith("<?", at)) {
      const blanks = /\s+/y;
      blanks.lastIndex = at;
      if (!blanks.test(text)) return at;
      at = blanks.lastIndex;
      continue;
    }
    const end = text.indexOf(isComment ? "-->" : "?>", at);
    if (end < 0) return at;
    at = end + (isComment ? 3 : 2);
  }
}

class PlanImport {
  readonly #refusals: Refusals;
  readonly #notes = new Set(NOTES);
  readonly #variables: PlanVariables;
  readonly #samplers: Samplers;
  readonly #scopes: Scopes;
  readonly #agreed: Agreement = { origin: null, follows: null, keepsAlive: null, timeoutMs: 0 };
  readonly #elements: readonly PlanElement[];
  readonly #origins = new Origins();
  readonly #expansion = new Expansion();
  /**
   * For each scope in which the current thread group has requests, the cookie managers that apply to these requests.
   */
  readonly #cookieManagers = new Set<readonly PlanElement[]>();

  constructor(root: XmlElement, path: string, private readonly around: ImportContext) {
    const note = (text: string): void => void this.#notes.add(text);
    this.#refusals = new Refusals(path);
    const [refusals, { pathOf }] = [this.#refusals, around];
    this.#variables = new PlanVariables(refusals, around, note);
    this.#scopes = new Scopes(this.#variables, refusals, note);
    const agreed = this.#agreed;
    this.#samplers = new Samplers({ variables: this.#variables, refusals, note, pathOf, agreed });
    this.#elements = elementsIn(root.children.find(({ name }) => name === "hashTree") ?? root);
  }

  /**
   * Converts the plan. If parts of it would make the load differ from JMeter's, throws a UserError that lists them all.
   */
  made(): Import {
    const plan = this.#elements.find(({ kind }) => kind === "TestPlan");
    this.#declare(this.#elements);
    for (const element of rowsIn(this.#elements)) this.#variables.defineRows(element);
    const scenarios: Record<string, unknown> = {};
    const scope = this.#scopeOf(plan?.children ?? [], NO_SCOPE);
    const groups = (plan?.children ?? []).filter(({ kind }) => kind === "ThreadGroup");
    for (const element of plan?.children ?? []) {
      if (!groups.includes(element)) this.#element(element, scope, []);
    }
    for (const group of groups) {
      const scenario = this.#scenario(group, scope);
      scenarios[freeName(nameFrom(group.title, "threads"), scenarios)] = scenario;
    }
    this.#checkPlan(plan ?? this.#elements[0], groups);
    this.#refusals.throwAll();
    const experiment = this.#experiment(scenarios);
    return { experiment, notes: [...this.#notes], origins: this.#origins };
  }

  #checkPlan(plan: PlanElement | undefined, groups: readonly PlanElement[]): void {
    const place = plan ?? { line: 1, column: 1 };
    if (groups.length === 0) {
      this.#refusals.add(place, "Cannot run a plan without a thread group that is enabled");
    }
    if (groups.length > 1 && !plan?.is("TestPlan.serialize_threadgroups")) {
      const why = "JMeter runs them at the same time, Plateau one after another";
      this.#refusals.add(groups[1], `Cannot convert several thread groups: ${why}`);
    }
  }

  #experiment(scenarios: Readonly<Record<string, unknown>>): Import["experiment"] {
    const { name } = this.around;
    return { name, targets: { target: { url: this.#agreed.origin } }, scenarios, repeat: 1 };
  }

  /** Reads user-defined variables. They are applied to the whole plan, wherever they are. */
  #declare(elements: readonly PlanElement[]): void {
    for (const element of elements) {
      if (element.kind === "TestPlan") {
        const own = "TestPlan.user_defined_variables";
        this.#variables.define(element.list("Arguments.arguments", own));
      }
      if (element.kind === "Arguments") this.#variables.define(element.list("Arguments.arguments"));
      this.#declare(element.children);
    }
  }

  #scopeOf(elements: readonly PlanElement[], outer: PlanScope): PlanScope {
    return elements.reduce((scope, one) => this.#scopes.with(scope, one), outer);
  }

  #scenario(group: PlanElement, outer: PlanScope): unknown {
    this.#variables.beginGroup();
    for (const element of rowsIn(group.children)) this.#variables.defineRows(element);
    const load = groupLoadOf(group, this.#variables, this.#refusals);
    const once: JmeterStep[] = [];
    const rounds = load?.rounds ?? 1;
    this.#cookieManagers.clear();
    this.#variables.inLoop(rounds, () => this.#walk(group.children, outer, once));
    this.#checkRounds(group, rounds, once);
    this.#variables.endGroup();
    const { follows, keepsAlive, timeoutMs } = this.#agreed;
    if (follows === true) this.#notes.add(REDIRECTS_ELSEWHERE);
    if (group.is("ThreadGroup.scheduler") && Number(group.text("ThreadGroup.delay")) !== 0) {
      this.#notes.add(`${group.called} begins at once, without its startup delay`);
    }
    const timeout = timeoutMs > 0 ? durationText(timeoutMs) : USUAL_TIMEOUT;
    if (timeoutMs === 0) {
      this.#notes.add(`a request without its own time-out times out after ${USUAL_TIMEOUT}`);
    }
    const scenario = {
      ...this.#cookiesOf(group, rounds, load?.load ?? {}),
      ...follows === true && { follow: MOST_REDIRECTS },
      flow: this.#repeated(once, rounds, group),
      values: this.#variables.used(),
      load: { ...load?.load, timeout, ...keepsAlive === false && { keepAlive: false } },
    };
    return this.#origins.keep(scenario, this.#refusals.placeOf(group));
  }

  #checkRounds(group: PlanElement, rounds: number, once: readonly JmeterStep[]): void {
    if (rounds > 1 && this.#variables.hasFiles) {
      const why =
        "each of its loops takes the next row, but in Plateau a virtual user has one row for all loops";
      this.#refusals.add(group, `Cannot convert ${group.called}: ${why}`, "write 1 loop");
    }
    if (!once.some((step) => !("think" in step))) {
      this.#refusals.add(group, `Cannot run ${group.called}: it has no HTTP request`);
    }
  }

  /**
   * The scenario's cookie setting. In Plateau the cookie jar is emptied whenever a flow begins, so this refuses a
   * manager that empties it at other times. In a thread group without a duration, all loops together are one flow.
   */
  #cookiesOf(group: PlanElement, rounds: number, load: object): { readonly cookies?: unknown } {
    const manager = this.#cookieManager(group);
    if (manager === null) return { cookies: "off" };
    const isNewUser = group.text("ThreadGroup.same_user_on_next_iteration").trim() === "false";
    const clears = manager.is("CookieManager.controlledByThreadGroup")
      ? isNewUser
      : manager.is("CookieManager.clearEachIteration");
    const isEachLoopAFlow = "duration" in load || "stages" in load;
    const isOnce = rounds === 1 && !isEachLoopAFlow;
    if (!isOnce && clears !== isEachLoopAFlow) {
      const why = clears
        ? "it empties the cookie jar in each loop, but in Plateau a virtual user keeps its jar"
        : "it keeps cookies from loop to loop, but in Plateau each loop begins with an empty jar";
      const fix = clears ? "write 1 loop" : "let it clear cookies in each iteration";
      this.#refusals.add(manager, `Cannot convert ${manager.called}: ${why}`, fix);
    }
    if (manager.list("CookieManager.cookies").length > 0) {
      this.#refusals.add(manager, `Cannot convert ${manager.called}: it has cookies of its own`);
    }
    return {};
  }

  /**
   * The cookie manager that applies to all requests of the group; null if there is none. Refuses any other cookie
   * manager.
   */
  #cookieManager(group: PlanElement): PlanElement | null {
    const ofEach = [...this.#cookieManagers];
    const all = [...new Set(ofEach.flat())];
    const isShared = (one: PlanElement): boolean =>
      ofEach.every((managers) => managers.includes(one));
    const first = all.find(isShared) ?? null;
    for (const other of all.filter((one) => one !== first)) {
      const why = first !== null && isShared(other)
        ? `its requests also have ${first.called} of ${
          this.#refusals.placeOf(first)
        }, and JMeter does not say which of them it uses`
        : `it is not for all requests of ${group.called}, but in Plateau a virtual user has one cookie jar`;
      this.#refusals.add(
        other,
        `Cannot convert ${other.called}: ${why}`,
        "put one cookie manager into the thread group",
      );
    }
    return first;
  }

  #walk(elements: readonly PlanElement[], outer: PlanScope, steps: JmeterStep[]): void {
    const scope = this.#scopeOf(elements, outer);
    for (const element of elements) this.#element(element, scope, steps);
  }

  #element(element: PlanElement, scope: PlanScope, steps: JmeterStep[]): void {
    const { kind, children } = element;
    if (kind === "HTTPSamplerProxy" || kind === "HTTPSampler" || kind === "HTTPSampler2") {
      return this.#sample(element, scope, steps);
    }
    if (CONTAINERS.includes(kind)) return this.#walk(children, scope, steps);
    if (kind === "LoopController") return this.#loop(element, scope, steps);
    if (kind === "TestAction") return this.#pause(element, scope, steps);
    if (kind === "DebugSampler") { // sends nothing, but waits for the timers that apply to it
      return this.#think(this.#scopeBelow(element, scope, steps), element, steps);
    }
    if (isConfiguration(element)) return;
    const why = "Plateau does not support this kind of element";
    this.#refusals.add(element, `Cannot convert ${element.called}: ${why}`, "disable it");
  }

  #sample(sampler: PlanElement, outer: PlanScope, steps: JmeterStep[]): void {
    const scope = this.#scopeBelow(sampler, outer, steps);
    this.#think(scope, sampler, steps);
    this.#cookieManagers.add(scope.cookieManagers);
    const step = this.#samplers.step(sampler, scope);
    if (!Object.hasOwn(Object(step.headers), "user-agent")) {
      this.#notes.add("JMeter also sends its own User-Agent");
    }
    this.#add(step, sampler, steps);
  }

  /** The scope of a sampler, with the configuration elements below it. Refuses all other elements below it. */
  #scopeBelow({ children }: PlanElement, outer: PlanScope, steps: JmeterStep[]): PlanScope {
    const scope = this.#scopeOf(children, outer);
    for (const child of children) {
      if (!isConfiguration(child)) this.#element(child, scope, steps);
    }
    return scope;
  }

  /**
   * Adds think times before a request. JMeter adds up all timers of a request, as Plateau does with consecutive think
   * times.
   */
  #think({ thinkMs, uniformMs }: PlanScope, from: PlanElement, steps: JmeterStep[]): void {
    if (thinkMs >= 1) this.#add({ think: durationText(thinkMs) }, from, steps);
    for (const mostMs of uniformMs.filter((ms) => ms >= 2)) {
      this.#add({ think: { mean: durationText(mostMs / 2), as: "uniform" } }, from, steps);
    }
  }

  #add(step: JmeterStep, from: PlanElement, steps: JmeterStep[]): void {
    this.#bound(this.#expansion.whyNot([step]), from);
    steps.push(this.#origins.keep(step, this.#refusals.placeOf(from)));
  }

  /** The steps, written out once for each round of the loop. */
  #repeated(once: readonly JmeterStep[], rounds: number, loop: PlanElement): JmeterStep[] {
    this.#bound(this.#expansion.whyNot(once, rounds - 1), loop);
    return Array.from({ length: rounds }, () => once).flat();
  }

  /**
   * Refuses a plan that has become too large, and stops reading it.
   * @param whyNot Why the plan is too large; null if it is not.
   */
  #bound(whyNot: string | null, at: PlanElement): void {
    if (whyNot === null) return;
    this.#refusals.add(at, `Cannot convert ${at.called}: ${whyNot}`);
    this.#refusals.throwAll();
  }

  #loop(element: PlanElement, scope: PlanScope, steps: JmeterStep[]): void {
    const text = this.#variables.constant(element.text("LoopController.loops"), element);
    const rounds = Number(text);
    const inner: JmeterStep[] = [];
    this.#variables.inLoop(rounds, () => this.#walk(element.children, scope, inner));
    if (rounds > 1) this.#refuseRows(element);
    if (!Number.isInteger(rounds) || rounds < 0) {
      this.#refusals.add(
        element,
        `Cannot convert ${element.called}: it has ${quotedOpenly(text)} loops`,
      );
      return;
    }
    this.#bound(this.#expansion.whyNotRounds(rounds), element);
    for (const step of this.#repeated(inner, rounds, element)) steps.push(step);
  }

  #refuseRows(loop: PlanElement): void {
    const why =
      `each loop of ${loop.called} takes the next row, but in Plateau a virtual user has one row for all loops`;
    for (const rows of rowsIn(loop.children)) {
      this.#refusals.add(rows, `Cannot convert ${rows.called}: ${why}`, "write 1 loop");
    }
  }

  /** Converts a Flow Control Action, which must be a pause. Timers that apply to it make the pause longer. */
  #pause(element: PlanElement, outer: PlanScope, steps: JmeterStep[]): void {
    const scope = this.#scopeBelow(element, outer, steps);
    const ms = Number(this.#variables.constant(element.text("ActionProcessor.duration"), element));
    if (element.text("ActionProcessor.action") !== "1" || !(ms >= 0 && ms <= 3_600_000)) {
      this.#refusals.add(
        element,
        `Cannot convert ${element.called}: it is not a pause of 0 to 3600000 ms`,
      );
    } else this.#think({ ...scope, thinkMs: scope.thinkMs + ms }, element, steps);
  }
}

/** The CSV Data Sets among the elements and below them, except those within a thread group. */
function rowsIn(elements: readonly PlanElement[]): PlanElement[] {
  return elements.flatMap((element) => {
    if (element.kind === "CSVDataSet") return [element];
    return element.kind === "ThreadGroup" ? [] : rowsIn(element.children);
  });
}
