/** Every part of an experiment file that the pages show, as a reader would try it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { parse } from "yaml";
import { results } from "../../../runner/result/result.ts";
import { certificates } from "../../certificates.ts";
import { testWith } from "../../needs.ts";
import { readPage, readPages } from "../../pages/page.ts";
import { emptyFolder, exits, plateau } from "../plateau.ts";

const REQUESTS = readPage("docs/requests.md").text;

/** Parts of experiment files; what an example leaves out is as in the smallest one. */
const EXAMPLES = readPages()
  .flatMap(({ blocks }) => blocks).filter(({ language, mark }) =>
    language === "yaml" && mark === ""
  )
  .map(({ text }): Record<string, object> => parse(text));
const SMALLEST = {
  name: "page",
  targets: { api: { app: "api" } },
  scenarios: { static: { get: "/static" } },
};

/** Folder of the programs that are on PATH. */
const PROGRAMS = "programs";

/** The programs that targets of the examples, or their steps, name. */
function programsOf(examples: readonly Record<string, object>[]): string[] {
  const commands: unknown[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "command") commands.push(inner);
      else if (key === "setup" || key === "before") commands.push(...[inner].flat());
      visit(inner);
    }
  };
  examples.forEach((example) => visit(example.targets));
  const names = commands.flatMap((command) => Array.isArray(command) ? [command[0]] : []);
  return [...new Set(names)].filter((name): name is string => /^[\w./-]+$/.test(name));
}

/** With the files that the examples name. */
function folderOfReader(): ReturnType<typeof emptyFolder> {
  const folder = emptyFolder();
  const write = (name: string, text: string): void =>
    Deno.writeTextFileSync(join(folder.path, name), text);
  write("users.csv", "name,password\nada,1815\ngrace,1906\n");
  write("big.json", "[1]");
  write("greeter.proto", Deno.readTextFileSync("examples/grpc/greeter.proto"));
  write("photo.jpg", "a photo");
  const line = '127.0.0.1 - - [24/Nov/2026:08:00:01 +0100] "GET /static HTTP/1.1" 200 12 "-" "-"\n';
  write("access.log", line.repeat(4));
  Deno.mkdirSync(join(folder.path, "ours"));
  Deno.mkdirSync(join(folder.path, "public"));
  // Not every machine has the programs of every recipe.
  for (const program of programsOf(EXAMPLES)) {
    const file = join(folder.path, program.includes("/") ? program : join(PROGRAMS, program));
    Deno.mkdirSync(dirname(file), { recursive: true });
    Deno.writeTextFileSync(file, "", { mode: 0o755 });
  }
  return folder;
}

/** What the examples have their programs inherit. */
const ENV_OF_READER = {
  DATABASE_URL: "postgres://127.0.0.1/shop",
  SHOP_PASSWORD: "open sesame",
  SHOP_TOKEN: "t0ken-of-the-shop",
};

function writeExperiment(folder: string, experiment: object, name = "page"): string {
  const file = join(folder, `${name}.json`);
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  return file;
}

Deno.test("check accepts every part of an experiment file that the pages show", async () => {
  assert.ok(EXAMPLES.length > 3);
  using folder = folderOfReader();
  await Promise.all(EXAMPLES.map(async (example, i) => {
    const file = writeExperiment(folder.path, { ...SMALLEST, ...example }, `example-${i}`);
    const path = [Deno.env.get("PATH"), join(folder.path, PROGRAMS)].join(delimiter);
    const env = { ...ENV_OF_READER, PATH: path };
    const { code, stderr } = await plateau(["check", file], { env });
    assert.equal(code, 0, `${JSON.stringify(example)}\n${stderr}`);
  }));
});

