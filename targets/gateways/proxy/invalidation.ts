/**
 * Invalidation by key: decides which stored responses a write makes stale (RFC 9111 §4.4), and changes their keys so
 * that they are not found again. Pure.
 */
import { fieldList, type Fields } from "../origin/fields.ts";
import { isUnder, type RequestHead } from "./rules.ts";

/**
 * For each path to which requests may write (including the paths below it), the other paths that such a write makes
 * stale.
 */
export type Invalidation = Readonly<Record<string, readonly string[]>>;

/** Methods that change nothing (RFC 9110 §9.2.1). Unknown methods are assumed to change something. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Response fields that name a resource that the write has changed or created. */
const NAMING = ["location", "content-location"];

interface SentWrite {
  readonly request: Pick<RequestHead, "method" | "path">;
  readonly response: { readonly status: number; readonly fields: Fields };
  /** The origin, `http://host:port`. Paths of other origins are ignored. */
  readonly origin: string;
}

/** The paths that a request has changed, without queries; empty if the method is safe or the request failed. */
export function pathsChangedBy(
  { request: { method, path }, response: { status, fields }, origin }: SentWrite,
  invalidation: Invalidation,
): string[] {
  if (SAFE.has(method) || status < 200 || status >= 400) return [];
  const own = withoutQuery(path);
  const named = NAMING.flatMap((name) => pathNamed(fieldList(fields, name), origin + own) ?? []);
  const tied = Object.entries(invalidation).flatMap(([prefix, paths]) =>
    isUnder(path, prefix) ? paths : []
  );
  return [...new Set([own, ...named, ...tied])];
}

/**
 * The path to which a reference resolves; null if the reference is empty or points to another origin.
 *
 * @param base An absolute URL.
 */
function pathNamed(reference: string, base: string): string | null {
  if (reference === "") return null;
  const [url, own] = [URL.parse(reference, base), URL.parse(base)];
  return url !== null && url.origin === own?.origin ? url.pathname : null;
}

function withoutQuery(path: string): string {
  return path.split("?", 1)[0];
}

/** The most paths that are remembered; they take about 10 MB. */
const MOST_PATHS = 100_000;

/**
 * The generation of each path, which is a part of the keys of its stored responses. A write advances the generation, so
 * nobody finds responses stored before the write, nor those of fetches that were sent before it. They remain in the
 * store until they expire.
 */
export class Generations {
  /** The generation of each path that is not remembered. */
  #floor = 0;
  #last = 0;
  readonly #byPath = new Map<string, number>();

  constructor(private readonly most = MOST_PATHS) {}

  /** @param path With or without a query. */
  of(path: string): number {
    if (this.#last === 0) return 0;
    return this.#byPath.get(named(path)) ?? this.#floor;
  }

  advance(path: string): void {
    this.#last++;
    if (this.#byPath.size >= this.most) {
      this.#byPath.clear();
      this.#floor = this.#last; // no response stored so far can be found any more
    }
    this.#byPath.set(named(path), this.#last);
  }
}

/** Decodes the path, so that `/page/a` and `/page/%61` are the same. */
function named(path: string): string {
  const plain = withoutQuery(path);
  if (!plain.includes("%")) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
