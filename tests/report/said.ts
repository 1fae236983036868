/** What a report says of a subject, as tests read it. */
import type { Block, Finding, Group } from "../../report/blocks.ts";

/** The findings of a subject, in their order; none where it has nothing to say. */
export function said({ groups }: { readonly groups: readonly Group[] }, id: string): Finding[] {
  return groups.filter((group) => group.id === id).flatMap(findingsIn);
}

function findingsIn(block: Block): readonly Finding[] {
  switch (block.kind) {
    case "text":
      return [block];
    case "list":
      return block.items;
    case "figure":
      return block.findings;
    case "group":
      return block.blocks.flatMap(findingsIn);
    default:
      return [];
  }
}
