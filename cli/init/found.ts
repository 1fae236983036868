/** Finds the servers in a folder by the files that say how to start and build them. Pure. */
import { isMap, type Json } from "../../base/yaml/json_text.ts";
import { pathIn, portIn } from "./source.ts";
import { nameOf, type Subject } from "./subject.ts";

export interface Folder {
  /** The folder's name, without the path. */
  readonly name: string;
  /** Whether this is Linux, where containers can share the machine's network. */
  readonly isLinux: boolean;
  /** The text of a file in the folder; null if there is no such file. */
  read(path: string): string | null;
  /** Names of the folders within a subfolder. */
  folders(path: string): readonly string[];
  /** Whether the folder contains a file or folder of this path. */
  has(path: string): boolean;
  /** Whether a program of this name is installed. */
  hasProgram(name: string): boolean;
}

/** The servers found in the folder, in the order in which the user is offered them. */
export function subjectsIn(folder: Folder): Subject[] {
  const makers = [ofPackage, ofGo, ofPython, ofCargo, ofDockerfile];
  return makers.flatMap((make) => make(folder) ?? []);
}

/**
 * Extracts from a server's source how the server gets its port, as keys of the target in the experiment file, and the
 * path of a first request.
 */
function read(source: string | null): { port: Subject["target"]; path: string } {
  const port = source === null ? null : portIn(source);
  return {
    port: port === null ? {} : port === "PORT" ? { env: { PORT: "{port}" } } : { port },
    path: source === null ? "/" : pathIn(source) ?? "/",
  };
}

function firstThere(folder: Folder, files: readonly string[]): string | null {
  return files.find((file) => folder.has(file)) ?? null;
}

const NODE_FILES = ["server", "app", "index", "main"]
  .flatMap((name) => [name, `src/${name}`])
  .flatMap((path) => ["js", "mjs", "cjs"].map((ending) => `${path}.${ending}`));

/** Lock files, each with the program that runs the scripts of a package with that file. */
const PACKAGE_MANAGERS = [["pnpm-lock.yaml", "pnpm"], ["yarn.lock", "yarn"], ["bun.lock", "bun"]];

function ofPackage(folder: Folder): Subject | null {
  const text = folder.read("package.json");
  const json = text === null ? null : parsed(text);
  if (!isMap(json)) return null;
  const { name, main, scripts, dependencies } = json;
  const start = isMap(scripts) && typeof scripts.start === "string" ? scripts.start : null;
  const own = typeof main === "string" && folder.has(main) ? main : firstThere(folder, NODE_FILES);
  const [, manager = "npm"] = PACKAGE_MANAGERS.find(([lock]) => folder.has(lock)) ?? [];
  const [, script] = /^node ([\w./-]+)$/.exec(start ?? "") ?? [];
  const command = start === null
    ? own === null ? null : ["node", own]
    : script === undefined
    ? [manager, ...manager === "bun" ? ["run"] : [], "start"]
    : ["node", script];
  if (command === null) return null;
  const entry = /[\w./-]+\.[cm]?[jt]s\b/.exec(start ?? "")?.[0] ?? script ?? own;
  const { port, path } = read(entry === null ? null : folder.read(entry));
  const isInstalled = !isMap(dependencies) || folder.has("node_modules");
  return {
    name: nameOf(typeof name === "string" ? name : folder.name),
    about: `package.json: ${command.join(" ")}`,
    target: { command, ...port },
    path,
    notes: isInstalled
      ? []
      : [`the server's packages are not installed yet: run ${manager} install`],
  };
}

function ofGo(folder: Folder): Subject | null {
  const text = folder.read("go.mod");
  if (text === null) return null;
  const [, module = folder.name] = /^module\s+(\S+)/m.exec(text) ?? [];
  const name = nameOf(module.split("/").filter((part) => !/^v\d+$/.test(part)).at(-1) ?? "");
  const commands = folder.folders("cmd").filter((one) => folder.has(`cmd/${one}/main.go`));
  const [at] = [...folder.has("main.go") ? ["."] : [], ...commands.map((one) => `./cmd/${one}`)];
  if (at === undefined) return null;
  const { port, path } = read(folder.read(at === "." ? "main.go" : `${at.slice(2)}/main.go`));
  const built = `./.plateau/${name}`;
  return {
    name,
    about: `go.mod: go build ${at}`,
    target: { setup: [["go", "build", "-o", built, at]], command: [built], ...port },
    path,
    notes: [],
  };
}

const PYTHON_FILES = ["main", "app", "server", "api", "wsgi", "asgi"]
  .flatMap((name) => [`${name}.py`, `app/${name}.py`, `src/${name}.py`, `src/app/${name}.py`]);

/**
 * Match the assignment of the application object that an ASGI or WSGI server serves, to get the name of the variable.
 */
