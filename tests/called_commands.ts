/**
 * The commands of the program that tests call, read from the syntax trees of what the tests run: their own code, and of
 * the helpers in `e2e/` what that code uses. A command in a comment, a text or a function that nobody calls is not called.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isLabel } from "./architecture/survey.ts";

const E2E = join(import.meta.dirname ?? "", "e2e");

/** A statement of a module. */
interface Part {
  readonly range: readonly [from: number, to: number];
  /** What it declares; nothing: it runs as soon as the module is loaded. */
  readonly names: readonly string[];
  readonly uses: Set<string>;
  /** The first words of its lists: of a call of the program, the command. */
  readonly firstWords: Set<string>;
}

interface Source {
  readonly parts: Part[];
  /** By its name here: what comes from a helper. */
  readonly imports: Map<string, { readonly path: string; readonly name: string }>;
}

/** The first words of the lists with which the tests may call the program: the commands, and words that are none. */
export function firstWordsIn(
  tests: readonly string[],
  read = (path: string): string => readFileSync(path, "utf8"),
): Set<string> {
  const sources = new Map<string, Source>();
  const reached = new Set<Part>();
  const sourceOf = (path: string): Source => {
    const known = sources.get(path) ?? sourceIn(path, read(path));
    sources.set(path, known);
    return known;
  };
  /** @param name Undefined: what runs as soon as the module is loaded. */
  const reach = (path: string, name?: string): void => {
    const { parts, imports } = sourceOf(path);
    const found = parts.filter(({ names }) =>
      name === undefined ? names.length === 0 : names.includes(name)
    );
    for (const part of found.filter((part) => !reached.has(part))) {
      reached.add(part);
      for (const used of part.uses) {
        const from = imports.get(used);
        if (from === undefined) reach(path, used);
        else {
          reach(from.path);
          reach(from.path, from.name);
        }
      }
    }
  };
  for (const path of tests) reach(path);
  return new Set([...reached].flatMap(({ firstWords }) => [...firstWords]));
}

/** Reads a module with the linter's parser, which exists in `deno test` only. */
function sourceIn(path: string, text: string): Source {
  const source: Source = { parts: [], imports: new Map() };
  const rules = { calls: { create: () => visitorOf(source, path) } };
  Deno.lint.runPlugin({ name: "calls", rules }, path, text);
  return source;
}

function visitorOf({ parts, imports }: Source, path: string): Deno.lint.LintVisitor {
  const partAt = ([at]: Deno.lint.Range): Part | undefined =>
    parts.find(({ range: [from, to] }) => from <= at && at < to);
  return {
    Program({ body }): void {
      for (const statement of body) {
        if (statement.type !== "ImportDeclaration") {
          const { range } = statement;
          parts.push({ range, names: namesOf(statement), uses: new Set(), firstWords: new Set() });
          continue;
        }
        const from = join(path, "..", statement.source.value);
        if (!statement.source.value.startsWith(".") || !from.startsWith(E2E)) continue;
        for (const one of statement.specifiers) {
          if (one.type !== "ImportSpecifier" || one.imported.type !== "Identifier") continue;
          imports.set(one.local.name, { path: from, name: one.imported.name });
        }
      }
    },
    Identifier(node): void {
      if (!isLabel(node)) partAt(node.range)?.uses.add(node.name);
    },
    ArrayExpression(node): void {
      const [first] = node.elements;
      if (first?.type !== "Literal" || typeof first.value !== "string") return;
      if (mayBeCalled(node)) partAt(node.range)?.firstWords.add(first.value);
    },
  };
}

/** What a statement declares with names of their own. */
function namesOf(statement: Deno.lint.Node): string[] {
  switch (statement.type) {
    case "ExportNamedDeclaration":
      return statement.declaration === null ? [] : namesOf(statement.declaration);
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return statement.id === null ? [] : [statement.id.name];
    case "VariableDeclaration":
      return statement.declarations.flatMap(({ id }) => id.type === "Identifier" ? [id.name] : []);
    default:
      return [];
  }
}

/** Whether the program may be called with the list: it has a name, or is handed to what is no assertion. */
function mayBeCalled(list: Deno.lint.ArrayExpression | Deno.lint.SpreadElement): boolean {
  const { parent } = list;
  switch (parent.type) {
    case "SpreadElement":
    case "ArrayExpression":
      return mayBeCalled(parent);
    case "VariableDeclarator":
    case "NewExpression":
      return true;
    case "CallExpression":
      return !isAssertion(parent);
    default:
      return false;
  }
}

function isAssertion({ callee }: Deno.lint.CallExpression): boolean {
  return callee.type === "MemberExpression" && callee.object.type === "Identifier" &&
    callee.object.name === "assert";
}
