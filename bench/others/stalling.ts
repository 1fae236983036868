/** A server that answers every fiftieth request late or never, and counts the requests that it never answers. */

const EVERY = 50;
/** The delay of a late response. It is longer than the generators' time-out. */
export const LATE_MS = 1_500;

export interface Stalling extends AsyncDisposable {
  readonly origin: string;
  /** The number of requests so far that were never answered. */
  unanswered(): number;
}

/** Starts a server that delays every fiftieth request: on `/late` by LATE_MS, on `/never` for ever. */
export function startStalling(): Stalling {
  let requests = 0;
  let unanswered = 0;
  const isOver = new AbortController();
  const respond = async (request: Request): Promise<Response> => {
    requests++;
    if (requests % EVERY !== 0) return new Response("ok");
    if (new URL(request.url).pathname === "/late") await pause(LATE_MS, isOver.signal);
    else {
      unanswered++;
      await new Promise<void>((resolve) =>
        isOver.signal.addEventListener("abort", () => resolve())
      );
    }
    return new Response("ok");
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, respond);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    unanswered: () => unanswered,
    async [Symbol.asyncDispose](): Promise<void> {
      isOver.abort();
      await server.shutdown();
    },
  };
}

function pause(ms: number, isOver: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    isOver.addEventListener("abort", () => (clearTimeout(timer), resolve()));
  });
}
