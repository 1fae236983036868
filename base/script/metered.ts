/**
 * Adds checks of the clock to the loops of a WebAssembly module. QuickJS checks between the operations of a script
 * whether it may go on, but not within a built-in function, and `[].includes.call({ length: 2 ** 53 })` would take
 * years. So each loop that calls functions counts its rounds, and after every `ROUNDS` rounds it calls the clock that
 * the module imports for `Date.now`. A replacement for this import may throw, which ends the script's call from
 * outside. Pure.
 *
 * The format: https://webassembly.github.io/spec/core/binary/. Anything unknown is refused, because its length is
 * unknown, too.
 */

/**
 * Rounds of a loop between two calls of the clock; a power of two. A round takes nanoseconds, and a call of the clock
 * takes as long as dozens of rounds, so the calls cost little.
 */
const ROUNDS = 1_024;

export interface Metered {
  readonly binary: Uint8Array<ArrayBuffer>;
  /** The imported function that loops call: its module, and its name in that module. */
  readonly clock: { readonly module: string; readonly name: string };
}

/** Magic number and version. */
const HEAD_BYTES = 8;
const SECTION = { types: 1, imports: 2, functions: 3, code: 10 };
const FUNCTION_TYPE = 0x60;
const I32 = 0x7f;
const F64 = 0x7c;
const LOOP = 0x03;
const BLOCKS = [0x02, LOOP, 0x04];
const END = 0x0b;
const CALLS = [0x10, 0x11, 0x12, 0x13];

interface FunctionType {
  readonly params: number;
  readonly results: readonly number[];
}

/** Throws an Error if the module can't be read, or imports no clock. */
export function metered(binary: Uint8Array): Metered {
  const sections = sectionsOf(binary);
  const contentOf = (id: number): Reader => {
    const found = sections.find((section) => section.id === id);
    if (found === undefined) throw unreadable(`no section ${id}`);
    return new Reader(found.content);
  };
  const types = contentOf(SECTION.types).list(functionType);
  const { index, ...clock } = clockIn(contentOf(SECTION.imports), types);
  const functions = contentOf(SECTION.functions).list((reader) => types[reader.number()]);
  const code = meteredCode(contentOf(SECTION.code), functions, index);
  const written = sections.flatMap(({ id, content }) => {
    const made = id === SECTION.code ? code : content;
    return [Uint8Array.of(id), number(made.length), made];
  });
  return { binary: joined([binary.subarray(0, HEAD_BYTES), ...written]), clock };
}

interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

function sectionsOf(binary: Uint8Array): Section[] {
  const reader = new Reader(binary, HEAD_BYTES);
  const sections: Section[] = [];
  while (!reader.isAtEnd) {
    const id = reader.octet();
    sections.push({ id, content: reader.octets(reader.number()) });
  }
  return sections;
}

function functionType(reader: Reader): FunctionType {
  if (reader.octet() !== FUNCTION_TYPE) throw unreadable("a type that is no function");
  const params = reader.list((one) => one.octet()).length;
  return { params, results: reader.list((one) => one.octet()) };
}

/** Finds the clock among the imports: the only imported function that takes nothing and returns a float. */
function clockIn(
  imports: Reader,
  types: readonly FunctionType[],
): Metered["clock"] & { readonly index: number } {
  let index = 0;
  const clocks = imports.list((reader) => {
    const [module, name] = [reader.text(), reader.text()];
    const kind = reader.octet();
    if (kind !== 0) {
      skipExtern(reader, kind);
      return [];
    }
    const { params, results } = types[reader.number()];
    const isClock = params === 0 && results.length === 1 && results[0] === F64;
    return isClock ? [{ module, name, index: index++ }] : (index++, []);
  }).flat();
  if (clocks.length !== 1) throw unreadable(`${clocks.length} clocks`);
  return clocks[0];
}

/** Skips the type of an imported table, memory or global. */
function skipExtern(reader: Reader, kind: number): void {
  if (kind === 3) return reader.skip(2);
  if (kind > 3) throw unreadable(`an import of kind ${kind}`);
  if (kind === 1) reader.skip(1);
  const hasMost = (reader.octet() & 1) === 1;
  reader.skipNumbers(hasMost ? 2 : 1);
}

function meteredCode(
  code: Reader,
  functions: readonly FunctionType[],
  clock: number,
): Uint8Array {
  const count = code.number();
  const parts = [number(count)];
  for (const { params } of functions) {
    const body = meteredBody(code.octets(code.number()), params, clock);
    parts.push(number(body.length), body);
  }
  return joined(parts);
}

/** The body of a function; if it has loops that call functions, an additional local variable counts their rounds. */
function meteredBody(body: Uint8Array, params: number, clock: number): Uint8Array {
  const reader = new Reader(body);
  const groups = reader.number();
  const declaredAt = reader.at;
  let locals = params;
  for (let group = 0; group < groups; group++) {
    locals += reader.number();
    reader.skip(1);
  }
  const codeAt = reader.at;
  const looks = looksIn(reader);
  if (looks.length === 0) return body;
  const look = lookAt(clock, locals);
  return joined([
    ...[number(groups + 1), body.subarray(declaredAt, codeAt), Uint8Array.of(1, I32)],
    ...looks.flatMap((at, nth) => [body.subarray(nth === 0 ? codeAt : looks[nth - 1], at), look]),
    body.subarray(looks[looks.length - 1]),
  ]);
}

