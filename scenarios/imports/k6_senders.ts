/** Finds the names through which a k6 script may send requests: imports, and functions that use them. */
import type * as js from "acorn";
import { namesIn, nodesIn, partsOf } from "./script_source.ts";

/** Modules and functions of k6 that send nothing, check no response and do not pause. */
const SILENT = /^(?:k6\.fail|k6\/(?:crypto|data|encoding|execution|html|metrics|options)\b)/;

/**
 * Names through which the script may send, check or pause, each with the import that does so. A function that uses none
 * of them sends nothing.
 */
export function sendersIn(
  program: js.Program,
  imported: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const senders = new Map<string, string>();
  /** For each name, the functions that refer to it. */
  const reachedBy = new Map<string, string[]>();
  for (const [name, within] of functionsOf(program)) {
    for (const used of new Set(within)) reachedBy.getOrInsert(used, []).push(name);
  }
  const waiting = [...imported].filter(([, from]) => !SILENT.test(from));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [name, from] = next;
    if (senders.has(name)) continue;
    senders.set(name, from);
    for (const holder of reachedBy.get(name) ?? []) waiting.push([holder, from]);
  }
  return senders;
}

/** Names of functions, classes and objects with functions, each with all names that they use. */
function* functionsOf(program: js.Program): Generator<[name: string, within: readonly string[]]> {
  for (const node of nodesIn(program) as Iterable<js.AnyNode>) {
    if (node.type === "FunctionDeclaration") yield [node.id?.name ?? "default", namesIn(node)];
    if (node.type === "ClassDeclaration") yield [node.id?.name ?? "default", namesIn(node)];
    const [to, from] = node.type === "VariableDeclarator" && node.init
      ? [node.id, node.init]
      : node.type === "AssignmentExpression"
      ? [node.left, node.right]
      : [];
    if (to === undefined || from === undefined) continue;
    const held = heldFunctions(from);
    for (const name of held.length > 0 ? namesIn(to) : []) yield [name, held];
  }
}

/** Names that the functions in an expression use, and names that the expression mentions without calling them. */
function heldFunctions(from: js.Node): string[] {
  const held: string[] = [];
  const waiting = [from as js.AnyNode];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (/Function|Class/.test(node.type)) { for (const name of namesIn(node)) held.push(name); }
    else if (node.type === "Identifier") held.push(node.name);
    else for (const part of heldParts(node) as js.AnyNode[]) waiting.push(part);
  }
  return held;
}

function heldParts(node: js.AnyNode): readonly js.Node[] {
  switch (node.type) {
    case "MemberExpression":
      return [node.object];
    case "CallExpression":
      return node.arguments;
    case "NewExpression":
      return [node.callee, ...node.arguments];
    case "Property":
      return [node.value];
    default:
      return partsOf(node);
  }
}
