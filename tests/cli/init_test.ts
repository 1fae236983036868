/** What `plateau init` finds in a folder, asks and writes. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { askedSubject, type Person } from "../../cli/init/asked.ts";
import { type Folder, subjectsIn } from "../../cli/init/found.ts";
import { ofCommand, ofUrl } from "../../cli/init/given.ts";
import { pathIn, portIn } from "../../cli/init/source.ts";
import type { Subject } from "../../cli/init/subject.ts";
import { experimentAbout, withSchemaLine } from "../../cli/init/written.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { withEngine } from "../../base/pattern.ts";
import { UserError } from "../../base/errors.ts";
import { rejected } from "../thrown.ts";

/** A folder of these texts by their paths. */
function folderOf(
  files: Readonly<Record<string, string>>,
  { programs = [], isLinux = true }: { programs?: string[]; isLinux?: boolean } = {},
): Folder {
  const paths = Object.keys(files);
  return {
    name: "my-api",
    isLinux,
    read: (path) => files[path] ?? null,
    folders: (path) => [
      ...new Set(
        paths.filter((file) => file.startsWith(`${path}/`))
          .map((file) => file.slice(path.length + 1).split("/")[0]),
      ),
    ],
    has: (path) => paths.some((file) => file === path || file.startsWith(`${path}/`)),
    hasProgram: (name) => programs.includes(name),
  };
}

const PACKAGE = (more: object): string => JSON.stringify({ name: "@shop/api", ...more });
const EXPRESS = 'const port = process.env.PORT || 3000;\napp.get("/", home);\napp.listen(port);';

