/** What the program itself shows of stored results, taken from its command line, as facts. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  csvFacts,
  csvRowFacts,
  histogramLogFacts,
  jsonFacts,
  junitFacts,
  metricFacts,
} from "./data.ts";
import { type Fact, type Found, numberFacts, wordFacts } from "./fact.ts";
import { pageFacts } from "./html.ts";
import { makeRepository } from "./repository.ts";
import type { Case, Stored } from "./stored.ts";

/** A Plateau to call, with a folder for its files and a collector for its metrics. */
export class Program implements AsyncDisposable {
  readonly #main: string;
  readonly #folder = Deno.makeTempDirSync({ prefix: "plateau-facts-" });
  readonly #metrics = new Map<string, string[]>();
  readonly #collector: Deno.HttpServer<Deno.NetAddr>;
  #here: Promise<Here> | null = null;

  /** @param main Path of its main.ts. */
  constructor(main: string) {
    this.#main = main;
    this.#collector = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        const [, name] = new URL(request.url).pathname.split("/");
        this.#metrics.set(name, [...this.#metrics.get(name) ?? [], await request.text()]);
        return Response.json({});
      },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#collector.shutdown();
    Deno.removeSync(this.#folder, { recursive: true });
  }

  async facts(one: Case): Promise<Fact[]> {
    const found = await this.#rendered(one);
    return found.map((fact) => ({ of: one.name, ...fact }));
  }

