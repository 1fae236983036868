/**
 * QuickJS, with direct access to the functions of its WebAssembly module. The wrapper quickjs-emscripten makes several
 * objects for every call, which takes longer than most hooks do, so code that runs for every request calls these
 * functions directly, with memory that is allocated once.
 */
import {
  type BorrowedHeapCharPointer,
  type EmscriptenModuleLoader,
  type JSContextPointer,
  type JSValueConstPointer,
  type JSValueConstPointerPointer,
  type JSValuePointer,
  type JSVoidPointer,
  type QuickJSContext,
  type QuickJSEmscriptenModule,
  type QuickJSFFI,
  type QuickJSHandle,
  QuickJSWASMModule,
  StaticLifetime,
} from "quickjs-emscripten-core";
import variant from "quickjs-wasm";
import { messageOf } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type Metered, metered } from "./metered.ts";

/** A value of the script, as an address in the engine's memory. */
export type Value = JSValueConstPointer | JSValuePointer;
/** A value that its holder must free. */
export type OwnValue = JSValuePointer;
/** A function of the host. The engine frees the value that it returns. */
export type HostFunction = (...given: JSValueConstPointer[]) => OwnValue;

/** Number of 32-bit words that script and host share. The arguments of a call follow them in memory. */
const SHARED_WORDS = 4;
const ARGUMENTS_WORD = SHARED_WORDS;
const WORDS = ARGUMENTS_WORD + 3;
const WORD_BYTES = 4;
/** Number of the first host function. quickjs-emscripten gives its own functions numbers below zero. */
const FIRST_NUMBER = 1;
/** Initial size of the buffer in which texts are passed to the engine. */
const TEXT_BYTES = 4_096;
/** A text that may need more than this gets a temporary buffer of its own. */
const MOST_ROOM_BYTES = 1_000_000;
const LETTER_T = 0x74;
/** The most octets that one UTF-16 unit takes in UTF-8. */
const MOST_OCTETS = 3;

/** A page of WebAssembly's memory. */
const PAGE_BYTES = 65_536;
/**
 * Above this share of its limit, the memory counts as full. Below it, the memory can still grow by its least step, a
 * twentieth of its size.
 */
const FULL = 0.9;
/** Pages of memory with which the engine starts. */
const FIRST_PAGES = 256;

/**
 * The memory itself is limited, because QuickJS's own limit counts only 8 bytes for each block in WebAssembly, whatever
 * the block's size.
 */
function boundedMemory(): WebAssembly.Memory {
  const maximum = Math.floor(LIMITS.scriptMemory.most / PAGE_BYTES);
  return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum });
}

type Loader = EmscriptenModuleLoader<QuickJSEmscriptenModule>;

/** The compiled engine, whose loops check the clock. */
interface Code extends Pick<Metered, "clock"> {
  readonly module: WebAssembly.Module;
}

/** Compiled once in each thread. */
let compiled: Promise<Code> | null = null;

async function compile(load: Loader): Promise<Code> {
  const { binary, clock } = metered(await binaryOf(load));
  return { module: await WebAssembly.compile(binary), clock };
}

/**
 * The engine's code before loops are metered. The loader contains it and passes it only to `WebAssembly.instantiate`,
 * so a substitute for that function captures it.
 */
async function binaryOf(load: Loader): Promise<Uint8Array> {
  const { instantiate } = WebAssembly;
  const taken = Promise.withResolvers<Uint8Array>();
  const take = (binary: Uint8Array): Promise<never> => {
    taken.resolve(binary);
    return new Promise(() => {}); // never settles, because this engine is not used
  };
  Object.assign(WebAssembly, { instantiate: take });
  try {
    load({ wasmMemory: new WebAssembly.Memory({ initial: 0 }) }).catch(taken.reject);
    return await taken.promise;
  } finally {
    Object.assign(WebAssembly, { instantiate });
  }
}

export class Engine {
  /** Called repeatedly during long calls; an exception that it throws ends the call, and with it the engine. */
  look: () => void = () => {};
  #isGivenUp = false;
  readonly #functions: HostFunction[] = [];
  /** Byte offset, in the engine's memory, of the words through which host and engine exchange values. */
  readonly #memory: number;
  readonly #undefined: JSValueConstPointer;
  /** The property name `length`, as a value. */
  readonly #length: OwnValue;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #words: Int32Array = new Int32Array(0);
  #room: { readonly at: number; readonly bytes: number };

