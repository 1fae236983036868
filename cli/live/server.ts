/**
 * The server of a live page. It runs in the process that measures, so clients must cost it little. It accepts few
 * connections, each with one request; a request consists of a short head and at most a receipt (a token by which the
 * browser confirms that it shows a page); and nothing is queued for a client that does not read. `Deno.serve` is not
 * used, because it would read an unwanted body of any length.
 */
import { messageOf } from "../../base/errors.ts";
import { isWithin } from "../../base/limits.ts";
import { listenForConnections, type ListenOptions } from "../../base/net/listen.ts";
import { settlesWithin } from "../../targets/launch/settles.ts";
import {
  bodyBytes,
  LiveConnection,
  type LiveHead,
  type LiveResponse,
  plain,
  refusalOf,
} from "./connection.ts";

/** @param body The request's body: a receipt, or empty. */
type Respond = (head: LiveHead, body: string) => LiveResponse | Promise<LiveResponse>;

/** Pause before the next connection is accepted if the process has run out of file descriptors. */
const PAUSE_MS = 200;

export class LiveServer {
  readonly port: number;
  readonly #listener: Deno.TcpListener;
  readonly #open = new Set<LiveConnection>();
  #hasNoted = false;
  #isClosed = false;

  /**
   * Throws a TargetError if the server can't listen. @param onNote Receives one line when `respond` fails for the first
   * time.
   */
  constructor(
    where: ListenOptions,
    private readonly respond: Respond,
    private readonly onNote: (text: string) => void,
  ) {
    this.#listener = listenForConnections(where);
    this.port = this.#listener.addr.port;
    void this.#accept();
  }

  async #accept(): Promise<void> {
    for (;;) {
      let conn: Deno.TcpConn;
      try {
        conn = await this.#listener.accept();
      } catch {
        if (this.#isClosed) return;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS)); // out of file descriptors
        continue;
      }
      if (isWithin("liveConnections", this.#open.size + 1)) this.#serve(new LiveConnection(conn));
      else conn.close();
    }
  }

  #serve(connection: LiveConnection): void {
    this.#open.add(connection);
    void this.#converse(connection).catch(() => {}) // the client has disconnected
      .finally(() => {
        connection.close();
        this.#open.delete(connection);
      });
  }

  async #converse(connection: LiveConnection): Promise<void> {
    const head = await connection.head();
    if ("text" in head) return await connection.refuse(head);
    const refusal = refusalOf(head);
    if (refusal !== null) return await connection.refuse(refusal);
    const body = await connection.body(bodyBytes(head));
    await connection.send(await this.#responseTo(head, body), head.method === "HEAD");
  }

  async #responseTo(head: LiveHead, body: string): Promise<LiveResponse> {
    try {
      return await this.respond(head, body);
    } catch (error) {
      if (!this.#hasNoted) this.onNote(`Cannot show the live report: ${messageOf(error)}`);
      this.#hasNoted = true;
      return plain({ status: 500, text: "Plateau cannot show this page" });
    }
  }

  /** Stops listening, and closes connections that do not end within `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#listener.close();
    await settlesWithin(Promise.all([...this.#open].map(({ over }) => over)), patienceMs);
    for (const connection of this.#open) connection.close();
  }
}