  #rendered(one: Case): Promise<Found[]> {
    switch (one.kind) {
      case "results":
        return this.#ofResults(one);
      case "compare":
        return this.#ofComparison(one);
      case "trend":
        return this.#ofTrend(one);
      case "ab":
        return this.#ofCommits(one);
    }
  }

  async #ofResults({ name, stored }: Case & { kind: "results" }): Promise<Found[]> {
    const folder = this.#folderOf(name);
    writeFileSync(join(folder, "stored.json"), stored.text);
    this.#metrics.delete(name);
    const forms = ["json", "csv", "csv-intervals", "markdown", "junit", "hlog", "html"] as const;
    const report = await this.#call(folder, [
      ...["report", "stored.json", ...flagsOf(forms)],
      ...["--otlp", `http://127.0.0.1:${this.#collector.addr.port}/${name}`],
    ]);
    return [
      ...callFacts("report", report),
      ...forms.flatMap((form) => formFacts(folder, form, JSON.parse(stored.text))),
      ...(this.#metrics.get(name) ?? []).flatMap(metricFacts),
      ...await this.#onTerminals(folder, stored),
    ];
  }

  /** What `run` ends with: it shows it again of an experiment that is complete. */
  async #onTerminals(folder: string, stored: Stored): Promise<Found[]> {
    if (stored.schema.endsWith("/1")) return [];
    const results = JSON.parse(stored.text);
    const isResumable = results.state === "done" && results.file !== undefined;
    if (!isResumable || results.ab !== undefined) return [];
    await this.#store(join(folder, "run"), results);
    const resume = ["run", "--resume", "run", "--quiet"];
    const narrow = await this.#onTerminal(folder, resume, 80);
    const wide = await this.#onTerminal(folder, [...resume, "--strict"], 120);
    return [
      ...terminalFacts("terminal-80", narrow),
      ...terminalFacts("terminal-120", wide),
    ];
  }

  /** It resumes only what was measured here, with this version; both are shown of what is stored elsewhere. */
  async #store(dir: string, results: Results): Promise<void> {
    const { machine, version } = await (this.#here ??= this.#findHere());
    const here = { ...results, version, machine: { ...machine, memory: results.machine.memory } };
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "results.json"), JSON.stringify(here));
  }

  /** `ab` shows a comparison again of which nothing is left to measure. */
  async #ofCommits({ name, stored, confirmation }: Case & { kind: "ab" }): Promise<Found[]> {
    const folder = this.#folderOf(name);
    await makeRepository(folder);
    const range = ["ab", "HEAD~1..HEAD", "--seed", "7", "--quiet"];
    const shortest = ["--repeat", "1", "--duration", "100ms", "--confirm", "no"];
    await this.#call(folder, [...range, ...shortest, "--out", "../builds"]);
    const builds = readFileSync(join(folder, "../builds/results.json"), "utf8");
    await this.#store(join(folder, "../ab"), builtHere(stored.text, builds));
    await this.#store(join(folder, "../ab/confirmation"), builtHere(confirmation.text, builds));
    const forms = ["json", "markdown", "junit", "html"] as const;
    const resume = [...range, "--repeat", "5", "--out", "../ab", "--resume"];
    const narrow = await this.#onTerminal(folder, [...resume, ...flagsOf(forms)], 80);
    return [
      ...terminalFacts("terminal-80", narrow),
      ...forms.flatMap((form) => formFacts(folder, form)),
    ];
  }

  async #ofComparison(
    { name, sides, flags = [], sessions = [] }: Case & { kind: "compare" },
  ): Promise<Found[]> {
    const folder = this.#folderOf(name);
    const [base, next] = sides.map((all, i) => sessionsIn(folder, ["base", "next"][i], all));
    const earlier = sessions.length === 0
      ? []
      : ["--sessions", sessionsIn(folder, "sessions", sessions)];
    const forms = ["json", "markdown", "junit", "html"] as const;
    const args = ["compare", base, next, ...flags, ...earlier, ...flagsOf(forms)];
    const called = await this.#onTerminal(folder, args, 80);
    return [
      ...terminalFacts("terminal-80", called),
      ...forms.flatMap((form) => formFacts(folder, form)),
    ];
  }

  async #ofTrend({ name, all }: Case & { kind: "trend" }): Promise<Found[]> {
    const folder = this.#folderOf(name);
    const files = all.map(({ text }, i) => {
      writeFileSync(join(folder, `result_${i}.json`), text);
      return `result_${i}.json`;
    });
    const forms = ["markdown", "junit", "html"] as const;
    const args = ["report", ...files, ...flagsOf(forms), "--fail-on-change"];
    const called = await this.#onTerminal(folder, args, 80);
    return [
      ...terminalFacts("terminal-80", called),
      ...forms.flatMap((form) => formFacts(folder, form)),
    ];
  }

  #folderOf(name: string): string {
    const folder = join(this.#folder, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** The machine as this program describes it, from the shortest experiment there is. */
  async #findHere(): Promise<Here> {
    const folder = this.#folderOf("here");
    const url = `http://127.0.0.1:${this.#collector.addr.port}`;
    const experiment = {
      ...{ name: "here", targets: { here: { url } }, scenarios: { here: { get: "/here" } } },
      ...{ load: { connections: 1, duration: "100ms" }, repeat: 1 },
    };
    writeFileSync(join(folder, "here.yaml"), JSON.stringify(experiment));
    const { text } = await this.#call(folder, ["run", "here.yaml", "--out", "out", "--quiet"]);
    const path = join(folder, "out", "results.json");
    if (!existsSync(path)) throw new Error(`Cannot find out what machine this is: ${text}`);
    return JSON.parse(readFileSync(path, "utf8"));
  }

  #call(folder: string, args: readonly string[]): Promise<Called> {
    return this.#output(Deno.execPath(), ["run", "-A", this.#main, ...args], folder);
  }

  async #output(program: string, args: readonly string[], cwd: string): Promise<Called> {
    const { GITHUB_ACTIONS: _, GITHUB_STEP_SUMMARY: _summary, ...env } = Deno.env.toObject();
    const cache = join(this.#folder, "cache");
    const command = new Deno.Command(program, {
      args: [...args],
      cwd,
      clearEnv: true,
      env: {
        ...env,
        ...{ NO_COLOR: "1", LC_ALL: "C.UTF-8", TERM: "xterm" },
        ...{ DENO_DIR, XDG_CACHE_HOME: cache },
      },
      stdin: "null",
    });
    const { code, stdout, stderr } = await command.output();
    const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    // deno-lint-ignore no-control-regex -- what steers a terminal is no text
    return { code, text: text.replace(/\u001b\[[\d;?]*[A-Za-z]|\r/g, "") };
  }

  /** On a terminal of that many columns. */
  #onTerminal(folder: string, args: readonly string[], columns: number): Promise<Called> {
    const words = [Deno.execPath(), "run", "-A", this.#main, ...args].map(quoted).join(" ");
    const command = `stty cols ${columns} rows 24; ${words}`;
    return this.#output(
      "script",
      ["--quiet", "--return", "--command", command, "/dev/null"],
      folder,
    );
  }
}