const FOUND: readonly {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly programs?: string[];
  readonly isLinux?: boolean;
  readonly target: unknown;
  readonly path?: string;
  readonly name?: string;
  readonly notes?: RegExp;
}[] = [
  {
    what: "a Node server by its start script",
    files: {
      "package.json": PACKAGE({ scripts: { start: "node server.js" } }),
      "server.js": EXPRESS,
    },
    target: { command: ["node", "server.js"], env: { PORT: "{port}" } },
    name: "shop-api",
  },
  {
    what: "another start script by its package manager, with the port of its source",
    files: {
      "package.json": PACKAGE({ scripts: { start: "NODE_ENV=production tsx src/app.ts" } }),
      "pnpm-lock.yaml": "",
      "src/app.ts": "fastify.get('/health', ok); fastify.listen({ host: '::', port: 4000 });",
    },
    target: { command: ["pnpm", "start"], port: 4000 },
    path: "/health",
    name: "shop-api",
  },
  {
    what: "a Node server by its main file, whose packages are missing",
    files: {
      "package.json": PACKAGE({ main: "lib/main.js", dependencies: { express: "5" } }),
      "lib/main.js": "",
    },
    target: { command: ["node", "lib/main.js"] },
    name: "shop-api",
    notes: /not installed yet: run npm install$/,
  },
  {
    what: "a Go program in cmd",
    files: {
      "go.mod": "module example.com/team/orders/v2\n\ngo 1.22\n",
      "cmd/serve/main.go": 'http.HandleFunc("GET /orders", f)\nhttp.ListenAndServe(":8080", nil)',
    },
    target: {
      setup: [["go", "build", "-o", "./.plateau/orders", "./cmd/serve"]],
      command: ["./.plateau/orders"],
      port: 8080,
    },
    path: "/orders",
    name: "orders",
  },
  {
    what: "a FastAPI app in a package, with its environment",
    files: {
      "pyproject.toml": '[project]\nname = "catalog"\ndependencies = ["fastapi"]\n',
      ".venv/bin/python": "",
      "app/main.py": 'api = FastAPI(title="x")\n\n@api.get("/items/{id}")\n@api.get("/items")\n',
    },
    target: {
      command: [
        ...["./.venv/bin/python", "-m", "uvicorn"],
        ...["--host", "{host}", "--port", "{port}", "app.main:api"],
      ],
    },
    path: "/items",
    name: "catalog",
  },
  {
    what: "a Flask app behind gunicorn",
    files: { "requirements.txt": "flask\ngunicorn==23\n", "app.py": "app = Flask(__name__)\n" },
    target: { command: ["python3", "-m", "gunicorn", "--bind", "{host}:{port}", "app:app"] },
  },
  {
    what: "a FastAPI app of one file, whose packages no file lists",
    files: {
      "app.py": 'app = FastAPI()\n@app.get("/health")\n@app.get("/report/{id}")\n@app.get("/sum")',
      ".venv/bin/python": "",
    },
    target: {
      command: [
        ...["./.venv/bin/python", "-m", "uvicorn"],
        ...["--host", "{host}", "--port", "{port}", "app:app"],
      ],
    },
    path: "/sum",
  },
  {
    what: "a Django project by its manage.py alone",
    files: { "manage.py": "from django.core.management import execute_from_command_line\n" },
    target: { command: ["python3", "manage.py", "runserver", "--noreload", "{host}:{port}"] },
    notes: /development server/,
  },
  {
    what: "a Rust program",
    files: {
      "Cargo.toml": '[package]\nname = "quick"\n\n[dependencies]\naxum = "0.8"\n',
      "src/main.rs": '.route("/", get(home)) TcpListener::bind("127.0.0.1:3000")',
    },
    target: {
      setup: [["cargo", "build", "--release"]],
      command: ["./target/release/quick"],
      port: 3000,
    },
    name: "quick",
  },
  {
    what: "an image, by Podman where both tools are there",
    files: { Dockerfile: "FROM scratch\nEXPOSE 9000\n" },
    programs: ["docker", "podman"],
    target: {
      setup: [["podman", "build", "--tag", "my-api", "."]],
      command: [
        "podman",
        "run",
        "--rm",
        "--init",
        "--network=host",
        "--env",
        "PORT=9000",
        "my-api",
      ],
      port: 9000,
    },
  },
  {
    what: "an image that exposes no port, by Docker, whose containers are not its children",
    files: { Containerfile: "FROM scratch\n" },
    programs: ["docker"],
    target: {
      setup: [["docker", "build", "--tag", "my-api", "."]],
      command: [
        ...["docker", "run", "--rm", "--init", "--network=host", "--env", "PORT={port}", "my-api"],
      ],
    },
    notes: /CPU and memory .* `docker run`/,
  },
  {
    what: "an image on a system where containers run in a virtual machine",
    files: { Dockerfile: "FROM scratch\nEXPOSE 9000\n" },
    programs: ["podman"],
    isLinux: false,
    target: {
      setup: [["podman", "build", "--tag", "my-api", "."]],
      command: [
        ...["podman", "run", "--rm", "--init", "--publish", "{host}:{port}:9000"],
        ...["--env", "PORT=9000", "my-api"],
      ],
    },
    notes: /CPU and memory .* `podman run`/,
  },
];

for (const { what, files, target, path = "/", name = "my-api", notes, ...machine } of FOUND) {
  Deno.test(`init finds ${what}`, () => {
    const [subject, ...others] = subjectsIn(folderOf(files, machine));
    assert.deepEqual(others, []);
    assert.deepEqual([subject.name, subject.target, subject.path], [name, target, path]);
    if (notes) assert.match(subject.notes.join("\n"), notes);
    else assert.deepEqual(subject.notes, []);
  });
}

Deno.test("init finds nothing where nothing says how a server starts", () => {
  const files = {
    ...{ "package.json": "{", "go.mod": "module a", "pyproject.toml": "", "a.js": "" },
    ...{ "manage.py": "from flask_script import Manager", "app.py": "import fastapi\n" },
  };
  assert.deepEqual(subjectsIn(folderOf(files)), []);
  assert.deepEqual(subjectsIn(folderOf({ "package.json": PACKAGE({}) })), []);
});

