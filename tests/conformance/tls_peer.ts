/**
 * A TLS server of which the test decides every record, and every segment that it comes in: the system's OpenSSL makes
 * the bytes in memory, and the test sends them as it likes.
 */
import { cString, made, type Pointer } from "../../base/system/openssl.ts";
import { type Certificate, certificates } from "../certificates.ts";
import { pause, raw, type Server } from "./servers.ts";
import type { Way } from "./ways.ts";

const POINTER_TO_POINTER = { parameters: ["pointer"], result: "pointer" } as const;
const POINTER_TO_INT = { parameters: ["pointer"], result: "i32" } as const;
const TO_POINTER = { parameters: [], result: "pointer" } as const;
const FREE = { parameters: ["pointer"], result: "void" } as const;
const TRANSFER = { parameters: ["pointer", "buffer", "i32"], result: "i32" } as const;
const USE = { parameters: ["pointer", "pointer"], result: "i32" } as const;
const READ_PEM = {
  parameters: ["pointer", "pointer", "pointer", "pointer"],
  result: "pointer",
} as const;

const SSL = {
  TLS_server_method: TO_POINTER,
  SSL_CTX_new: POINTER_TO_POINTER,
  SSL_CTX_free: FREE,
  SSL_CTX_use_certificate: USE,
  SSL_CTX_use_PrivateKey: USE,
  SSL_CTX_ctrl: { parameters: ["pointer", "i32", "i64", "pointer"], result: "i64" },
  SSL_new: POINTER_TO_POINTER,
  SSL_free: FREE,
  SSL_set_bio: { parameters: ["pointer", "pointer", "pointer"], result: "void" },
  SSL_accept: POINTER_TO_INT,
  SSL_do_handshake: POINTER_TO_INT,
  SSL_read: TRANSFER,
  SSL_write: TRANSFER,
  SSL_shutdown: POINTER_TO_INT,
  SSL_key_update: { parameters: ["pointer", "i32"], result: "i32" },
  SSL_new_session_ticket: POINTER_TO_INT,
} as const;

const CRYPTO = {
  BIO_s_mem: TO_POINTER,
  BIO_new: POINTER_TO_POINTER,
  BIO_new_mem_buf: { parameters: ["buffer", "i32"], result: "pointer" },
  BIO_free: POINTER_TO_INT,
  BIO_read: TRANSFER,
  BIO_write: TRANSFER,
  PEM_read_bio_X509: READ_PEM,
  PEM_read_bio_PrivateKey: READ_PEM,
  X509_free: FREE,
  EVP_PKEY_free: FREE,
  ERR_clear_error: { parameters: [], result: "void" },
} as const;

const SSL_CTRL_SET_MAX_PROTO_VERSION = 124;

export const TLS_VERSIONS = { "TLS 1.2": 0x303n, "TLS 1.3": 0x304n } as const;
export type TlsVersion = keyof typeof TLS_VERSIONS;

type Calls =
  & Deno.DynamicLibrary<typeof SSL>["symbols"]
  & Deno.DynamicLibrary<typeof CRYPTO>["symbols"];

let opened: Calls | null = null;

function calls(): Calls {
  return opened ??= {
    ...Deno.dlopen("libssl.so.3", SSL).symbols,
    ...Deno.dlopen("libcrypto.so.3", CRYPTO).symbols,
  };
}

/** Long enough that what was sent has been read before more comes, as a rule. */
const SEGMENT_MS = 1;

/** The server's side of one connection. */
export class TlsPeer {
  readonly #ssl: Pointer;
  readonly #incoming: Pointer;
  readonly #outgoing: Pointer;
  readonly #buffer = new Uint8Array(64 * 1024);