/** Where Deno keeps its modules, unless DENO_DIR says otherwise: in a cache folder that is not that of a program under test. */
const DENO_DIR = Deno.env.get("DENO_DIR") ??
  join(Deno.env.get("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "deno");

interface Here {
  readonly version: string;
  readonly machine: object;
}

interface Results {
  readonly machine: { readonly memory: unknown };
}

/** Where a commit is built: the folder is named after the repository, the commit and how it is built. */
const BUILD = /(?<=")[^"]*\/revisions\/[^"/]*\/([\da-f]{12})-[\da-f]+/g;

/** Results of two commits, as if they had been built where `builds` were. */
function builtHere(stored: string, builds: string): Results {
  const places = new Map([...builds.matchAll(BUILD)].map(([place, commit]) => [commit, place]));
  const results = JSON.parse(stored.replace(BUILD, (place, commit) => places.get(commit) ?? place));
  const settings = createHash("sha256").update(canonical(results.experiment)).digest("hex");
  return { ...results, settings };
}

/** JSON with the keys of every object in order, of which a result has the hash. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`);
  return `{${members.join(",")}}`;
}

interface Called {
  readonly code: number;
  readonly text: string;
}

/** A file of one result, a folder of several. */
function sessionsIn(folder: string, name: string, all: readonly Stored[]): string {
  if (all.length === 1) {
    writeFileSync(join(folder, `${name}.json`), all[0].text);
    return `${name}.json`;
  }
  mkdirSync(join(folder, name), { recursive: true });
  for (const { name: file, text } of all) writeFileSync(join(folder, name, `${file}.json`), text);
  return name;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

type Form = "json" | "csv" | "csv-intervals" | "markdown" | "junit" | "hlog" | "html";

function flagsOf(forms: readonly Form[]): string[] {
  return forms.flatMap((form) => [`--${form}`, `shown.${form}`]);
}

function callFacts(form: string, { code, text }: Called): Found[] {
  return [
    { kind: "exit", place: "", key: form, value: String(code) },
    ...wordFacts(form, text.split("\n")),
  ];
}

function terminalFacts(form: string, called: Called): Found[] {
  return [...callFacts(form, called), ...numberFacts(form, called.text)];
}

/** @param stored What the JSON may hold as it was. */
function formFacts(folder: string, form: Form, stored?: unknown): Found[] {
  const path = join(folder, `shown.${form}`);
  if (!existsSync(path)) return [{ kind: "exit", place: "", key: `file ${form}`, value: "none" }];
  const text = readFileSync(path, "utf8");
  switch (form) {
    case "json":
      return jsonFacts("json", text, stored);
    case "csv":
      return csvFacts(form, text);
    case "csv-intervals":
      return csvRowFacts(form, text);
    case "hlog":
      return histogramLogFacts(text);
    case "junit":
      return junitFacts(text);
    case "html":
      return pageFacts(text);
    case "markdown":
      return [...numberFacts(form, text), ...wordFacts(form, text.split("\n"))];
  }
}
