/** Full-text search over titles and bodies, best first. */
import { z } from "zod";
import { type Database, prepare } from "./database.ts";

/** Before and after a found word: characters of the private use area, which no text has. */
const [BEFORE, AFTER] = ["\ue000", "\ue001"];

const hit = z.object({
  slug: z.string(),
  section: z.string(),
  title: z.string(),
  /** Text and found words in turn. */
  excerpt: z.string().transform((text) => text.split(BEFORE).flatMap((part) => part.split(AFTER))),
});
export type Hit = z.output<typeof hit>;

export interface SearchHit {
  /** Pages with all the words. */
  readonly total: number;
  /** The best of them. */
  readonly hits: readonly Hit[];
}

export type PageSearch = (query: string) => SearchHit;

const MOST_HITS = 20;

/** A word in the title counts as ten in the body. */
const RANK = "bm25(10.0, 1.0)";

export function openSearch({ db }: Database): PageSearch {
  const total = prepare(
    db,
    z.object({ pages: z.number() }),
    "SELECT count(*) AS pages FROM found WHERE found MATCH ?",
  );
  const best = prepare(
    db,
    hit,
    `SELECT pages.slug, pages.section, pages.title,
       snippet(found, 1, '${BEFORE}', '${AFTER}', '…', 24) AS excerpt
     FROM found CROSS JOIN pages ON pages.id = found.rowid
     WHERE found MATCH ? AND rank MATCH '${RANK}' ORDER BY rank LIMIT ${MOST_HITS}`,
  );
  return (query) => {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length === 0) return { total: 0, hits: [] };
    // Each in quotes, so that none is taken for an operator.
    const match = words.map((word) => `"${word}"`).join(" ");
    return { total: total.first(match)?.pages ?? 0, hits: best.all(match) };
  };
}
