/**
 * permessage-deflate (RFC 7692), as a client offers and uses it. Each sent message is compressed independently, which a
 * client may always do (§7.1.1.2). For received messages, the sliding window is kept from one message to the next,
 * unless the server compresses each independently.
 */
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Inflater } from "./message_reader.ts";

export interface DeflateSetting {
  /** Whether the server compresses each message independently. */
  readonly isEachAlone: boolean;
}

/** The extension parameters that the server accepted; null if our offer does not allow them (§7.1). */
export function deflateOf(extensions: string): DeflateSetting | null {
  const [name, ...parameters] = extensions.split(";").map((part) => part.trim().toLowerCase());
  if (name !== "permessage-deflate") return null;
  const names = new Set<string>();
  for (const parameter of parameters) {
    const [of, value] = parameter.split("=").map((part) => part.trim());
    if (names.has(of)) return null;
    names.add(of);
    const isBits = of === "server_max_window_bits" && /^"?(?:8|9|1[0-5])"?$/.test(value ?? "");
    const isAlone = value === undefined &&
      (of === "server_no_context_takeover" || of === "client_no_context_takeover");
    if (!isBits && !isAlone) return null;
  }
  return { isEachAlone: names.has("server_no_context_takeover") };
}

/** The last octets of every compressed message. They are not sent (§7.2.1), so they have to be appended on receipt. */
const TAIL = Uint8Array.of(0x00, 0x00, 0xff, 0xff);
const WINDOW_BYTES = 32_768;

export function deflated(message: Uint8Array): Uint8Array {
  if (message.length === 0) return Uint8Array.of(0); // §7.2.3.6: an empty message
  const whole = deflateRawSync(message, { finishFlush: constants.Z_SYNC_FLUSH });
  return new Uint8Array(whole.buffer, whole.byteOffset, whole.length - TAIL.length);
}

export class MessageInflater implements Inflater {
  /**
   * The last 32 KB of all messages so far, as the sliding window; empty if each message is compressed independently.
   */
  #window: Uint8Array = new Uint8Array(0);

  constructor(private readonly setting: DeflateSetting) {}

  inflate(payload: Uint8Array, mostBytes: number): Uint8Array | null {
    const message = inflatedOrNull(payload, this.#window, mostBytes);
    if (message !== null && !this.setting.isEachAlone) this.#keep(message);
    return message;
  }

  #keep(message: Uint8Array): void {
    if (message.length >= WINDOW_BYTES) {
      this.#window = Uint8Array.from(message.subarray(message.length - WINDOW_BYTES));
      return;
    }
    const before = this.#window.subarray(
      Math.max(0, this.#window.length + message.length - WINDOW_BYTES),
    );
    const window = new Uint8Array(before.length + message.length);
    window.set(before);
    window.set(message, before.length);
    this.#window = window;
  }
}

/**
 * Inflates a payload; returns null if it is malformed. Throws a RangeError if the result would exceed `mostBytes`,
 * because a few octets can expand to a thousand times as many.
 * @param window Earlier octets to which references in the payload may reach back. They are put before the payload as an
 * uncompressed block (RFC 1951 §3.2.4), because `inflateRawSync` does not accept a dictionary in every runtime.
 */
function inflatedOrNull(
  payload: Uint8Array,
  window: Uint8Array,
  mostBytes: number,
): Uint8Array | null {
  const head = window.length === 0 ? NO_BLOCK : storedHead(window.length);
  const input = new Uint8Array(head.length + window.length + payload.length + TAIL.length);
  input.set(head);
  input.set(window, head.length);
  input.set(payload, head.length + window.length);
  input.set(TAIL, input.length - TAIL.length);
  try {
    const bytes = inflateRawSync(input, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: window.length + mostBytes,
    });
    const from = bytes.byteOffset + window.length;
    return new Uint8Array(bytes.buffer, from, bytes.length - window.length);
  } catch (error) {
    if (error instanceof RangeError) throw error; // ERR_BUFFER_TOO_LARGE: over the limit
    return null;
  }
}

const NO_BLOCK = new Uint8Array(0);

function storedHead(bytes: number): Uint8Array {
  return Uint8Array.of(0, bytes, bytes >>> 8, ~bytes, ~bytes >>> 8);
}