const ASGI = /^(\w+)(?:\s*:[^=\n]+)?\s*=\s*(?:\w+\.)?(?:FastAPI|Starlette|Litestar|Quart)\(/m;
const WSGI = /^(\w+)(?:\s*:[^=\n]+)?\s*=\s*(?:\w+\.)?(?:Flask|Bottle)\(/m;

function ofPython(folder: Folder): Subject | null {
  const asked = ["pyproject.toml", "requirements.txt"]
    .map((file) => folder.read(file) ?? "").join("\n");
  const python = pythonOf(folder);
  const name = nameOf(/^name\s*=\s*"([^"]+)"/m.exec(asked)?.[1] ?? folder.name);
  if (/\bdjango\b/.test(folder.read("manage.py") ?? "")) {
    const command = [...python, "manage.py", "runserver", "--noreload", "{host}:{port}"];
    const notes = [
      "runserver is Django's development server: measure the server that you use in production",
    ];
    return { name, about: "manage.py: runserver", target: { command }, path: "/", notes };
  }
  for (const file of PYTHON_FILES) {
    const source = folder.read(file) ?? "";
    const [isAsgi, found] = [ASGI.exec(source), WSGI.exec(source)]
      .map((match, at) => [at === 0, match?.[1]] as const)
      .find(([, variable]) => variable !== undefined) ?? [false];
    if (found === undefined) continue;
    const inSrc = file.startsWith("src/");
    const module = file.replace(/^src\//, "").replace(/\.py$/, "").replaceAll("/", ".");
    const served = `${module}:${found}`;
    const command = [
      ...python,
      "-m",
      ...isAsgi
        ? ["uvicorn", "--host", "{host}", "--port", "{port}", served]
        : /\bgunicorn\b/.test(asked)
        ? ["gunicorn", "--bind", "{host}:{port}", served]
        : ["flask", "--app", served, "run", "--host", "{host}", "--port", "{port}"],
    ];
    return {
      name,
      about: `${file}: ${command[python.length + 1]} ${served}`,
      target: { command, ...inSrc && { env: { PYTHONPATH: "src" } } },
      path: pathIn(source) ?? "/",
      notes: command.includes("flask")
        ? [
          "flask run is a development server: measure the server that you use in production, such as gunicorn",
        ]
        : [],
    };
  }
  return null;
}

/** The command of the Python interpreter that has the project's packages. */
function pythonOf(folder: Folder): string[] {
  const own = firstThere(folder, [".venv/bin/python", "venv/bin/python"]);
  if (own !== null) return [`./${own}`];
  return folder.has("uv.lock") ? ["uv", "run", "python"] : ["python3"];
}

function ofCargo(folder: Folder): Subject | null {
  const [, name] = /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(
    folder.read("Cargo.toml") ?? "",
  ) ?? [];
  const source = folder.read("src/main.rs");
  if (name === undefined || source === null) return null;
  const { port, path } = read(source);
  return {
    name: nameOf(name),
    about: "Cargo.toml: cargo build --release",
    target: {
      setup: [["cargo", "build", "--release"]],
      command: [`./target/release/${name}`],
      ...port,
    },
    path,
    notes: [],
  };
}

/** The port to publish if an image does not expose one and its container does not share the machine's network. */
const USUAL_PORT = 8_080;

/**
 * Makes a server from a Dockerfile. Runs it with Podman rather than Docker if Podman is installed, because containers
 * are child processes of Podman, so that their CPU time and memory can be measured on Linux.
 */
function ofDockerfile(folder: Folder): Subject | null {
  const text = folder.read("Dockerfile") ?? folder.read("Containerfile");
  if (text === null) return null;
  const tool = folder.hasProgram("podman") ? "podman" : "docker";
  const [, exposed] = /^\s*EXPOSE\s+(\d+)/im.exec(text) ?? [];
  const name = nameOf(folder.name).toLowerCase();
  const { network, port } = folder.isLinux
    ? { network: ["--network=host", "--env", `PORT=${exposed ?? "{port}"}`], port: exposed }
    : published(exposed ?? `${USUAL_PORT}`);
  const isSeen = folder.isLinux && tool === "podman";
  return {
    name,
    about: `Dockerfile: ${tool} run`,
    target: {
      setup: [[tool, "build", "--tag", name, "."]],
      command: [tool, "run", "--rm", "--init", ...network, name],
      ...port !== undefined && { port: Number(port) },
    },
    path: "/",
    notes: isSeen ? [] : [
      `CPU and memory will be those of the client \`${tool} run\`, because the container is not its child`,
    ],
  };
}

function published(port: string): { network: string[]; port?: string } {
  return { network: ["--publish", `{host}:{port}:${port}`, "--env", `PORT=${port}`] };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
