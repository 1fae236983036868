/**
 * The field lines that HPACK refers to by index (RFC 7541 §2.3): first the static table, then the dynamic one, newest
 * entry first.
 */
import { type Field, fieldBytes } from "./fields.ts";

/** SETTINGS_HEADER_TABLE_SIZE until a side announces another (RFC 9113 §6.5.2). */
export const INITIAL_TABLE_BYTES = 4_096;

/** RFC 7541 Appendix A, in order. The first entry has the index 1. */
const STATIC_TABLE: readonly Field[] = [
  ...[":authority"].map(valueless),
  ...valued(":method", ["GET", "POST"]),
  ...valued(":path", ["/", "/index.html"]),
  ...valued(":scheme", ["http", "https"]),
  ...valued(":status", ["200", "204", "206", "304", "400", "404", "500"]),
  ...["accept-charset"].map(valueless),
  ...valued("accept-encoding", ["gzip, deflate"]),
  ...[
    ...["accept-language", "accept-ranges", "accept", "access-control-allow-origin", "age"],
    ...["allow", "authorization", "cache-control", "content-disposition", "content-encoding"],
    ...["content-language", "content-length", "content-location", "content-range"],
    ...["content-type", "cookie", "date", "etag", "expect", "expires", "from", "host"],
    ...["if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"],
    ...["last-modified", "link", "location", "max-forwards", "proxy-authenticate"],
    ...["proxy-authorization", "range", "referer", "refresh", "retry-after", "server"],
    ...["set-cookie", "strict-transport-security", "transfer-encoding", "user-agent", "vary"],
    ...["via", "www-authenticate"],
  ].map(valueless),
];

export const STATIC_ENTRIES = STATIC_TABLE.length;

function valueless(name: string): Field {
  return { name, value: "" };
}

function valued(name: string, values: readonly string[]): Field[] {
  return values.map((value) => ({ name, value }));
}

/** The first index of each name; entries with the same name are adjacent. */
const STATIC_NAMES = new Map(
  STATIC_TABLE.map(({ name }, at) => [name, at + 1] as const).reverse(),
);

const FIRST_DYNAMIC = STATIC_TABLE.length + 1;

const NO_ENTRIES: (Field | null)[] = [];
const FIRST_ENTRIES = 8;

export class HpackTable {
  /** Changes with every insertion, eviction and resize. */
  generation = 0;
  /** Size of the dynamic table (RFC 7541 §4.1), and the number of its entries. */
  bytes = 0;
  length = 0;
  /**
   * A ring that grows on demand, because most connections need few entries or none. Its length is 0 or a power of two.
   */
  #ring = NO_ENTRIES;
  /** Number of insertions, counted anew when the ring grows; its low bits are the slot of the next insertion. */
  #inserted = 0;

  constructor(private mostBytes: number) {}

  /** The entry at an index; undefined if neither table has it. */
  at(index: number): Field | undefined {
    return index < FIRST_DYNAMIC ? STATIC_TABLE[index - 1] : this.#newest(index - FIRST_DYNAMIC);
  }

  #newest(age: number): Field | undefined {
    if (age >= this.length) return undefined;
    return this.#ring[this.#slot(this.#inserted - 1 - age)] ?? undefined;
  }

  #slot(place: number): number {
    return place & this.#ring.length - 1;
  }

  /** Index of a field with this name and value; 0 if there is none. */
  indexOf({ name, value }: Field): number {
    for (let at = STATIC_NAMES.get(name) ?? 0; STATIC_TABLE[at - 1]?.name === name; at++) {
      if (STATIC_TABLE[at - 1].value === value) return at;
    }
    for (let age = 0; age < this.length; age++) {
      const field = this.#newest(age);
      if (field?.value === value && field.name === name) return FIRST_DYNAMIC + age;
    }
    return 0;
  }

  /** Index of a field with this name; 0 if there is none. */
  indexOfName(name: string): number {
    const index = STATIC_NAMES.get(name);
    if (index !== undefined) return index;
    for (let age = 0; age < this.length; age++) {
      if (this.#newest(age)?.name === name) return FIRST_DYNAMIC + age;
    }
    return 0;
  }

  /** Adds a field. A field larger than the table empties the table, which is not an error (RFC 7541 §4.4). */
  insert(field: Field): void {
    const bytes = fieldBytes(field);
    this.generation++;
    this.#evictTo(this.mostBytes - bytes);
    if (bytes > this.mostBytes) return;
    if (this.length === this.#ring.length) this.#grow();
    this.#ring[this.#slot(this.#inserted++)] = field;
    this.length++;
    this.bytes += bytes;
  }

  resize(mostBytes: number): void {
    this.generation++;
    this.mostBytes = mostBytes;
    this.#evictTo(mostBytes);
  }

  #evictTo(bytes: number): void {
    while (this.length > 0 && this.bytes > bytes) {
      const slot = this.#slot(this.#inserted - this.length);
      const oldest = this.#ring[slot];
      this.#ring[slot] = null; // frees its memory
      this.length--;
      if (oldest !== null) this.bytes -= fieldBytes(oldest);
    }
  }

  /** Doubles the ring, with the oldest entry in the first slot. */
  #grow(): void {
    const { length } = this;
    const entries = this.#ring.map((_, at) => this.#newest(length - 1 - at) ?? null);
    const more = new Array<null>(Math.max(FIRST_ENTRIES, 2 * length) - length).fill(null);
    this.#ring = [...entries, ...more];
    this.#inserted = length;
  }
}