  private constructor(
    readonly context: QuickJSContext,
    private readonly module: QuickJSEmscriptenModule,
    private readonly ffi: QuickJSFFI,
    private readonly pointer: JSContextPointer,
  ) {
    this.#undefined = ffi.QTS_GetUndefined();
    this.#memory = module._malloc(WORDS * WORD_BYTES);
    this.#room = { at: module._malloc(TEXT_BYTES), bytes: TEXT_BYTES };
    this.words.fill(0);
    this.#length = this.newText("length");
    const { callbacks } = module;
    const { callFunction } = callbacks;
    callbacks.callFunction = (asyncify, context, self, count, given, id) =>
      id < FIRST_NUMBER
        ? callFunction(asyncify, context, self, count, given, id)
        : this.#called(this.#functions[id - FIRST_NUMBER], count, given);
  }

  static async open(): Promise<Engine> {
    const [load, FFI] = await Promise.all([variant.importModuleLoader(), variant.importFFI()]);
    if (typeof load !== "function") {
      throw new Error(
        "Cannot run scripts: the build of their engine, QuickJS, does not fit this copy of Plateau; please report this",
      );
    }
    const code = await (compiled ??= compile(load));
    let engine: Engine | null = null;
    const module = await load({
      wasmMemory: boundedMemory(),
      instantiateWasm: (imports, onSuccess) => {
        const { module, name } = code.clock;
        const clock = (): number => {
          engine?.look();
          return Date.now();
        };
        const own = { ...imports, [module]: { ...imports[module], [name]: clock } };
        const instance = new WebAssembly.Instance(code.module, own);
        onSuccess(instance);
        return instance.exports;
      },
    });
    module.type = "sync";
    const ffi = new FFI(module);
    const { QTS_NewContext } = ffi;
    let pointer: JSContextPointer | null = null;
    ffi.QTS_NewContext = (...given) => pointer = QTS_NewContext(...given);
    const context = new QuickJSWASMModule(module, ffi).newContext();
    if (pointer === null) throw new Error("QuickJS could not create a context");
    engine = new Engine(context, module, ffi, pointer);
    return engine;
  }

  /** Whether a call was aborted from outside. After that, the engine can't be used any more. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /**
   * Must be called when a call was aborted midway. Nothing in the engine's memory can be relied on after that, so
   * nothing in it is freed any more.
   */
  giveUp(): void {
    this.#isGivenUp = true;
    const nothing = (): void => {};
    const frees = Object.keys(this.ffi).filter((name) => name.startsWith("QTS_Free"));
    Object.assign(this.ffi, Object.fromEntries(frees.map((name) => [name, nothing])));
    this.module._free = nothing;
  }

  /** Whether the memory is so full that not even an error would fit. */
  get isFull(): boolean {
    return this.module.HEAPU8.length > LIMITS.scriptMemory.most * FULL;
  }

  /**
   * The words that script and host share, and the arguments of a call. Get them anew for each use, because a view from
   * before the memory grew is empty.
   */
  get words(): Int32Array {
    if (this.#words.length === 0) {
      this.#words = new Int32Array(this.module.HEAPU8.buffer, this.#memory, WORDS);
    }
    return this.#words;
  }

  /** The shared words, as an ArrayBuffer of the script. */
  sharedWords(): OwnValue {
    return this.#buffer(this.#memory, SHARED_WORDS * WORD_BYTES);
  }

  /** Numbers that the host writes and the script reads. */
  sharedNumbers(count: number): { readonly buffer: OwnValue; readonly view: () => Float64Array } {
    const bytes = count * Float64Array.BYTES_PER_ELEMENT;
    const at = this.module._malloc(bytes);
    const view = (): Float64Array => new Float64Array(this.module.HEAPU8.buffer, at, count);
    return { buffer: this.#buffer(at, bytes), view };
  }

  #buffer(at: number, bytes: number): OwnValue {
    return this.ffi.QTS_NewArrayBuffer(this.pointer, at as JSVoidPointer, bytes);
  }

  /**
   * A handle of a value, for functions of quickjs-emscripten. Disposing the handle does not free the value; the value's
   * holder must.
   */
  handle(value: Value): QuickJSHandle {
    return new StaticLifetime(value as JSValueConstPointer, this.context.runtime);
  }

