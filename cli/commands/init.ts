/** `plateau init [FILE]`: writes a first experiment, or converts another tool's file into one. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { textLines } from "../../report/writing/terminal.ts";
import { readText } from "../../base/bounded_file.ts";
import { convertedFile, convertedScript } from "../../scenarios/file/experiment_file.ts";
import { EXIT, messageOf, type Problem, UserError } from "../../base/errors.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import { isScript } from "../../scenarios/file/module_name.ts";
import { defineCommand } from "../command_line/arguments.ts";
import type { RawArguments } from "../command_line/command.ts";
import type { Subject } from "../init/subject.ts";
import { experimentAbout, withSchemaLine } from "../init/written.ts";
import { listed } from "../../report/writing/words.ts";
import { replaceFile } from "../../base/whole_file.ts";
import { experimentJsonSchema, isExperimentSchema } from "../schema/json_schema.ts";
import starter from "./starter.yaml" with { type: "text" };
import { print, printError, terminalOptions } from "../terminal/terminal.ts";

const USUAL_FILE = "experiment.yaml";
const USUAL_SCRIPT = "experiment.ts";

export const initCommand = defineCommand({
  parts: {
    file: {
      operand: "[FILE]",
      about:
        "File to write (default: experiment.yaml; experiment.ts for a k6 script whose functions are " +
        "needed); - for standard output",
      schema: z.string().optional(),
    },
    url: {
      flags: "--url <URL>",
      about: "Measures a server that is already running",
      schema: z.string().min(1).optional(),
    },
    command: {
      flags: "--command <LINE>",
      about: "Measures a server that this command starts, such as 'node server.js'; " +
        "{port} becomes a free port",
      schema: z.string().min(1).optional(),
    },
    detect: {
      flags: "--detect",
      about: "Measures the server in the folder of FILE, recognised by its package.json, go.mod, " +
        "Cargo.toml, Dockerfile or the Python file of its app (the default without a terminal)",
      schema: z.boolean().default(false),
    },
    path: {
      flags: "--path <PATH>",
      about: "The path to request (default: the path of the URL, or a path that init finds)",
      schema: z.string().regex(/^\/[\x21-\x7e]*$/, {
        error:
          "Cannot use this as a path: start with /, and encode spaces and non-ASCII characters",
      }).optional(),
    },
    example: {
      flags: "--example",
      about: "Writes an example that measures a built-in server, with every key explained (the " +
        "default without a terminal where --detect finds nothing)",
      schema: z.boolean().default(false),
    },
    from: {
      flags: "--from <FILE>",
      about:
        "Converts an OpenAPI description, a Postman collection, an Artillery script, a k6 script, " +
        "a JMeter plan or a HAR file",
      schema: z.string().min(1).optional(),
    },
    writes: {
      flags: "--writes",
      about: "Also includes the POST, PUT, PATCH and DELETE operations of an OpenAPI description",
      schema: z.boolean().default(false),
    },
    types: {
      flags: "--types [DIR]",
      about: "Writes the types of experiments in TypeScript, for editors, as the package plateau " +
        "in the node_modules of DIR (default: the current folder)",
      schema: z.union([z.literal(true).transform(() => "."), z.string().min(1)]).optional(),
    },
  },
  conflicts: sourceConflicts,
  async run({ file: given, from, types, writes, ...asked }): Promise<number> {
    if (types !== undefined) return await writeTypes(types);
    const wanted = given ?? USUAL_FILE;
    if (wanted !== "-") refuseExisting(wanted);
    const { file = wanted, about = "", text, next, notes } = from === undefined
      ? await written(wanted, asked)
      : await converted(from, { file: wanted, isGiven: given !== undefined, writes });
    const isCode = isScript(file) || file === "-" && SCRIPT_TEXT.test(text);
    const schema = isCode ? null : file === "-" ? SCHEMA : writeSchema(dirname(file));
    const whole = schema === null ? text : withSchemaLine(text, schema);
    const said = [...notes, ...file === "-" && !isCode ? [SCHEMA_APART] : []]
      .map((note) => `Note: ${note}`);
    const noteLines = textLines(said, terminalOptions());
    if (file === "-") {
      await print(textLines(whole.trimEnd().split("\n")));
      printError(noteLines);
      return EXIT.done;
    }
    try {
      await Deno.writeTextFile(file, whole, { createNew: true });
    } catch (error) {
      throw new UserError([{ place: withoutSecrets(file), ...whyNot(error) }]);
    }
    await print(textLines([`Wrote ${file}${about}. ${next}`]), noteLines);
    return EXIT.done;
  },
});

/** Flags that say what to measure; only one of them may be given. */
const SOURCES = ["url", "command", "detect", "example", "from"];

