/** What a report says of a subject, as tests read it. */
import assert from "node:assert/strict";
import type { Block, Fact, Finding, Group } from "../../report/blocks.ts";
import type { Chart } from "../../report/chart.ts";
import type { Table } from "../../report/subjects/tables/table.ts";

interface Said {
  readonly groups: readonly Group[];
}

/** @param path Ids of groups: `s1/latency` is that of the first scenario. */
function blocksAt({ groups }: Said, path: string): readonly Block[] {
  return path.split("/").reduce<readonly Block[]>(
    (blocks, id) =>
      blocks.flatMap((one) => one.kind === "group" && one.id === id ? one.blocks : []),
    groups,
  );
}

/** All blocks in some, in their order. */
export function within(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) =>
    block.kind === "group" || block.kind === "alternatives"
      ? [block, ...within(block.blocks)]
      : [block]
  );
}

/** The findings of a subject, in their order, each once; none where it has nothing to say. */
export function said(model: Said, path: string): Finding[] {
  const found = within(blocksAt(model, path)).flatMap((block): readonly Finding[] => {
    switch (block.kind) {
      case "text":
        return [{ code: block.code, text: block.text }];
      case "list":
        return block.items;
      case "figure":
        return block.findings;
      default:
        return [];
    }
  });
  return [...new Map(found.map((finding) => [finding.text, finding])).values()];
}

/** Those of them that have a code, or one that begins with it. */
export function saidAs(model: Said, path: string, code: string): string[] {
  return said(model, path).filter((one) => one.code === code || one.code.startsWith(`${code}.`))
    .map(({ text }) => text);
}

export function tablesIn(model: Said, path: string): Table[] {
  return within(blocksAt(model, path)).flatMap((block) =>
    block.kind === "table" ? [block.table] : block.kind === "figure" ? block.values ?? [] : []
  );
}

/** The first table of a subject, or the first with that beginning of its caption. */
export function tableIn(model: Said, path: string, caption = ""): Table {
  return tablesIn(model, path).find((one) => one.caption.startsWith(caption)) ??
    assert.fail(`no table ${caption} in ${path}`);
}

/** Of one kind, with their titles. */
export function panelsIn<Kind extends Chart["kind"]>(
  model: Said,
  path: string,
  kind: Kind,
): { readonly title: string; readonly chart: Extract<Chart, { kind: Kind }> }[] {
  const isOf = (chart: Chart): chart is Extract<Chart, { kind: Kind }> => chart.kind === kind;
  return within(blocksAt(model, path)).flatMap((block) =>
    block.kind === "figure"
      ? block.panels.flatMap(({ of, title = of?.label ?? "", chart }) =>
        isOf(chart) ? [{ title, chart }] : []
      )
      : []
  );
}

export function chartsIn<Kind extends Chart["kind"]>(
  model: Said,
  path: string,
  kind: Kind,
): Extract<Chart, { kind: Kind }>[] {
  return panelsIn(model, path, kind).map(({ chart }) => chart);
}

/** What was measured where, by the names of the facts. */
export function factsIn(model: Said): Fact[] {
  return within(model.groups).flatMap((block) => block.kind === "facts" ? block.facts : []);
}
