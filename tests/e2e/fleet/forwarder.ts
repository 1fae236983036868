/** A way to a TCP server that a test can cut and mend. */
import { freePort } from "../../../targets/launch/environment.ts";

/** closed: connections end and new ones are refused; silent: nothing comes through, nobody is told. */
export type Cut = "closed" | "silent";

export class Forwarder implements AsyncDisposable {
  readonly port: number;
  readonly #open = new Set<Deno.Conn>();
  readonly #joined: Promise<void>[] = [];
  #listener: Deno.Listener | null = null;
  #through = Promise.withResolvers<void>();
  #accepting = Promise.resolve();

  /** @param target Port of 127.0.0.1. Leaving the scope closes it. */
  constructor(private readonly target: number) {
    this.#through.resolve();
    this.port = freePort(); // it stays free while the way is cut
    this.#listen();
  }

  cut(how: Cut): void {
    if (how === "silent") this.#through = Promise.withResolvers();
    else this.#close();
  }

  /** What was on its way when it fell silent arrives now, as TCP would see to. */
  mend(): void {
    this.#through.resolve();
    if (this.#listener === null) this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#through.resolve();
    this.#close();
    await this.#accepting;
    await Promise.all(this.#joined);
  }

  #listen(): void {
    const listener = Deno.listen({ port: this.port, hostname: "127.0.0.1" });
    this.#listener = listener;
    this.#accepting = this.#accept(listener);
  }

  async #accept(listener: Deno.Listener): Promise<void> {
    for await (const near of listener) {
      this.#open.add(near);
      this.#joined.push(this.#join(near).catch(() => this.#forget(near)));
    }
  }

  async #join(near: Deno.Conn): Promise<void> {
    await this.#through.promise;
    const far = await Deno.connect({ port: this.target, hostname: "127.0.0.1" });
    if (!this.#open.has(near)) return far.close();
    this.#open.add(far);
    await Promise.allSettled([this.#pass(near, far), this.#pass(far, near)]);
  }

  /** Ends both when either ends: no client of Redis closes just one direction. */
  async #pass(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    try {
      for await (const chunk of from.readable) {
        await this.#through.promise;
        for (let at = 0; at < chunk.length;) at += await to.write(chunk.subarray(at));
      }
    } finally {
      this.#forget(from);
      this.#forget(to);
    }
  }

  #close(): void {
    this.#listener?.close();
    this.#listener = null;
    for (const connection of this.#open) this.#forget(connection);
  }

  #forget(connection: Deno.Conn): void {
    if (!this.#open.delete(connection)) return;
    try {
      connection.close();
    } catch {
      // Its stream has closed it.
    }
  }
}