/**
 * Offsets at which the loops that call functions begin, ascending. Other loops only walk through the memory, so they
 * end where it ends.
 */
function looksIn(code: Reader): number[] {
  const looks: number[] = [];
  /** For each block around the current instruction, its offset if it is a loop in which no call has been found yet. */
  const around: (number | null)[] = [];
  while (!code.isAtEnd) {
    const opcode = code.octet();
    skipOperands(code, opcode);
    if (BLOCKS.includes(opcode)) around.push(opcode === LOOP ? code.at : null);
    else if (opcode === END) around.pop();
    else if (CALLS.includes(opcode)) {
      looks.push(...around.filter((at) => at !== null));
      around.fill(null);
    }
  }
  return looks.toSorted((a, b) => a - b);
}

/** Instructions that count a round in a local variable, and call the clock after every `ROUNDS` rounds. */
function lookAt(clock: number, counter: number): Uint8Array {
  return joined([
    ...[Uint8Array.of(0x20), number(counter)], // local.get
    Uint8Array.of(0x41, 1, 0x6a), // i32.const 1, i32.add
    ...[Uint8Array.of(0x22), number(counter)], // local.tee
    // i32.const. Its operand is signed LEB128, but number() writes it unsigned: the same bytes for
    // ROUNDS - 1, whose sign bit is 0
    ...[Uint8Array.of(0x41), number(ROUNDS - 1)],
    Uint8Array.of(0x71, 0x45, 0x04, 0x40), // i32.and, i32.eqz, if
    ...[Uint8Array.of(0x10), number(clock)], // call
    Uint8Array.of(0x1a, 0x0b), // drop, end
  ]);
}

/** How many numbers follow each opcode as operands. `skipOperands` handles operands of other kinds. */
const OPERANDS = new Map<number, number>([
  ...[0x02, LOOP, 0x04, 0x0c, 0x0d, 0x10, 0x12].map((code) => [code, 1] as const),
  ...[0x11, 0x13].map((code) => [code, 2] as const),
  ...range(0x20, 0x26).map((code) => [code, 1] as const), // variables and tables
  ...range(0x28, 0x3e).map((code) => [code, 2] as const), // loads and stores
  ...range(0x3f, 0x42).map((code) => [code, 1] as const), // the memory's size, integer constants
  ...[0xd0, 0xd2].map((code) => [code, 1] as const),
  ...[0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1].map((code) => [code, 0] as const),
  ...range(0x45, 0xc4).map((code) => [code, 0] as const), // arithmetic
]);

/**
 * How many numbers follow each opcode that has the prefix 0xfc: conversions, and bulk operations on memory and tables.
 */
const WIDE_OPERANDS: readonly number[] = [
  ...[0, 0, 0, 0, 0, 0, 0, 0],
  ...[2, 1, 2, 1, 2, 1, 2, 1, 1, 1],
];

function skipOperands(reader: Reader, opcode: number): void {
  switch (opcode) {
    case 0x0e: // br_table
      return reader.skipNumbers(reader.number() + 1);
    case 0x1c: // select with types
      return reader.skip(reader.number());
    case 0x43: // f32.const
      return reader.skip(4);
    case 0x44: // f64.const
      return reader.skip(8);
    default: {
      const count = opcode === 0xfc ? WIDE_OPERANDS[reader.number()] : OPERANDS.get(opcode);
      if (count === undefined) throw unreadable(`the opcode ${opcode}`);
      reader.skipNumbers(count);
    }
  }
}

class Reader {
  constructor(private readonly all: Uint8Array, public at = 0) {}

  get isAtEnd(): boolean {
    return this.at >= this.all.length;
  }

  octet(): number {
    if (this.isAtEnd) throw unreadable("an early end");
    return this.all[this.at++];
  }

  octets(count: number): Uint8Array {
    const found = this.all.subarray(this.at, this.at + count);
    this.skip(count);
    return found;
  }

  skip(count: number): void {
    this.at += count;
    if (this.at > this.all.length) throw unreadable("an early end");
  }

  /** An unsigned number of up to 32 bits in LEB128. */
  number(): number {
    let value = 0;
    for (let shift = 0;; shift += 7) {
      const octet = this.octet();
      value |= (octet & 0x7f) << shift;
      if (octet < 0x80) return value >>> 0;
    }
  }

  /** Skips numbers of any width, signed or not. */
  skipNumbers(count: number): void {
    for (let left = count; left > 0; left--) while (this.octet() >= 0x80);
  }

  text(): string {
    return new TextDecoder().decode(this.octets(this.number()));
  }

  list<Item>(read: (reader: Reader) => Item): Item[] {
    return Array.from({ length: this.number() }, () => read(this));
  }
}

/** Writes an unsigned number in LEB128. */
function number(value: number): Uint8Array {
  const octets: number[] = [];
  for (let rest = value;; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.of(...octets, rest);
    octets.push(rest & 0x7f | 0x80);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

function unreadable(what: string): Error {
  return new Error(`The script engine's code cannot be read: it has ${what}`);
}
