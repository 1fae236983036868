/** The wiki's queries, and the writing of pages to its database. */
import * as z from "zod";
import { type Database, prepare, type Query } from "./database.ts";

const head = z.object({ slug: z.string(), section: z.string(), title: z.string() });

const change = head.extend({
  author: z.string(),
  /** When the revision was written, in ISO 8601, UTC. */
  writtenAt: z.string(),
});
export type PageChange = z.output<typeof change>;

const page = change.extend({
  id: z.number(),
  /** The page's markdown. */
  body: z.string(),
  revision: z.number(),
});
export type WikiPage = z.output<typeof page>;

const sectionCount = z.object({ section: z.string(), pages: z.number() });
export type SectionCount = z.output<typeof sectionCount>;

/** What a link to a page needs. */
export interface PageHead {
  readonly slug: string;
  readonly section: string;
  readonly title: string;
}

/** A page as its author submits it, before it is in the database. */
export interface Draft extends PageHead {
  /** The page's markdown. */
  readonly body: string;
  readonly tags: readonly string[];
  readonly author: string;
  /** When the draft was written, in ISO 8601, UTC. */
  readonly writtenAt: string;
}

export interface Pages {
  readonly byName: (slug: string) => WikiPage | null;
  readonly byId: (id: number) => WikiPage | null;
  readonly count: () => number;
  /** Pages in the order of their ids. */
  readonly list: (limit: number, offset: number) => PageHead[];
  readonly sections: () => SectionCount[];
  readonly inSection: (section: string) => PageHead[];
  readonly newest: (limit: number) => PageChange[];
  readonly tagsOf: (id: number) => string[];
  readonly tagged: (tag: string) => PageHead[];
  readonly linkingTo: (slug: string) => PageHead[];
  /** Writes new pages, and new revisions of existing pages, in one transaction. */
  readonly write: (drafts: Iterable<Draft>) => void;
}

const HEAD = "pages.slug, pages.section, pages.title";
const CHANGE = `${HEAD}, pages.author, pages.written_at AS writtenAt`;
const PAGE = `${CHANGE}, pages.id, pages.body, pages.revision`;

export function openPages({ db, atOnce }: Database): Pages {
  const query = <Row>(row: z.ZodType<Row>, sql: string): Query<Row> => prepare(db, row, sql);
  const count = query(z.object({ pages: z.number() }), "SELECT count(*) AS pages FROM pages");
  const tagsOf = query(
    z.object({ tag: z.string() }),
    "SELECT tag FROM tags WHERE page_id = ? ORDER BY tag",
  );
  return {
    byName: query(page, `SELECT ${PAGE} FROM pages WHERE slug = ?`).first,
    byId: query(page, `SELECT ${PAGE} FROM pages WHERE id = ?`).first,
    count: () => count.first()?.pages ?? 0,
    list: query(head, `SELECT ${HEAD} FROM pages ORDER BY id LIMIT ? OFFSET ?`).all,
    sections: query(
      sectionCount,
      "SELECT section, count(*) AS pages FROM pages GROUP BY section ORDER BY section",
    ).all,
    inSection: query(head, `SELECT ${HEAD} FROM pages WHERE section = ? ORDER BY title, id`).all,
    newest: query(change, `SELECT ${CHANGE} FROM pages ORDER BY written_at DESC LIMIT ?`).all,
    tagsOf: (id) => tagsOf.all(id).map(({ tag }) => tag),
    tagged: query(
      head,
      `SELECT ${HEAD} FROM tags JOIN pages ON id = page_id WHERE tag = ? ORDER BY title, id`,
    ).all,
    linkingTo: query(
      head,
      `SELECT ${HEAD} FROM links JOIN pages ON id = from_id WHERE to_slug = ? ORDER BY title, id`,
    ).all,
    write: writer({ db, atOnce }),
  };
}

function writer({ db, atOnce }: Pick<Database, "db" | "atOnce">): Pages["write"] {
  const upsert = prepare(
    db,
    z.object({ id: z.number(), revision: z.number() }),
    `INSERT INTO pages (slug, section, title, body, author, revision, written_at)
       VALUES (?, ?, ?, ?, ?, 1, ?)
       ON CONFLICT (slug) DO UPDATE SET section = excluded.section, title = excluded.title,
         body = excluded.body, author = excluded.author, written_at = excluded.written_at,
         revision = revision + 1
       RETURNING id, revision`,
  );
  const keepRevision = db.prepare("INSERT INTO revisions VALUES (?, ?, ?, ?, ?)");
  const clearTags = db.prepare("DELETE FROM tags WHERE page_id = ?");
  const addTag = db.prepare("INSERT INTO tags (page_id, tag) VALUES (?, ?)");
  const clearLinks = db.prepare("DELETE FROM links WHERE from_id = ?");
  const addLink = db.prepare("INSERT OR IGNORE INTO links (from_id, to_slug) VALUES (?, ?)");
  const write = ({ slug, section, title, body, author, writtenAt, tags }: Draft): void => {
    const row = upsert.first(slug, section, title, body, author, writtenAt);
    if (row === null) throw new Error(`Cannot write page ${slug}: the database gave no row`);
    keepRevision.run(row.id, row.revision, author, writtenAt, body);
    clearTags.run(row.id);
    for (const tag of new Set(tags)) addTag.run(row.id, tag);
    clearLinks.run(row.id);
    for (const [, to] of body.matchAll(/\]\(\/page\/([a-z0-9-]+)\)/g)) addLink.run(row.id, to);
  };
  return (drafts) =>
    atOnce(() => {
      for (const draft of drafts) write(draft);
    });
}

/** Marks around a word that was found; these private-use characters are not expected in any text. */
const [BEFORE, AFTER] = ["\ue000", "\ue001"];

const hit = z.object({
  slug: z.string(),
  section: z.string(),
  title: z.string(),
  /** An extract of the page, split at the words found: ordinary text and found words alternate. */
  excerpt: z.string().transform((text) => text.split(BEFORE).flatMap((part) => part.split(AFTER))),
});
type Hit = z.output<typeof hit>;

export interface SearchHit {
  /** The number of pages that contain all words of the query. */
  readonly total: number;
  /** The best matches, the best first. */
  readonly hits: readonly Hit[];
}

export type PageSearch = (query: string) => SearchHit;

const MOST_HITS = 20;

/** Ranks the results, the best first. A word in the title counts ten times as much as one in the body. */
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
    // Quote each word, so that none is taken for an operator of the query language.
    const match = words.map((word) => `"${word}"`).join(" ");
    return { total: total.first(match)?.pages ?? 0, hits: best.all(match) };
  };
}
