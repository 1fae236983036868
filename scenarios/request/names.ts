/** Whether every `{{ name }}` of a scenario has its value when its request is asked. */
import { METHODS, type RequestSpec } from "./request.ts";
import { didYouMean } from "../../base/suggest.ts";
import { namesInText } from "./template.ts";

type Path = readonly PropertyKey[];

/** A text in which names may stand. */
export interface Template {
  readonly path: Path;
  readonly text: string;
}

/** One request of a scenario, in the order in which they are asked. */
export interface Asked {
  readonly path: Path;
  readonly templates: readonly Template[];
  /** Names that its answer gives. */
  readonly captures: readonly string[];
}

interface WrongName {
  readonly path: Path;
  readonly message: string;
}

/** @param given Names that have a value from the start. */
export function wrongNames(asked: readonly Asked[], given: readonly string[]): WrongName[] {
  const known = new Set(given);
  return asked.flatMap(({ templates, captures }, at) => {
    const wrong = templates.flatMap(({ path, text }) =>
      namesInText(text).filter((name) => !known.has(name)).map((name) => {
        const why = whenCaptured(name, asked.slice(at)) ?? whatIsThere(name, [...known]);
        return { path, message: `Cannot fill in {{ ${name} }}: ${why}` };
      })
    );
    for (const name of captures) known.add(name);
    return wrong;
  });
}

function whenCaptured(name: string, [now, ...later]: readonly Asked[]): string | null {
  if (now.captures.includes(name)) return "it is captured from the answer to this very request";
  const capturing = later.find(({ captures }) => captures.includes(name));
  return capturing ? `it is captured only later, in ${capturing.path.join(".")}` : null;
}

function whatIsThere(name: string, known: readonly string[]): string {
  if (known.length === 0) return `no values are given here; write values: { ${name}: … }`;
  return didYouMean(name, known) ?? `the names here are ${known.join(", ")}`;
}

/** Where names may stand in a request. @param at Path of the request. */
export function templatesOf(request: RequestSpec, at: Path = []): Template[] {
  const paths = METHODS.map((method) => ({ path: [...at, method], text: request[method] }));
  const headers = Object.entries(request.headers)
    .map(([name, text]) => ({ path: [...at, "headers", name], text }));
  const json = request.json === undefined ? undefined : JSON.stringify(request.json);
  const bodies = [
    { path: [...at, "body"], text: request.body },
    { path: [...at, "json"], text: json },
  ];
  return [...paths, ...headers, ...bodies].flatMap(({ path, text }) =>
    text === undefined ? [] : [{ path, text }]
  );
}