function sourceConflicts(given: RawArguments): Problem[] {
  if (given.types !== undefined) {
    return [...SOURCES, "path", "file"].filter((name) => given[name]).map((name) => ({
      place: name === "file" ? String(given.file) : `--${name}`,
      message: "Cannot be combined with --types, which does not write an experiment",
      fix: "leave out one of the two",
    }));
  }
  const wrongWrites = given.writes && !given.from ? [WRITES_OF_NOTHING] : [];
  const [first, ...others] = SOURCES.filter((name) => given[name]);
  return [
    ...wrongWrites,
    ...others.map((name) => ({
      place: `--${name}`,
      message: `Cannot use this with --${first}: only one of them can say what to measure`,
      fix: "leave one out",
    })),
    ...given.path !== undefined && (given.from || given.example)
      ? [{
        place: "--path",
        message: "Cannot set the path: --from and --example bring their own requests",
      }]
      : [],
  ];
}

/**
 * Writes the package of TypeScript types into node_modules, replacing that of an older version; changes nothing else.
 */
async function writeTypes(dir: string): Promise<number> {
  const { typesPackage } = await import("../init/typings.ts");
  const folder = join(dir, "node_modules", "plateau");
  try {
    await Deno.mkdir(folder, { recursive: true });
    if (await isOfNpm(folder)) {
      await print(textLines([`${folder} was installed by npm, and has the types already`]));
      return EXIT.done;
    }
    for (const [name, text] of Object.entries(typesPackage())) {
      await replaceFile(join(folder, name), text);
    }
  } catch (error) {
    throw new UserError([{ place: withoutSecrets(folder), ...whyNot(error) }]);
  }
  await print(textLines([`Wrote ${folder}: import { experiment } from "plateau" has types now`]));
  return EXIT.done;
}

/** Whether npm installed the package. Only npm's package has a manifest that names an executable. */
async function isOfNpm(folder: string): Promise<boolean> {
  const path = join(folder, "package.json");
  return existsSync(path) && /"bin":/.test(await readText(path, "textFile"));
}

/** Matches a line that every experiment in TypeScript has, but no YAML file. */
const SCRIPT_TEXT = /^import \{.*\} from "plateau";$/m;

interface Made {
  /** The file to write, if it is not the requested one. */
  readonly file?: string;
  /** A phrase that follows the file's name and says what the file measures. */
  readonly about?: string;
  readonly text: string;
  /** A sentence that tells the user what to do next. */
  readonly next: string;
  readonly notes: readonly string[];
}

interface Asked {
  readonly url?: string;
  readonly command?: string;
  readonly detect: boolean;
  readonly path?: string;
  readonly example: boolean;
}

/** Makes an experiment that measures the chosen subject; without one, takes the built-in example. */
async function written(file: string, asked: Asked): Promise<Made> {
  const { path } = asked;
  const subject = await chosenSubject(file, asked);
  const next = `Check it: plateau check ${file}. Run it: plateau run ${file}`;
  if (subject === null) {
    if (path !== undefined) throw new UserError([PATH_OF_NOTHING]);
    return { about: ", an example of a built-in server", text: starter, next, notes: [YOURS] };
  }
  return {
    about: ` for your server (${subject.about})`,
    text: experimentAbout(
      { ...subject, path: path ?? subject.path },
      file === "-" ? USUAL_FILE : file,
    ),
    next,
    notes: subject.notes,
  };
}

const WRITES_OF_NOTHING: Problem = {
  place: "--writes",
  message: "Cannot include operations: no OpenAPI description is given",
  fix: "add --from openapi.yaml",
};

const PATH_OF_NOTHING: Problem = {
  place: "--path",
  message: "Cannot request this path: no server is given",
  fix: "add --url, --command or --detect",
};

/**
 * The subject that the flags name or a person chooses or, without either, the first server found in the folder; null
 * for the built-in example. Throws a UserError if --detect finds no server.
 */
async function chosenSubject(
  file: string,
  { url, command, detect, example, path }: Asked,
): Promise<Subject | null> {
  const { ofCommand, ofUrl } = await import("../init/given.ts");
  const { diskFolder } = await import("../init/disk_folder.ts");
  const folder = diskFolder(file === "-" ? "." : dirname(file));
  if (url !== undefined) return rightOr("--url", ofUrl(url));
  if (command !== undefined) return rightOr("--command", ofCommand(command, folder.name));
  if (example) return null;
  const { isPersonThere, person } = await import("../terminal/prompts.ts");
  if (!detect && isPersonThere()) {
    const { askedSubject } = await import("../init/asked.ts");
    return await askedSubject(folder, person, path);
  }
  const { subjectsIn } = await import("../init/found.ts");
  const [found = null] = subjectsIn(folder);
  if (found === null && detect) throw new UserError([NOTHING_FOUND]);
  return found;
}

