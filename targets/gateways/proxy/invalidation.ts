/**
 * Invalidation by key: the paths that a write makes stale (RFC 9111 §4.4), and the part of the key that keeps their
 * stored responses from being found again. Pure.
 */
import { fieldList, type Fields } from "../origin/fields.ts";
import { isUnder, type RequestHead } from "./rules.ts";

/** For each path of writes (and the paths below it), the other paths that become stale with it. */
export type Invalidation = Readonly<Record<string, readonly string[]>>;

/** Methods that change nothing (RFC 9110 §9.2.1). An unknown method may change something. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Response fields that name a resource which the write changed or created. */
const NAMING = ["location", "content-location"];

interface SentWrite {
  readonly request: Pick<RequestHead, "method" | "path">;
  readonly response: { readonly status: number; readonly fields: Fields };
  /** The origin, as `http://host:port`; paths of other origins do not concern this cache. */
  readonly origin: string;
}

/** The changed paths, without queries; empty if the request is safe or has failed. */
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

/** The path that a reference names; null if there is none, or it is on another origin. @param base An absolute URL. */
function pathNamed(reference: string, base: string): string | null {
  if (reference === "") return null;
  const [url, own] = [URL.parse(reference, base), URL.parse(base)];
  return url !== null && url.origin === own?.origin ? url.pathname : null;
}

function withoutQuery(path: string): string {
  return path.split("?", 1)[0];
}

/** The most paths to remember; they take some 10 MB. */
const MOST_PATHS = 100_000;

/**
 * The generation of each path, which is a part of the key of its stored responses. A write advances the generation, so
 * nobody finds responses stored before the write any more, nor responses of fetches that were sent before it. The store
 * drops them when they expire.
 */
export class Generations {
  /** The generation of every path that is not remembered. */
  #floor = 0;
  #last = 0;
  readonly #byPath = new Map<string, number>();

  constructor(private readonly most = MOST_PATHS) {}

  /** @param path The path, with or without a query. */
  of(path: string): number {
    if (this.#last === 0) return 0;
    return this.#byPath.get(named(path)) ?? this.#floor;
  }

  advance(path: string): void {
    this.#last++;
    if (this.#byPath.size >= this.most) {
      this.#byPath.clear();
      this.#floor = this.#last; // makes everything that is stored stale
    }
    this.#byPath.set(named(path), this.#last);
  }
}

/** The path under one name: the same for `/page/a` and `/page/%61`. */
function named(path: string): string {
  const plain = withoutQuery(path);
  if (!plain.includes("%")) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
