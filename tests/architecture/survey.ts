/**
 * What one source file holds that the house has rules about, read from its syntax tree.
 */

/** Something at one place. */
export interface Finding {
  readonly line: number;
  readonly what: string;
}

export interface Survey {
  /** What a pure room must not use: clock, timer, randomness, socket, `Deno`, `await`. */
  readonly impurities: Finding[];
  /** What slips past the type checker, and notes to do something later. */
  readonly evasions: Finding[];
}

const IMPURE_GLOBALS = new Set([
  ...["Deno", "performance", "Date", "fetch", "WebSocket", "crypto"],
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask"],
]);
const LATER = /\b(?:TODO|FIXME|XXX)\b/;

/** Reads `text` with the linter's parser, which exists in `deno test` only. */
export function surveyFile(file: string, text: string): Survey {
  const survey: Survey = { impurities: [], evasions: [] };
  const rules = { survey: { create: (context: Deno.lint.RuleContext) => visit(survey, context) } };
  Deno.lint.runPlugin({ name: "house", rules }, file, text);
  return survey;
}

function visit(survey: Survey, { sourceCode }: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const { text } = sourceCode;
  const lineOf = lineFinder(text);
  const found = (list: Finding[], node: Deno.lint.Node, what = sourceCode.getText(node)) => {
    list.push({ line: lineOf(node.range[0]), what });
  };
  for (const comment of sourceCode.getAllComments()) {
    if (LATER.test(comment.value)) found(survey.evasions, comment, "a note for later");
  }
  return {
    AwaitExpression: (node) => found(survey.impurities, node, "await"),
    "ForOfStatement[await=true]": (node: Deno.lint.ForOfStatement) => {
      found(survey.impurities, node, "for await");
    },
    MemberExpression: (node) => {
      if (sourceCode.getText(node) === "Math.random") found(survey.impurities, node);
    },
    Identifier: (node) => {
      if (IMPURE_GLOBALS.has(node.name) && !isLabel(node) && !isCalendar(node)) {
        found(survey.impurities, node);
      }
    },
    TSAnyKeyword: (node) => found(survey.evasions, node),
    TSNonNullExpression: (node) => found(survey.evasions, node),
    "TSAsExpression > TSAsExpression": (node: Deno.lint.Node) => found(survey.evasions, node),
  };
}

/** The line, from 1 on, in which an offset of `text` stands. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return high;
  };
}

/** Whether the identifier only names a property, as `Date` in `row.Date` or `{ Date: 1 }`. */
export function isLabel(node: Deno.lint.Identifier): boolean {
  const { parent } = node;
  if (parent.type === "MemberExpression") return parent.property === node && !parent.computed;
  if (parent.type === "Property") return parent.key === node && !parent.shorthand;
  return parent.type === "TSPropertySignature" || parent.type === "TSMethodSignature";
}

/** Whether `Date` only converts what it is given: the calendar is pure, the clock is not. */
function isCalendar({ name, parent }: Deno.lint.Identifier): boolean {
  if (name !== "Date") return false;
  if (parent.type === "NewExpression") return parent.arguments.length > 0;
  return parent.type === "MemberExpression" && parent.property.type === "Identifier" &&
    ["parse", "UTC"].includes(parent.property.name);
}
