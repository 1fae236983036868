/** `plateau list`: lists the built-in experiments, apps and frameworks. */
import * as z from "zod";
import { EXIT } from "../../base/errors.ts";
import { frameworkNames, installedRuntimeNames } from "../../base/target/app_settings.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { experiments } from "../../scenarios/experiments/registry.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { parametersSpec } from "../../scenarios/file/parameter_shape.ts";
import type { App } from "../../targets/apps/app.ts";
import { apps } from "../../targets/apps/registry.ts";
import { frameworkNamed } from "../../targets/frameworks/registry.ts";
import { runtimeNamed } from "../../targets/frameworks/runtimes.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { print } from "../terminal/terminal.ts";

const sections = { experiments: listExperiments, apps: listApps, frameworks: listFrameworks };
const names = [
  "experiments",
  "apps",
  "frameworks",
] as const satisfies readonly (keyof typeof sections)[];

export const listCommand = defineCommand({
  parts: {
    what: {
      operand: "[WHAT]",
      about: `One of ${names.join(", ")} (default: all)`,
      schema: z.enum(names).optional(),
    },
  },
  async run({ what }): Promise<number> {
    const listed = what === undefined ? names : [what];
    const lines = listed.flatMap((name, i) => [...(i === 0 ? [] : [""]), ...sections[name]()]);
    await print(textLines(lines));
    return EXIT.done;
  },
});

/** The name and title of each experiment, followed by its source, such as a paper, and by its `--set` parameters. */
function listExperiments(): string[] {
  return Object.entries(experiments).flatMap(([name, text]) => {
    const { title, source } = parseExperiment(text, `${name}.yaml`);
    return [
      line(name, title),
      ...source === undefined ? [] : [line("  study", source)],
      ...parametersOf(text).map(({ key, about }) => line(`  ${key}`, about)),
    ];
  });
}

const withParameters = z.object({ parameters: parametersSpec.default({}) });

/** The `--set` parameters of an experiment, each with its default and, if it has any, its choices. */
function parametersOf(text: string): { key: string; about: string }[] {
  const { parameters } = withParameters.parse(new YamlText(text, "").data);
  return Object.entries(parameters).map(([key, value]) => {
    if (typeof value !== "object" || Array.isArray(value)) {
      return { key, about: `--set ${key}=VALUE (default: ${shown(value)})` };
    }
    const choices = Object.keys(value);
    return { key, about: `--set ${key}=${choices.join("|")} (default: ${choices[0]})` };
  });
}

function listApps(): string[] {
  return Object.entries<App>(apps).flatMap(([name, { summary, settings }]) => [
    line(name, summary),
    ...settingsOf(settings).map(({ key, about }) => line(`  ${key}`, about)),
  ]);
}

/** The frameworks, and the runtimes on which the Node frameworks can run. */
function listFrameworks(): string[] {
  const runtimes = installedRuntimeNames.map((name) => {
    const { summary, version } = runtimeNamed(name);
    return line(name, `${summary} (${version})`);
  });
  const servers = frameworkNames.flatMap((name) => {
    const { summary, version, settings } = frameworkNamed(name);
    return [
      line(name, version === "" ? summary : `${summary} (${version})`),
      ...settingsOf(settings).map(({ key, about }) => line(`  ${key}`, about)),
    ];
  });
  return [...servers, ...runtimes];
}

/** Reads the schema's input and output form, because a default may be declared on either side of a transformation. */
function settingsOf(settings: App["settings"]): { key: string; about: string }[] {
  const { properties: written = {} } = z.toJSONSchema(settings, { io: "input" });
  const { properties: read = {} } = z.toJSONSchema(settings, { unrepresentable: "any" });
  return Object.keys(written).map((key) => {
    const { description = "", default: preset } = {
      ...asObject(read[key]),
      ...asObject(written[key]),
    };
    const about = preset === undefined ? "" : ` (default: ${shown(preset)})`;
    return { key, about: `${description}${about}` };
  });
}

type SettingSchema = z.core.JSONSchema.JSONSchema;

function asObject(schema: SettingSchema | boolean): SettingSchema {
  return typeof schema === "boolean" ? {} : schema;
}

/** A default value, written as on the command line. */
function shown(preset: unknown): string {
  return typeof preset === "boolean" ? (preset ? "on" : "off") : String(preset);
}

function line(name: string, about = ""): string {
  return `${name.padEnd(18)}  ${about}`;
}
