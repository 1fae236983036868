/**
 * The wiki's database: a temporary SQLite file with a write-ahead log, indexes on links and tags, and a full-text index
 * (FTS5) that triggers keep up to date.
 */
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type * as z from "zod";
import { TemporaryFolder } from "../../../base/system/temporary_folder.ts";

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;

  CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    section TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    author TEXT NOT NULL,
    revision INTEGER NOT NULL,
    written_at TEXT NOT NULL
  );
  CREATE INDEX pages_by_section ON pages (section, title);
  CREATE INDEX pages_by_time ON pages (written_at);

  CREATE TABLE revisions (
    page_id INTEGER NOT NULL REFERENCES pages (id),
    revision INTEGER NOT NULL,
    author TEXT NOT NULL,
    written_at TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (page_id, revision)
  ) WITHOUT ROWID;

  CREATE TABLE tags (
    tag TEXT NOT NULL,
    page_id INTEGER NOT NULL REFERENCES pages (id),
    PRIMARY KEY (tag, page_id)
  ) WITHOUT ROWID;
  CREATE INDEX tags_by_page ON tags (page_id);

  CREATE TABLE links (
    to_slug TEXT NOT NULL,
    from_id INTEGER NOT NULL REFERENCES pages (id),
    PRIMARY KEY (to_slug, from_id)
  ) WITHOUT ROWID;
  CREATE INDEX links_by_page ON links (from_id);

  CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    salt BLOB NOT NULL,
    hash BLOB NOT NULL
  );
  CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id),
    ends_at INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE VIRTUAL TABLE found USING fts5 (
    title, body, content = pages, content_rowid = id, tokenize = 'porter unicode61'
  );
  CREATE TRIGGER pages_inserted AFTER INSERT ON pages BEGIN
    INSERT INTO found (rowid, title, body) VALUES (new.id, new.title, new.body);
  END;
  CREATE TRIGGER pages_updated AFTER UPDATE ON pages BEGIN
    INSERT INTO found (found, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);
    INSERT INTO found (rowid, title, body) VALUES (new.id, new.title, new.body);
  END;
`;

export interface Database {
  readonly db: DatabaseSync;
  /** Runs `work` in a transaction, which is rolled back if it throws. */
  readonly atOnce: (work: () => void) => void;
  /** Moves the contents of the write-ahead log into the database, and empties the log. */
  readonly settle: () => void;
  /** Closes the database and deletes all of its files. Idempotent. */
  readonly remove: () => void;
}

/** Whether the system lets open files be removed. */
const NAMELESS = Deno.build.os !== "windows";

export function openDatabase(): Database {
  const folder = TemporaryFolder.make("wiki");
  const db = new DatabaseSync(join(folder.path, "wiki.db"));
  db.exec(SCHEMA);
  // Removed files remain usable while they are open, so nothing is left behind even if this process
  // is killed.
  if (NAMELESS) folder[Symbol.dispose]();
  return {
    db,
    atOnce(work): void {
      db.exec("BEGIN IMMEDIATE");
      try {
        work();
        db.exec("COMMIT");
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    },
    settle: () => db.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
    remove(): void {
      if (!db.isOpen) return;
      db.close();
      if (!NAMELESS) folder[Symbol.dispose]();
    },
  };
}

/** A prepared statement whose rows are validated against a schema. */
export interface Query<Row> {
  readonly first: (...parameters: SQLInputValue[]) => Row | null;
  readonly all: (...parameters: SQLInputValue[]) => Row[];
}

/** @param row The schema of the statement's rows. */
export function prepare<Row>(db: DatabaseSync, row: z.ZodType<Row>, sql: string): Query<Row> {
  const statement = db.prepare(sql);
  return {
    first(...parameters): Row | null {
      const found = statement.get(...parameters);
      return found === undefined ? null : row.parse(found);
    },
    all: (...parameters) => statement.all(...parameters).map((found) => row.parse(found)),
  };
}
