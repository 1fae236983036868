/**
 * The origin behind a front: requests go out on connections that are kept and used again, answers come
 * back as they are, in a stream. Not `fetch`, which would decompress them and follow redirects.
 */
import type { Access } from "../../../base/net/endpoint.ts";
import { type Endpoint, endpointOf } from "../../../base/net/endpoint.ts";
import { AnswerBody } from "./response_body.ts";
import type { AnswerHead } from "./response_head.ts";
import { type Asked, encodeBody, encodeHead } from "./request.ts";
import { OriginConnection } from "./connection.ts";
import { endToEnd, type Fields } from "./fields.ts";

export interface OriginAnswer {
  readonly status: number;
  readonly fields: Fields;
  /** Whole if it came with the head; null when there is none. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/** May be asked again when a kept connection turns out to be closed (RFC 9110 §9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

export class Origin {
  readonly #host: string;
  readonly #endpoint: Endpoint;
  readonly #idle: OriginConnection[] = [];
  #inFlight = 0;

  /** @param origin `http://host:port` or `https://host:port`. */
  constructor(readonly origin: string, access: Access = {}) {
    this.#host = new URL(origin).host;
    this.#endpoint = endpointOf(origin, access);
  }

  /** Requests whose answers have not ended. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Throws when there is no answer, or `signal` ends it. */
  async ask(asked: Asked, signal?: AbortSignal): Promise<OriginAnswer> {
    this.#inFlight++;
    try {
      while (true) {
        const kept = this.#idle.pop();
        const connection = kept ?? await this.#dial(signal);
        try {
          return await this.#askOn(connection, asked, signal);
        } catch (error) {
          connection.close();
          const again = kept !== undefined && asked.body === null && IDEMPOTENT.has(asked.method);
          if (!again || signal?.aborted) throw error;
        }
      }
    } catch (error) {
      this.#inFlight--;
      throw error;
    }
  }

  #dial(signal = new AbortController().signal): Promise<OriginConnection> {
    return OriginConnection.dial(this.#endpoint, signal);
  }

  async #askOn(
    connection: OriginConnection,
    asked: Asked,
    signal?: AbortSignal,
  ): Promise<OriginAnswer> {
    const onAbort = (): void => connection.close();
    signal?.addEventListener("abort", onAbort);
    try {
      signal?.throwIfAborted();
      await connection.write(encodeHead(asked, this.#host));
      const sent = asked.body === null ? null : send(asked, connection);
      const head = await connection.readHead(asked.method);
      return this.#answer(connection, head, sent);
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  #answer(connection: OriginConnection, head: AnswerHead, sent: Sending | null): OriginAnswer {
    const { status, framing, keepAlive } = head;
    const fields = endToEnd(head.fields);
    const body = new AnswerBody(connection, framing);
    const end = (): void => {
      this.#inFlight--;
      if (keepAlive && sent?.isOver !== false) this.#keep(connection);
      else connection.close();
    };
    const whole = body.whole();
    if (whole === null) return { status, fields, body: this.#stream(body, connection, end) };
    end();
    return { status, fields, body: whole.length === 0 ? null : whole };
  }

  /** Pulled by the client: who reads slowly is sent slowly; who goes away ends it. */
  #stream(
    body: AnswerBody,
    connection: OriginConnection,
    end: () => void,
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    const giveUp = (): void => {
      this.#inFlight--;
      connection.close();
    };
    return new ReadableStream({
      async pull(controller): Promise<void> {
        try {
          const piece = await body.next();
          if (piece !== null) return controller.enqueue(piece);
        } catch (error) {
          giveUp();
          throw error;
        }
        end();
        controller.close();
      },
      cancel: giveUp,
    });
  }

  #keep(connection: OriginConnection): void {
    if (!connection.isOpen) return;
    this.#idle.push(connection);
    connection.rest(() => {
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
      connection.close();
    });
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }
}

interface Sending {
  isOver: boolean;
}

/** Sends the body beside the answer, which may come before its end. */
function send(asked: Asked, connection: OriginConnection): Sending {
  const sending = { isOver: false };
  const all = async (): Promise<void> => {
    for await (const bytes of encodeBody(asked)) await connection.write(bytes);
    sending.isOver = true;
  };
  void all().catch(() => connection.close());
  return sending;
}