  constructor(private readonly conn: Deno.Conn, context: Pointer) {
    const { SSL_new, SSL_set_bio, BIO_new, BIO_s_mem } = calls();
    this.#ssl = made(SSL_new(context));
    this.#incoming = made(BIO_new(BIO_s_mem()));
    this.#outgoing = made(BIO_new(BIO_s_mem()));
    SSL_set_bio(this.#ssl, this.#incoming, this.#outgoing);
  }

  /** Sends nothing of its last flight, which it gives: tickets are in it. Null when the client has gone. */
  async shakeHands(): Promise<Uint8Array | null> {
    while (calls().SSL_accept(this.#ssl) !== 1) {
      await this.send(this.#made());
      if (!await this.#take()) return null;
    }
    return this.#made();
  }

  /** The next request, as it was sent; null when the client has gone. */
  async request(): Promise<string | null> {
    for (;;) {
      const length = calls().SSL_read(this.#ssl, this.#buffer, this.#buffer.length);
      if (length > 0) return new TextDecoder().decode(this.#buffer.subarray(0, length));
      calls().ERR_clear_error();
      if (!await this.#take()) return null;
    }
  }

  async #take(): Promise<boolean> {
    const length = await this.conn.read(this.#buffer);
    if (length === null) return false;
    calls().BIO_write(this.#incoming, this.#buffer, length);
    return true;
  }

  /** One record, or more where the text is longer than 16 KiB. */
  record(text: string): Uint8Array {
    const bytes = new TextEncoder().encode(text);
    calls().SSL_write(this.#ssl, bytes, bytes.length);
    return this.#made();
  }

  keyUpdate(isRequested: boolean): Uint8Array {
    calls().SSL_key_update(this.#ssl, isRequested ? 1 : 0);
    calls().SSL_do_handshake(this.#ssl);
    return this.#made();
  }

  ticket(): Uint8Array {
    calls().SSL_new_session_ticket(this.#ssl);
    calls().SSL_do_handshake(this.#ssl);
    return this.#made();
  }

  closeNotify(): Uint8Array {
    calls().SSL_shutdown(this.#ssl);
    return this.#made();
  }

  #made(): Uint8Array {
    const bytes = new Uint8Array(256 * 1024);
    return bytes.subarray(0, Math.max(0, calls().BIO_read(this.#outgoing, bytes, bytes.length)));
  }

  /** Each part in a segment of its own. */
  async send(...parts: readonly Uint8Array[]): Promise<void> {
    for (const [i, part] of parts.entries()) {
      if (i > 0) await pause(SEGMENT_MS);
      for (let at = 0; at < part.length;) at += await this.conn.write(part.subarray(at));
    }
  }

  free(): void {
    calls().SSL_free(this.#ssl); // with both of its BIOs
  }
}

export interface PeerServer extends Server {
  /** Requests that it has read. */
  readonly seen: () => number;
}

/** What a server does when it has the first request of a connection; the connection is closed when it is done. */
type Play = (peer: TlsPeer, first: string) => Promise<void>;

/** A server that does on each connection, after the handshake, what the test says. */
export function scripted(way: Way, version: TlsVersion, play: Play): PeerServer {
  const context = contextOf(certificates().signed, version);
  let seen = 0;
  const server = raw(way, async (conn) => {
    (conn as Deno.TcpConn).setNoDelay();
    const peer = new TlsPeer(conn, context);
    const request = peer.request.bind(peer);
    peer.request = async () => {
      const text = await request();
      if (text !== null) seen++;
      return text;
    };
    try {
      const flight = await peer.shakeHands();
      if (flight === null) return;
      await peer.send(flight);
      const first = await peer.request();
      if (first !== null) await play(peer, first);
    } finally {
      peer.free();
    }
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    calls().SSL_CTX_free(context);
  };
  return { endpoint: server.endpoint, seen: () => seen, stop };
}

function contextOf({ cert, key }: Certificate, version: TlsVersion): Pointer {
  const ssl = calls();
  const context = made(ssl.SSL_CTX_new(ssl.TLS_server_method()));
  ssl.SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, TLS_VERSIONS[version], null);
  const certificate = readPem(cert, ssl.PEM_read_bio_X509);
  const privateKey = readPem(key, ssl.PEM_read_bio_PrivateKey);
  ssl.SSL_CTX_use_certificate(context, certificate);
  ssl.SSL_CTX_use_PrivateKey(context, privateKey);
  ssl.X509_free(certificate);
  ssl.EVP_PKEY_free(privateKey);
  return context;
}

function readPem(pem: string, read: Calls["PEM_read_bio_X509"]): Pointer {
  const { BIO_new_mem_buf, BIO_free } = calls();
  const bytes = cString(pem);
  const bio = made(BIO_new_mem_buf(bytes, bytes.length - 1));
  const found = made(read(bio, null, null, null));
  BIO_free(bio);
  return found;
}
