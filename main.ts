/**
 * Plateau's table of contents: command line → command → exit code. The one place where errors are
 * printed; who must act decides the code (base/errors.ts).
 */
import { commands, isCommandName, listedCommands } from "./cli/registry.ts";
import { print, printError, printUnshown } from "./cli/terminal/terminal.ts";
import { textLines } from "./report/writing/terminal.ts";
import { VERSION } from "./base/version.ts";
import { EXIT, ExpectedError, TargetError, UserError } from "./base/errors.ts";
import { shortened } from "./base/limits.ts";
import { keepSecretsOf, quotedOpenly, withoutSecrets } from "./base/secrets.ts";

async function dispatch([name = "", ...args]: readonly string[]): Promise<number> {
  if (isCommandName(name)) {
    const { summary, load } = commands[name];
    return await (await load()).execute(args, { name, summary });
  }
  switch (name) {
    case "--version":
    case "-V":
      return await (await import("./cli/build/build.ts")).printVersion(args);
    case "--licenses":
      return await (await import("./cli/build/build.ts")).printLicenses();
    case "--help":
    case "-h":
    case "help":
      await print(textLines(help()));
      return EXIT.done;
    case "":
      printError(textLines(help()));
      return EXIT.usage;
    default:
      throw await unknownCommand(name);
  }
}

async function unknownCommand(name: string): Promise<UserError> {
  keepSecretsOf(Deno.args);
  const { didYouMean } = await import("./base/suggest.ts");
  const names = listedCommands().map(({ name }) => name);
  const fix = didYouMean(name, names) ?? `the commands are ${names.join(", ")}`;
  return new UserError([{
    place: "plateau",
    message: `Cannot find command ${quotedOpenly(name)}`,
    fix,
  }]);
}

function help(): string[] {
  return [
    `Plateau ${VERSION} measures HTTP services: starts them, loads them, writes a report.`,
    "",
    "Usage: plateau COMMAND [options]",
    "",
    ...listedCommands().map(({ name, summary }) => `  ${name.padEnd(11)}  ${summary}`),
    "",
    "Run plateau COMMAND --help for its options.",
    "plateau --version --json names the parts of a build, --licenses their licences.",
  ];
}

/** Deno's error for a package without Plateau's deno.json, for example after `deno install -g` without `--config`. */
const WITHOUT_CONFIG =
  /^(?:Import "[^"]+" not a dependency|Relative import path "[^"]+" not prefixed)/;

/** Turns an error about a permission or configuration that Deno was started without into a TargetError. */
function asExpected(error: unknown): unknown {
  if (error instanceof TypeError && WITHOUT_CONFIG.test(error.message)) {
    return new TargetError(
      "Cannot find Plateau's packages: Deno was started without its deno.json",
      [
        "install Plateau with deno install -g -A --config deno.json -n plateau main.ts",
      ],
    );
  }
  return error instanceof Deno.errors.NotCapable
    ? new TargetError(`Cannot do this without a permission: ${error.message}`)
    : error;
}

/** Prints the failure. Never throws, because the runtime would print what was thrown, with the secrets in it. */
function printFailure(thrown: unknown): number {
  try {
    return printLines(asExpected(thrown));
  } catch {
    printUnshown();
    return EXIT.defect;
  }
}

function printLines(error: unknown): number {
  const lines = error instanceof ExpectedError ? shortened(error.lines) : [
    ...withoutSecrets(error instanceof Error && error.stack || String(error)).split("\n"),
    "This is a defect of Plateau: please report it, with the lines above and the command that you ran",
  ];
  printError(textLines(lines));
  return error instanceof ExpectedError ? error.exitCode : EXIT.defect;
}

globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  Deno.exit(printFailure(event.reason));
});

Deno.exit(await dispatch(Deno.args).catch(printFailure));