/** A hint shown with the built-in example, for users who wanted to measure something else. */
const YOURS = "To measure your own server, use plateau init FILE --command 'node server.js', " +
  "or --url http://127.0.0.1:8080/";

const NOTHING_FOUND: Problem = {
  place: "--detect",
  message:
    "Cannot find a server here: no file, such as a package.json with a start script, says how to start one",
  fix: "add --command with the command that starts the server, or --url if it already runs",
};

function rightOr(place: string, subject: Subject | string): Subject {
  if (typeof subject !== "string") return subject;
  throw new UserError([{ place, message: subject }]);
}

/** Path of the schema, relative to the experiment file. All experiments in the folder share it. */
const SCHEMA = ".plateau/experiment.schema.json";

const SCHEMA_APART =
  `the first line names a schema for editors; to write that schema: mkdir -p ${
    dirname(SCHEMA)
  } && ` +
  `plateau schema > ${SCHEMA}`;

/**
 * Writes the JSON Schema for editors and returns its path; null if another file has that path, or the schema can't be
 * written.
 */
function writeSchema(folder: string): string | null {
  const path = join(folder, SCHEMA);
  try {
    Deno.mkdirSync(dirname(path), { recursive: true });
    const before = existsSync(path) ? Deno.readTextFileSync(path) : "";
    if (before !== "" && !isExperimentSchema(before)) return null;
    const text = JSON.stringify(experimentJsonSchema());
    if (text !== before) Deno.writeTextFileSync(path, text);
    return SCHEMA;
  } catch {
    return null; // if the folder is not writable, writing the experiment file will report it
  }
}

interface Conversion {
  readonly file: string;
  /** Whether the user named the file. */
  readonly isGiven: boolean;
  readonly writes: boolean;
}

async function converted(from: string, { file, isGiven, writes }: Conversion): Promise<Made> {
  const source = await textOf(from);
  if (isScript(file)) return await convertedCode(source, from, file) ?? refuseScript(file);
  try {
    const imported = await convertedFile(source, from, { file, writes });
    if (imported === null) throw new UserError([{ place: from, message: UNKNOWN_FILE }]);
    const { variables } = imported;
    const needed = variables.length === 0 ? "" : ` (set ${listed(variables, "and")} first)`;
    return { ...imported, next: `Check it: plateau check ${file}${needed}` };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (isGiven && file !== "-") throw withScriptHint(error, source);
    const code = await convertedCode(source, from, file === "-" ? "-" : USUAL_SCRIPT);
    if (code === null) throw error;
    return code;
  }
}

const UNKNOWN_FILE =
  "Cannot convert this file: it must be an OpenAPI description, a Postman collection, an Artillery script, a k6 script, a JMeter plan or a HAR file";

/**
 * Converts the source to TypeScript; null if it is neither a k6 script nor an Artillery script, because only these
 * formats have functions.
 */
async function convertedCode(source: string, from: string, file: string): Promise<Made | null> {
  const code = await convertedScript(source, from, file);
  if (code !== null && file !== "-") refuseExisting(file);
  return code && { ...code, file, next: `Check it: plateau check ${file}` };
}

function refuseScript(file: string): never {
  const message =
    "Cannot write TypeScript: only k6 and Artillery scripts become experiments with functions";
  throw new UserError([{ place: file, message, fix: "name a file that ends in .yaml" }]);
}

/** Adds a hint to the error if the source is a script that could be converted to TypeScript, though not to YAML. */
function withScriptHint(error: UserError, source: string): UserError {
  if (!K6_SCRIPT.test(source) && !PROCESSOR.test(source)) return error;
  const fix =
    "write to a file that ends in .ts, such as experiment.ts, which can keep the functions of the script";
  return new UserError(error.problems.map((one, at) => at === 0 ? { ...one, fix } : one));
}

/** Matches the key with which an Artillery script names its file of functions. */
const PROCESSOR = /^[ \t]*["']?processor["']?[ \t]*:/m;
const K6_SCRIPT = /^[ \t]*import\s[^"'`;]{0,500}["']k6\b/m;

async function textOf(path: string): Promise<string> {
  try {
    return await readText(path, "foreignFile");
  } catch (error) {
    throw new UserError([{
      place: withoutSecrets(path),
      message: `Cannot read it: ${messageOf(error)}`,
    }]);
  }
}

/** Throws a UserError if the file exists, because `init` never replaces a file. */
function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw new UserError([{
    place: withoutSecrets(file),
    ...whyNot(new Deno.errors.AlreadyExists()),
  }]);
}

function whyNot(error: unknown): { message: string; fix?: string } {
  return error instanceof Deno.errors.AlreadyExists
    ? { message: "Cannot overwrite an existing file", fix: "name another file, or remove it first" }
    : { message: `Cannot write it: ${messageOf(error)}` };
}
