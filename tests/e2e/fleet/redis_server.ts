/** A real Redis that a test may stop, kill and start again where it was. */
import { join } from "node:path";
import { freePort } from "../../../targets/launch/environment.ts";
import { certificates } from "../../certificates.ts";
import { findProgram } from "../../needs.ts";
import { until } from "../patience.ts";
import { emptyFolder } from "../plateau.ts";

export interface RedisSettings {
  /** Where it listens besides 127.0.0.1. */
  readonly address?: string;
  /** Whether it writes every command to the disk, and so comes back with all it had. */
  readonly persistent?: boolean;
  /** Of the default user. */
  readonly password?: string;
  /** One more user, as ACL SETUSER takes it: a name and rules. */
  readonly user?: readonly string[];
  /** Only TLS, with the tests' signed certificate. */
  readonly tls?: boolean;
}

export class RedisServer implements AsyncDisposable {
  /** Nobody takes it while the server is away. */
  readonly port = freePort();
  readonly #folder = emptyFolder();
  #child: Deno.ChildProcess | null = null;

  private constructor(private readonly settings: RedisSettings) {}

  /** Leaving the scope kills it. */
  static async start(settings: RedisSettings = {}): Promise<RedisServer> {
    const server = new RedisServer(settings);
    await server.start();
    return server;
  }

  /** By password of the default user, if it has one. */
  get url(): string {
    return this.urlAt("127.0.0.1", this.port);
  }

  /** The same server by another way. */
  urlAt(address: string, port: number, login = this.#login): string {
    return `${this.settings.tls ? "rediss" : "redis"}://${login}${address}:${port}`;
  }

  get #login(): string {
    return this.settings.password ? `:${this.settings.password}@` : "";
  }

  /** Starts it, or starts it again on the same port. */
  async start(): Promise<void> {
    this.#child = new Deno.Command(findProgram("redis") ?? "redis-server", {
      args: this.#args(),
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await until("Redis answers", () => this.#answers());
  }

  /** SIGTERM: it tells its clients nothing either, but saves what it should. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#folder[Symbol.dispose]();
  }

  async #end(signal: Deno.Signal): Promise<void> {
    const child = this.#child;
    this.#child = null;
    child?.kill(signal);
    await child?.status;
  }

  #args(): string[] {
    const { address, persistent, password, user, tls } = this.settings;
    const bind = ["127.0.0.1", ...(address ? [address] : [])];
    return [
      ...(tls ? this.#tlsArgs() : ["--port", `${this.port}`]),
      ...["--bind", ...bind, "--protected-mode", "no", "--dir", this.#folder.path, "--save", ""],
      ...["--appendonly", persistent ? "yes" : "no", "--appendfsync", "always"],
      ...(password ? ["--requirepass", password] : []),
      ...(user ? ["--user", ...user] : []),
    ];
  }

  #tlsArgs(): string[] {
    const { authority, signed } = certificates();
    const write = (name: string, text: string): string => {
      const path = join(this.#folder.path, name);
      Deno.writeTextFileSync(path, text);
      return path;
    };
    return [
      ...["--port", "0", "--tls-port", `${this.port}`, "--tls-auth-clients", "no"],
      ...["--tls-cert-file", write("redis.crt", signed.cert)],
      ...["--tls-key-file", write("redis.key", signed.key)],
      ...["--tls-ca-cert-file", write("authority.crt", authority)],
    ];
  }

  /** Whether it takes commands: it refuses them while it reads the disk, and asks for a password later. */
  async #answers(): Promise<boolean> {
    const { port } = this;
    try {
      using connection = this.settings.tls
        ? await Deno.connectTls({
          hostname: "localhost",
          port,
          caCerts: [certificates().authority],
        })
        : await Deno.connect({ port, hostname: "127.0.0.1" });
      await connection.write(new TextEncoder().encode("PING\r\n"));
      const answer = new Uint8Array(64);
      const length = await connection.read(answer) ?? 0;
      return /^(?:\+PONG|-NOAUTH)/.test(new TextDecoder().decode(answer.subarray(0, length)));
    } catch {
      return false;
    }
  }
}
