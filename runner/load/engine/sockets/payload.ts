/**
 * Writes the messages of a WebSocket, and recognises them when the server sends them back. The template is split in
 * advance at the numbers to fill in, and its parts are kept as octets.
 */

const NUMBER = /\{\{\s*(n|socket)\s*\}\}/;
const SOCKET = /\{\{\s*socket\s*\}\}/;

const ZERO = 0x30;
const NINE = 0x39;
const MOST_DIGITS = 10;

export class Payload {
  /** The octets before, between and after the numbers of a message. */
  readonly #parts: readonly Uint8Array[];
  readonly #fixedBytes: number;
  /** Whether the messages contain the socket's name, so that no other socket can share them. */
  readonly isOwn: boolean;

  /** @param template The message, with `{{ n }}` for its number and `{{ socket }}` for the socket's name. */
  constructor(template: Uint8Array, socket: string) {
    // One character for each octet, because the octets need not be valid UTF-8.
    const text = Array.from(template, (octet) => String.fromCharCode(octet)).join("");
    this.isOwn = SOCKET.test(text);
    this.#parts = partsOf(text, socket);
    this.#fixedBytes = this.#parts.reduce((sum, { length }) => sum + length, 0);
  }

  bytesOf(n: number): number {
    return this.#fixedBytes + (this.#parts.length - 1) * digitsOf(n);
  }

  // hot: runs for every message.
  write(n: number, into: Uint8Array, from: number): void {
    const parts = this.#parts;
    into.set(parts[0], from);
    let at = from + parts[0].length;
    for (let i = 1; i < parts.length; i++) {
      const digits = digitsOf(n);
      for (let rest = n, last = at + digits - 1; last >= at; last--) {
        into[last] = ZERO + rest % 10;
        rest = Math.floor(rest / 10);
      }
      at += digits;
      into.set(parts[i], at);
      at += parts[i].length;
    }
  }

  // hot: runs for every received message.
  /**
   * The number of the message in `bytes[from, to)`. Returns −1 if the octets are not one of this payload's messages,
   * and `otherwise` if they are one, but the messages carry no numbers.
   */
  numberOf(bytes: Uint8Array, from: number, to: number, otherwise: number): number {
    const parts = this.#parts;
    const numbers = parts.length - 1;
    const digits = numbers === 0 ? 0 : (to - from - this.#fixedBytes) / numbers;
    if (numbers === 0 && to - from !== this.#fixedBytes) return -1;
    if (numbers > 0 && !(Number.isInteger(digits) && digits > 0 && digits <= MOST_DIGITS)) {
      return -1;
    }
    if (!isAt(parts[0], bytes, from)) return -1;
    let at = from + parts[0].length;
    let n = otherwise;
    for (let i = 1; i < parts.length; i++) {
      const found = numberAt(bytes, at, digits);
      if (found < 0 || (i > 1 && found !== n)) return -1;
      n = found;
      at += digits;
      if (!isAt(parts[i], bytes, at)) return -1;
      at += parts[i].length;
    }
    return n;
  }
}

function partsOf(text: string, socket: string): Uint8Array[] {
  const parts = [""];
  for (const [at, piece] of text.split(NUMBER).entries()) {
    if (at % 2 === 0) parts[parts.length - 1] += piece;
    else if (piece === "socket") parts[parts.length - 1] += socket;
    else parts.push("");
  }
  return parts.map((part) => Uint8Array.from(part, (one) => one.charCodeAt(0)));
}

function isAt(part: Uint8Array, bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[from + i] !== part[i]) return false;
  return true;
}

/** The whole number that is written at `from` with exactly this many digits; −1 if there is none. */
function numberAt(bytes: Uint8Array, from: number, digits: number): number {
  if (digits > 1 && bytes[from] === ZERO) return -1;
  let n = 0;
  for (let at = from; at < from + digits; at++) {
    const digit = bytes[at];
    if (digit < ZERO || digit > NINE) return -1;
    n = n * 10 + digit - ZERO;
  }
  return n;
}

function digitsOf(n: number): number {
  let digits = 1;
  for (let most = 9; n > most; most = most * 10 + 9) digits++;
  return digits;
}
