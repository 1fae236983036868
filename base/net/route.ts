/**
 * The addresses of a host, in the order in which a dial tries them (RFC 8305): an address is tried as soon as the one
 * before it has failed, or after a short while in parallel with it, and the first that connects is taken. The next dial
 * of the same host begins with the address that connected last.
 */
import { DialError, systemReason } from "./dial_error.ts";
import { type Address, addressText, type Host, resolve } from "./resolve.ts";

/** Head start of an address before the next one is tried in parallel (RFC 8305 §5). */
export const NEXT_ADDRESS_MS = 250;

/** The most addresses that an error names. */
const MOST_NAMED = 4;

export class Route {
  #first = 0;

  /** @param addresses At least one. */
  constructor(readonly addresses: readonly Address[]) {}

  /** The indexes of the addresses, in the order in which a dial tries them. */
  order(): number[] {
    const { length } = this.addresses;
    return Array.from({ length }, (_, i) => (this.#first + i) % length);
  }

  /** Makes the next dial begin with the address at this index, because it has connected. */
  connected(index: number): void {
    this.#first = index;
  }

  /**
   * Why a dial has failed, such as `127.0.0.9:80: connection refused`.
   * @param reasons The reason for each address that was tried, by the address's index.
   */
  failure(reasons: ReadonlyMap<number, string>): string {
    const tried = [...reasons].sort(([a], [b]) => a - b)
      .map(([index, reason]) => `${addressText(this.addresses[index])}: ${reason}`);
    const rest = tried.length - MOST_NAMED;
    const more = rest > 0 ? [`and ${rest} more addresses`] : [];
    return [...tried.slice(0, MOST_NAMED), ...more].join("; ");
  }
}

/** The route to a host. The host is looked up at the first dial, and again at later dials until a look-up succeeds. */
export class RouteTo {
  #route: Promise<Route> | null = null;

  constructor(private readonly host: Host) {}

  /** Looks the host up unless a look-up has succeeded before. Rejects with a DialError if the host can't be found. */
  get(): Promise<Route> {
    return this.#route ??= this.#lookUp().catch((error) => {
      this.#route = null;
      throw error;
    });
  }

  async #lookUp(): Promise<Route> {
    const found = await resolve(this.host);
    if (typeof found === "string") throw new DialError("dns", found);
    return new Route(found);
  }
}

export interface Dialing<Connection> {
  /** Rejects with the system's error, and also when the signal aborts. */
  open(address: Address, signal: AbortSignal): Promise<Connection>;
  /** Closes a connection that was established too late to be used. */
  discard(connection: Connection): void;
}

/** Connects to one of the addresses. Rejects with a DialError. */
export function connectTo<Connection>(
  route: Route,
  dialing: Dialing<Connection>,
  signal: AbortSignal,
): Promise<Connection> {
  return new Promise((resolve, reject) =>
    new Attempts(route, dialing, { resolve, reject }, signal)
  );
}

interface Settling<Connection> {
  resolve(connection: Connection): void;
  reject(error: DialError): void;
}

/** The concurrent attempts of one dial. */
class Attempts<Connection> {
  readonly #left: number[];
  readonly #reasons = new Map<number, string>();
  readonly #end = new AbortController();
  #underWay = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly route: Route,
    private readonly dialing: Dialing<Connection>,
    private readonly settling: Settling<Connection>,
    private readonly signal: AbortSignal,
  ) {
    this.#left = route.order();
    signal.addEventListener("abort", this.#giveUp);
    if (signal.aborted) this.#giveUp();
    else this.#next();
  }

  readonly #next = (): void => {
    clearTimeout(this.#timer);
    const index = this.#left.shift();
    if (index === undefined) return;
    this.#underWay++;
    if (this.#left.length > 0) this.#timer = setTimeout(this.#next, NEXT_ADDRESS_MS);
    this.dialing.open(this.route.addresses[index], this.#end.signal).then(
      (connection) => this.#connected(index, connection),
      (error) => this.#failed(index, error),
    );
  };

  #connected(index: number, connection: Connection): void {
    if (this.#end.signal.aborted) return this.dialing.discard(connection);
    this.#over();
    this.route.connected(index);
    this.settling.resolve(connection);
  }

  #failed(index: number, error: unknown): void {
    this.#underWay--;
    if (this.#end.signal.aborted) return;
    this.#reasons.set(index, systemReason(error));
    this.#next();
    if (this.#underWay > 0) return;
    this.#over();
    this.settling.reject(new DialError("connect", this.route.failure(this.#reasons)));
  }

  readonly #giveUp = (): void => {
    this.#over();
    this.settling.reject(new DialError("connect", "given up"));
  };

  #over(): void {
    clearTimeout(this.#timer);
    this.signal.removeEventListener("abort", this.#giveUp);
    this.#end.abort();
  }
}