testWith(["openssl"], "check accepts every way to a server that the pages show", async () => {
  using folder = folderOfReader();
  const { authority, signed } = certificates();
  for (
    const [name, pem] of [["ca.pem", authority], ["a.crt", signed.cert], ["a.key", signed.key]]
  ) {
    Deno.writeTextFileSync(join(folder.path, name), pem);
  }
  using _listener = Deno.listen({ transport: "unix", path: join(folder.path, "app.sock") });
  const targets = [...REQUESTS.matchAll(/`(\{ url: .*?\})`/g)].map(([, target]) => parse(target));
  assert.equal(targets.length, 6);
  const file = writeExperiment(folder.path, { ...SMALLEST, targets: { ...targets } });
  await exits(0, ["check", file]);
});

/** Responds to the requests of the pages; a wrong request gets a 400. */
async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const { method, headers } = request;
  const text = await request.text();
  const right = (isRight: boolean): Response => new Response(null, { status: isRight ? 200 : 400 });
  switch (`${method} ${pathname.replace(/\d+$/, "N")}`) {
    case "GET /users/N": {
      const isDrink = ["tea", "coffee"].includes(searchParams.get("drink") ?? "");
      return right(isDrink && /^[\da-f-]{36}$/.test(headers.get("x-request-id") ?? ""));
    }
    case "PUT /files/N":
      return right(text === "[1]" && headers.get("content-type") === "application/json");
    case "POST /photos": {
      const form = await new Response(text, { headers }).formData();
      const photo = form.get("photo");
      const isPhoto = photo instanceof File && await photo.text() === "a photo" &&
        photo.name === "sea.jpg" && photo.type === "image/jpeg";
      const isTitle = /^A photo by (?:ada|grace)$/.test(String(form.get("title")));
      return right(isPhoto && isTitle && form.getAll("tags").join() === "sea,sky");
    }
    case "GET /account":
      return right(headers.get("authorization") === `Basic ${btoa("ada:open sesame")}`);
    case "GET /orders":
      return right(headers.get("authorization") === "Bearer t0ken-of-the-shop");
    case "GET /fib":
      return right(searchParams.get("of") === "cart");
    case "GET /login":
      return new Response('<input name="csrf" value="c1">');
    case "POST /login": {
      const isKnown = ["ada", "grace"].includes(JSON.parse(text).user);
      const isSigned = [null, "c1"].includes(headers.get("x-csrf"));
      if (!isKnown || !isSigned) return right(false);
      const located = { status: 201, headers: { location: "/home" } };
      return Response.json({ data: { token: "t1" } }, located);
    }
    case "GET /home":
      return right(headers.get("authorization") === "Bearer t1");
    case "GET /health":
      return Response.json({ uptime: 1, ok: true });
    case "GET /ping":
      return new Response("pong\n");
    case "GET /":
      return new Response("<title>Shop</title>Welcome");
    default:
      return right(["/static", "/fib", "/logo.png", "/style.css"].includes(pathname));
  }
}

Deno.test("run sends every request of docs/requests.md, and every response is right", async () => {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  using folder = folderOfReader();
  const shown = readPage("docs/requests.md").blocks
    .filter(({ language, mark }) => language === "yaml" && mark === "");
  const scenarios = Object.assign({}, ...shown.map(({ text }) => parse(text).scenarios));
  const file = writeExperiment(folder.path, {
    ...SMALLEST,
    targets: { here: { url: `http://127.0.0.1:${server.addr.port}` } },
    scenarios,
    load: { connections: 2, duration: "600ms" }, // more than a pause of the machine
    repeat: 1,
  });
  await exits(0, ["run", file, "--out", folder.path], { env: ENV_OF_READER });
  const { runs } = results.parse(
    JSON.parse(readFileSync(join(folder.path, "results.json"), "utf8")),
  );
  assert.deepEqual(runs.map(({ scenario }) => scenario).sort(), Object.keys(scenarios).sort());
  for (const { scenario, requests, checks, driver } of runs) {
    assert.ok(requests.completed > 0 && checks.failed === 0, scenario);
    assert.equal(driver, Deno.build.os === "linux" ? "epoll" : "tcp");
  }
});
