/**
 * Finds the port and the routes of a server in its source code, by patterns that frameworks have in common. If the
 * source uses other patterns, the result is null rather than a guess. Pure.
 */

/**
 * Match reads of the variable PORT: `env.PORT`, `environ["PORT"]`, `Getenv("PORT")`, `env::var("PORT")`,
 * ``env:"PORT"``, `const { PORT = 80 } = process.env`.
 */
const VARIABLE = [
  /\benv\??\.PORT\b/,
  /env[\w.:?]*[[(]\s*["'`]PORT["'`]/i,
  /\benv:"PORT\b/,
  /\{[^{}]*\bPORT\b[^{}]*\}\s*=\s*[\w.]*\benv\b/,
];

/**
 * Match fixed ports: `app.listen(3000)`, `listen({ port: 3000 })`, `const port = 3000`, `":8080"`, `"127.0.0.1:8080"`.
 */
const PORTS = [
  /\blisten\(\s*(?:\{[^}]*?\bport:\s*)?(\d{2,5})\b/,
  /\b(?:const|let|var)\s+port\b[^=\n]*=\s*["'`]?(\d{2,5})\b/i,
  /\bport\s*=\s*["'`]?(\d{2,5})\b/i,
  /"(?:[\w.]*|\[[\da-f:]*\]):(\d{2,5})"/i,
];

/** The port that a program listens on, or "PORT" if it reads that variable; null if neither can be found. */
export function portIn(source: string): number | "PORT" | null {
  const code = withoutComments(source);
  if (VARIABLE.some((pattern) => pattern.test(code))) return "PORT";
  const found = PORTS.flatMap((pattern) => pattern.exec(code)?.[1] ?? []).map(Number);
  return found.find((port) => port >= 1 && port <= 65_535) ?? null;
}

/**
 * Matches the declaration of a route: `app.get("/x"`, `@app.get("/x")`, `r.GET("/x"`, `HandleFunc("GET /x"`,
 * `.route("/x"`, `#[get("/x")]`.
 */
const ROUTE =
  /(?:\.(?:get|GET|route|Get)|\bHandle(?:Func)?|#\[get)\(\s*["'`](?:GET )?(\/[\w./~-]*)(?:\{\$\})?["'`]/g;

/** Matches routes of health checks and metrics, which say little about the server's real work. */
const MONITORING = /\/(?:health\w*|live(?:z|ness)?|ready(?:z)?|readiness|metrics)$/i;

/**
 * The path for a first request: `/` if the source declares it, otherwise the first route without parameters. Routes for
 * monitoring are chosen only if there are no others.
 */
export function pathIn(source: string): string | null {
  const paths = [...withoutComments(source).matchAll(ROUTE)].map(([, path]) => path);
  if (paths.includes("/")) return "/";
  return paths.find((path) => !MONITORING.test(path)) ?? paths[0] ?? null;
}

/** Removes lines that contain only a comment. */
function withoutComments(source: string): string {
  return source.replaceAll(/^\s*(?:\/\/|#(?!\[)|\*|\/\*).*$/gm, "");
}
