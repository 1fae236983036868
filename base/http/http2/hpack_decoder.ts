/**
 * Reads field blocks (RFC 7541 §3 and §6). Both sides of a connection keep the same dynamic table, so every block must
 * be decoded, even if its fields are not needed.
 */
import { LIMITS } from "../../limits.ts";
import { type Field, fieldBytes, FieldListTooLong, HpackError } from "./fields.ts";
import { HpackReader } from "./hpack_primitives.ts";
import { HpackTable, INITIAL_TABLE_BYTES, STATIC_ENTRIES } from "./hpack_table.ts";

/**
 * The lowest first octet of each representation. A first octet below all three begins a literal that is not indexed.
 */
const INDEXED = 0x80;
const INDEXED_LITERAL = 0x40;
const SIZE_UPDATE = 0x20;

/**
 * A block may begin with one update to the lowest size since the last block, and one to the final size (RFC 7541 §4.2).
 */
const MOST_SIZE_UPDATES = 2;

interface DecoderLimits {
  /** The SETTINGS_HEADER_TABLE_SIZE that was announced before the peer could send a block. */
  readonly tableBytes?: number;
  /** Largest decoded list; each field counts as 32 bytes more than its name and value (RFC 9113 §10.5.1). */
  readonly listBytes?: number;
}

export interface DecodedBlock {
  readonly fields: readonly Field[];
  /** The fields added to the dynamic table, in order. */
  readonly inserted: readonly Field[];
  /**
   * Whether the block refers to the dynamic table or resizes it. If it does neither, the same octets always mean the
   * same.
   */
  readonly usesTable: boolean;
}

interface Repetition {
  readonly block: DecodedBlock;
  times: number;
}

export class HpackDecoder {
  readonly #mostTableBytes: number;
  readonly #mostListBytes: number;
  readonly #table: HpackTable;
  /**
   * Whether the peer's first block must begin with a size update, because a table smaller than the initial one was
   * announced (RFC 9113 §4.3.1).
   */
  #mustShrink: boolean;
  // `inserted` and `usesTable` of the block that is being read.
  #inserted: Field[] = [];
  #usesTable = false;
  /**
   * Blocks that arrived again, in the order of arrival. Their fields have not yet been inserted into the table again.
   */
  readonly #repeated: Repetition[] = [];

  constructor(
    { tableBytes = INITIAL_TABLE_BYTES, listBytes = LIMITS.responseHead.most }: DecoderLimits = {},
  ) {
    this.#mostTableBytes = tableBytes;
    this.#mostListBytes = listBytes;
    this.#mustShrink = tableBytes < INITIAL_TABLE_BYTES;
    this.#table = new HpackTable(Math.min(tableBytes, INITIAL_TABLE_BYTES));
  }

  /**
   * Changes whenever the dynamic table does. While it stays the same, a block that does not change the table keeps its
   * meaning.
   */
  get generation(): number {
    this.#catchUp();
    return this.#table.generation;
  }

  /**
   * Notes that an earlier block that did not use the table has arrived again. Its insertions are repeated when the
   * table is next read.
   */
  repeat(block: DecodedBlock, times = 1): void {
    if (block.inserted.length === 0) return;
    const last = this.#repeated.at(-1);
    if (last?.block === block) return void (last.times += times);
    this.#forgetEvicted();
    this.#repeated.push({ block, times });
  }

  /**
   * Forgets repeated blocks whose entries would be evicted by those of later blocks, because the table holds only the
   * last entries that fit.
   */
  #forgetEvicted(): void {
    let bytes = 0;
    const first = this.#repeated.findLastIndex(({ block, times }) => {
      bytes += times * insertedBytes(block);
      return bytes >= this.#mostTableBytes;
    });
    if (first > 0) this.#repeated.splice(0, first);
  }

  /** Inserts the fields of repeated blocks. Each block is inserted only as often as it takes to fill the table. */
  #catchUp(): void {
    if (this.#repeated.length === 0) return;
    for (const { block, times } of this.#repeated.splice(0)) {
      let left = Math.min(times, Math.ceil(this.#mostTableBytes / insertedBytes(block)));
      for (; left > 0; left--) for (const field of block.inserted) this.#table.insert(field);
    }
  }

  decode(block: Uint8Array): readonly Field[] {
    return this.read(block).fields;
  }

  /**
   * Decodes a whole block. Throws HpackError, after which the connection is unusable, or FieldListTooLong, after which
   * only the stream fails: it is thrown at the end of the block, when the table is in the state that the peer expects.
   */
  read(block: Uint8Array): DecodedBlock {
    this.#catchUp();
    const reader = new HpackReader(block);
    this.#inserted = [];
    this.#usesTable = this.#readSizeUpdates(reader);
    const fields: Field[] = [];
    let listBytes = 0;
    while (!reader.isAtEnd) {
      const field = this.#readField(reader);
      listBytes += fieldBytes(field);
      if (listBytes <= this.#mostListBytes) fields.push(field);
    }
    if (listBytes <= this.#mostListBytes) {
      return { fields, inserted: this.#inserted, usesTable: this.#usesTable };
    }
    throw new FieldListTooLong(listBytes, this.#mostListBytes);
  }

  /** Reads all size updates; returns whether there were any. */
  #readSizeUpdates(reader: HpackReader): boolean {
    let updates = 0;
    for (; !reader.isAtEnd && isSizeUpdate(reader.peek()); updates++) {
      const tableBytes = reader.integer(5);
      if (updates === MOST_SIZE_UPDATES) {
        throw new HpackError("the dynamic table is resized more than twice");
      }
      if (tableBytes > this.#mostTableBytes) {
        throw new HpackError("the dynamic table grows beyond its limit");
      }
      this.#table.resize(tableBytes);
    }
    if (this.#mustShrink && updates === 0) {
      throw new HpackError("the dynamic table was not shrunk to its new limit first");
    }
    this.#mustShrink = false;
    return updates > 0;
  }

  #readField(reader: HpackReader): Field {
    const first = reader.peek();
    if (first >= INDEXED) return this.#entry(reader.integer(7));
    if (isSizeUpdate(first)) {
      throw new HpackError("the dynamic table is resized after a field line");
    }
    if (first < INDEXED_LITERAL) return this.#readLiteral(reader, 4);
    const field = this.#readLiteral(reader, 6);
    this.#table.insert(field);
    this.#inserted.push(field);
    return field;
  }

  #readLiteral(reader: HpackReader, prefixBits: number): Field {
    const index = reader.integer(prefixBits);
    const name = index === 0 ? reader.string() : this.#entry(index).name;
    return { name, value: reader.string() };
  }

  #entry(index: number): Field {
    const field = this.#table.at(index);
    if (field === undefined) {
      throw new HpackError("an index is beyond the static and dynamic tables");
    }
    if (index > STATIC_ENTRIES) this.#usesTable = true;
    return field;
  }
}

function insertedBytes({ inserted }: DecodedBlock): number {
  return inserted.reduce((sum, field) => sum + fieldBytes(field), 0);
}

function isSizeUpdate(first: number): boolean {
  return first >= SIZE_UPDATE && first < INDEXED_LITERAL;
}