  // hot: runs for every request of a load with hooks.
  /** Calls a function. Its exception is passed to `fail`, which throws. */
  call(
    hook: QuickJSHandle,
    fail: (error: OwnValue) => never,
    first?: Value,
    second?: Value,
    third?: Value,
  ): OwnValue {
    const { ffi, pointer } = this;
    let count = 0;
    if (first !== undefined) {
      const { words } = this;
      words[ARGUMENTS_WORD + count++] = first;
      if (second !== undefined) words[ARGUMENTS_WORD + count++] = second;
      if (third !== undefined) words[ARGUMENTS_WORD + count++] = third;
    }
    const given = (this.#memory + ARGUMENTS_WORD * WORD_BYTES) as JSValueConstPointerPointer;
    const result = ffi.QTS_Call(pointer, hook.value, this.#undefined, count, given);
    const error = ffi.QTS_ResolveException(pointer, result);
    if (error === 0) return result;
    this.free(result);
    return fail(error);
  }

  isText(value: Value): boolean {
    const { ffi, module, pointer } = this;
    const at = ffi.QTS_Typeof(pointer, value);
    const isText = module.HEAPU8[at + 1] === LETTER_T; // of all type names, only `string` has a t here
    module._free(at);
    return isText;
  }

  free(value: OwnValue): void {
    this.ffi.QTS_FreeValuePointer(this.pointer, value);
  }

  /** A text for the script; it is cut at its first NUL. */
  newText(text: string): OwnValue {
    const most = text.length * MOST_OCTETS + 1;
    if (most > MOST_ROOM_BYTES) return this.#newLongText(text, most);
    if (most > this.#room.bytes) {
      this.module._free(this.#room.at);
      this.#room = { at: this.#allocated(2 * most), bytes: 2 * most };
    }
    return this.#textAt(this.#room.at, text, most);
  }

  /** A text too long for the permanent buffer: uses a temporary one. */
  #newLongText(text: string, most: number): OwnValue {
    const at = this.#allocated(most);
    try {
      return this.#textAt(at, text, most);
    } finally {
      this.module._free(at);
    }
  }

  #allocated(bytes: number): number {
    const at = this.module._malloc(bytes);
    if (at === 0) throw new Error("the engine of the script is out of memory");
    return at;
  }

  #textAt(at: number, text: string, most: number): OwnValue {
    const memory = this.module.HEAPU8;
    const { written } = this.#encoder.encodeInto(text, memory.subarray(at, at + most - 1));
    memory[at + written] = 0;
    return this.ffi.QTS_NewString(this.pointer, at as BorrowedHeapCharPointer);
  }

  newUndefined(): OwnValue {
    return this.ffi.QTS_DupValuePointer(this.pointer, this.#undefined);
  }

  /** Reads a string of the script. Throws if the value is not a string. */
  text(value: Value): string {
    return this.#read(value, (_, text) => text);
  }

  /** A copy of the text's octets in UTF-8. */
  octetsOfText(value: Value): Uint8Array<ArrayBuffer> {
    return this.#read(value, (octets) => new Uint8Array(octets));
  }

  /**
   * Finds the end of the text, which may contain NULs itself: the octets up to a NUL are the whole text once they
   * decode to as many UTF-16 units as the text has. For ASCII, this is so at the first attempt.
   */
  #read<Result>(value: Value, take: (octets: Uint8Array, text: string) => Result): Result {
    if (!this.isText(value)) throw new Error("it gave no text");
    const { ffi, pointer } = this;
    const length = ffi.QTS_GetProp(pointer, value, this.#length);
    const units = ffi.QTS_GetFloat64(pointer, length);
    this.free(length);
    const at = ffi.QTS_GetString(pointer, value);
    if (at === 0) throw new Error("it gave no text");
    const memory = this.module.HEAPU8;
    try {
      for (let end: number = at + units;; end++) {
        if (memory[end] !== 0) end = memory.indexOf(0, end);
        const octets = memory.subarray(at, end);
        const text = this.#decoder.decode(octets);
        if (text.length >= units) return take(octets, text);
      }
    } finally {
      ffi.QTS_FreeCString(pointer, at);
    }
  }

  /** A copy of an ArrayBuffer of the script. */
  octets(value: Value): Uint8Array<ArrayBuffer> {
    const { ffi, pointer, module } = this;
    const length = ffi.QTS_GetArrayBufferLength(pointer, value);
    const at = ffi.QTS_GetArrayBuffer(pointer, value);
    if (at === 0) throw new Error("it gave no octets");
    const copy = module.HEAPU8.slice(at, at + length);
    module._free(at);
    return copy;
  }

  /** A function that the script can call. The script receives the exceptions that the host function throws. */
  newFunction(name: string, host: HostFunction): OwnValue {
    const id = FIRST_NUMBER - 1 + this.#functions.push(host);
    const { QTS_NewFunction } = this.ffi;
    return QTS_NewFunction(
      this.pointer,
      name,
      host.length,
      false,
      id as Parameters<typeof QTS_NewFunction>[4],
    );
  }

  #called(host: HostFunction, count: number, given: JSValueConstPointer): OwnValue {
    const { ffi } = this;
    try {
      const values = Array.from(
        { length: count },
        (_, at) => ffi.QTS_ArgvGetJSValueConstPointer(given, at),
      );
      return host(...values);
    } catch (error) {
      if (this.#isGivenUp) throw error;
      const thrown = this.context.newError(messageOf(error));
      const result = ffi.QTS_Throw(this.pointer, thrown.value);
      thrown.dispose();
      return result;
    }
  }
}