Deno.test("init finds all of a folder with several", () => {
  const files = { "package.json": PACKAGE({}), "index.js": "", Dockerfile: "FROM scratch" };
  assert.deepEqual(subjectsIn(folderOf(files)).map(({ about }) => about), [
    "package.json: node index.js",
    "Dockerfile: docker run",
  ]);
});

const PORTS: readonly [source: string, port: number | "PORT" | null][] = [
  ["app.listen(3000)", 3000],
  ["app.listen({ host: '0.0.0.0', port: 3001 })", 3001],
  ["const PORT = 3000; app.listen(PORT)", 3000],
  ['const PORT = "3004"; server.listen(PORT)', 3004],
  ["const PORT: u16 = 3003;", 3003],
  ["PORT = 8000\nrun(app, port=PORT)", 8000],
  ["const PORT = config.port; app.listen(PORT)", null],
  ...[
    "const PORT = process.env.PORT || 3000; app.listen(PORT)",
    'app.listen(process.env["PORT"] ?? 3000)',
    "const { HOST, PORT = 3000 } = process.env;",
    'Deno.serve({ port: Number(Deno.env.get("PORT")) }, f)',
    "Bun.serve({ port: Bun.env.PORT })",
    'app.run(port=int(os.environ.get("PORT", 5000)))',
    "port = os.environ['PORT']",
    'port = os.getenv("PORT")',
    'port := os.Getenv("PORT")',
    'port, ok := os.LookupEnv("PORT")',
    'Port int `env:"PORT"`',
    'let port = std::env::var("PORT").unwrap();',
  ].map((source): [string, "PORT"] => [source, "PORT"]),
  ["const port = Number(env.port ?? 0) || 3000", null],
  ["const port: number = 3002;", 3002],
  ['http.ListenAndServe("localhost:8081", nil)', 8081],
  ['srv := &http.Server{Addr: ":8082"}', 8082],
  ["// app.listen(3000)\napp.listen(4000)", 4000],
  ["r.Run()", null],
  ["app.listen(99999)", null],
];

for (const [source, port] of PORTS) {
  Deno.test(`the port of ${JSON.stringify(source)} is ${port}`, () => {
    assert.equal(portIn(source), port);
  });
}

Deno.test("the path to request is / or the first route without parameters", () => {
  assert.equal(pathIn('app.get("/users/:id", f); app.get("/users", g)'), "/users");
  assert.equal(pathIn('app.get("/a", f); app.get("/", g)'), "/");
  assert.equal(pathIn('r.GET("/ping", f)'), "/ping");
  assert.equal(pathIn('r.GET("/health", f); r.GET("/quote", g)'), "/quote");
  assert.equal(pathIn('r.GET("/healthz", f); r.GET("/metrics", g)'), "/healthz");
  assert.equal(pathIn('#[get("/status")]'), "/status");
  assert.equal(pathIn('axios.get("http://a/b")'), null);
});

const SUBJECTS: readonly Subject[] = [
  ...FOUND.flatMap(({ files, ...machine }) => subjectsIn(folderOf(files, machine))),
  ...["http://127.0.0.1:8080/a/b?c=d,e", "localhost:3000", "https://[::1]:8443"].map(ofUrl),
  ...["node server.js --port={port} 'two words'", "A=1 node x", "cd x && npm start"].map((line) =>
    ofCommand(line, "1: what?")
  ),
].flatMap((subject): readonly Subject[] | Subject => typeof subject === "string" ? [] : subject);

