/** Pages of the manual hold what the help holds. */
import assert from "node:assert/strict";
import { declaredCommands } from "../../cli/registry.ts";
import { manualPages } from "../../release/manual.ts";
import { Option } from "commander";

const commands = await declaredCommands();
const pages = manualPages({ commands, exitCodes: [["0", "done"]], date: "2026-01-31" });

Deno.test("every command has a page with each of its flags", () => {
  assert.equal(pages.size, commands.length + 1);
  for (const { name, parts } of commands) {
    const page = pages.get(`plateau-${name}.1`) ?? "";
    for (const part of Object.values(parts)) {
      if (!("flags" in part)) continue;
      const { long } = new Option(part.flags);
      assert.ok(page.includes(`\\fB${long?.replaceAll("-", "\\-")}\\fR`), `${name} ${long}`);
    }
  }
});

Deno.test("no line of a page is a request by accident", () => {
  const KNOWN = /^\.(?:TH|SH|TP|B|I|BR|nf|fi)(?: |$)/;
  const odd = [...pages.values()].flatMap((page) => page.split("\n"))
    .filter((line) => /^[.']/.test(line) && !KNOWN.test(line));
  assert.deepEqual(odd, []);
});