Deno.test("what init writes is an experiment of what was found, whose title holds for every load", async () => {
  assert.equal(SUBJECTS.length, FOUND.length + 6);
  for (const subject of SUBJECTS) {
    const text = withSchemaLine(experimentAbout(subject, "mine.yaml"), "a.json");
    assert.match(text, /^# yaml-language-server: \$schema=a\.json\n/);
    const experiment = await withEngine(() => parseExperiment(text, "mine.yaml"));
    assert.equal(experiment.title, `How many requests a second does ${subject.name} serve?`);
    const written: Record<string, unknown> = parse(text);
    assert.deepEqual(written.targets, { [subject.name]: subject.target });
    assert.deepEqual(Object.values(Object(written.scenarios)), [{ get: subject.path }]);
  }
});

Deno.test("a scenario is not called as its target, which no rule by one name could tell apart", () => {
  const [go] = subjectsIn(folderOf({
    "go.mod": "module example.com/quote",
    "main.go": 'http.HandleFunc("/quote", quote)',
  }));
  const { targets, scenarios } = parse(experimentAbout(go, "mine.yaml"));
  assert.deepEqual([targets, scenarios].map((named) => Object.keys(named)), [
    ["quote"],
    ["get-quote"],
  ]);
});

Deno.test("the way to compare two settings that init's file names is one that check accepts", async () => {
  const subject = ofCommand("node server.js", "quote");
  assert.ok(typeof subject !== "string");
  const text = experimentAbout(subject, "mine.yaml");
  const [line] = /env: \{ \w+: \[[^}]*\} ?/.exec(text) ?? assert.fail("no such line");
  const changed = text.replace("{ command:", `{ ${line.trim()}, command:`);
  const { targets } = await withEngine(() => parseExperiment(changed, "mine.yaml"));
  assert.deepEqual(Object(targets.quote).env, { MODE: ["fast", "safe"] });
});

Deno.test("a URL is refused that is none", () => {
  for (const text of ["", "ftp://a", "http://", "http://u:p@a"]) {
    assert.equal(typeof ofUrl(text), "string", text);
  }
});

/** Types these lines. */
class Typist implements Person {
  readonly shown: string[] = [];
  readonly #lines: string[];
  constructor(...lines: string[]) {
    this.#lines = lines;
  }
  show(lines: readonly string[]): void {
    this.shown.push(...lines);
  }
  answer(question: string): Promise<string | null> {
    this.shown.push(question);
    return Promise.resolve(this.#lines.shift() ?? null);
  }
}

const EMPTY = folderOf({});

Deno.test("a person chooses what is found by pressing return", async () => {
  const typist = new Typist("", "");
  const folder = folderOf({ "package.json": PACKAGE({}), "index.js": "" });
  assert.deepEqual((await askedSubject(folder, typist))?.target, { command: ["node", "index.js"] });
  assert.deepEqual(typist.shown.slice(0, 2), [
    "What do you want to measure?",
    "  1  package.json: node index.js",
  ]);
});

Deno.test("a person says which path of what is found is measured, unless a flag does", async () => {
  const files = { "main.py": 'app = FastAPI()\n@app.get("/health")\n' };
  const typist = new Typist("1", "/report/7");
  assert.equal((await askedSubject(folderOf(files), typist))?.path, "/report/7");
  assert.equal(typist.shown.at(-1), "Path to request [/health]: ");
  const asked = await askedSubject(folderOf(files), new Typist("1"), "/of-a-flag");
  assert.equal(asked?.name, "my-api");
});

Deno.test("a person is asked again after an answer that is wrong", async () => {
  const typist = new Typist("9", "x", "2", "", "node a.js {port}", "b", "/b");
  const subject = await askedSubject(EMPTY, typist);
  assert.deepEqual(subject?.target, { command: ["node", "a.js", "{port}"] });
  assert.equal(subject?.path, "/b");
  assert.equal(
    typist.shown.filter((line) => line.startsWith("Cannot choose this")).length,
    2,
  );
});

Deno.test("a person chooses a URL, or the example", async () => {
  const subject = await askedSubject(EMPTY, new Typist("1", "localhost:8080/x"));
  assert.deepEqual([subject?.target, subject?.path], [{ url: "http://localhost:8080" }, "/x"]);
  assert.equal(await askedSubject(EMPTY, new Typist("3")), null);
});

Deno.test("a person who leaves is told of the flags", async () => {
  const error = await rejected(UserError, askedSubject(EMPTY, new Typist("2")));
  assert.match(error.message, /--url, --command, --detect/);
});
