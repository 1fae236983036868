/** The Redis that a command line names, and its password. */
import assert from "node:assert/strict";
import { openPasswordNote } from "../../cli/command_line/arguments.ts";
import { passwordFile, redisUrlOf } from "../../cli/flags/values.ts";
import { secrets } from "../../base/secrets.ts";
import { emptyFolder } from "../e2e/plateau.ts";

Deno.test("a password is put into the address as it is meant, and is secret", () => {
  const redisPasswordFile = "p%41:/@é";
  const url = redisUrlOf({ redis: "rediss://me@host:1/2", redisPasswordFile });
  assert.equal(url, "rediss://me:p%2541%3A%2F%40%C3%A9@host:1/2");
  assert.equal(decodeURIComponent(new URL(url ?? "").password), redisPasswordFile);
  assert.equal(
    secrets.text(`${url} ${redisPasswordFile}`),
    "rediss://me:[secret]@host:1/2 [secret]",
  );
});

Deno.test("a password that stands in the address is secret, too", () => {
  assert.equal(redisUrlOf({ redis: "redis://:in-the-address@h" }), "redis://:in-the-address@h");
  assert.equal(secrets.text("in-the-address"), "[secret]");
});

Deno.test("a file's password is all of it but the end of its line", () => {
  using folder = emptyFolder();
  const read = (text: string): unknown => {
    const path = `${folder.path}/password`;
    Deno.writeTextFileSync(path, text);
    return passwordFile.safeParse(path).data;
  };
  assert.equal(read(" pass word\n"), " pass word");
  assert.equal(read("pass\r\n"), "pass");
  assert.equal(read("\n"), undefined);
});

for (
  const [args, isOpen] of [
    [["--redis", "redis://:pw@h"], true],
    [["--redis=rediss://me:pw@h:1"], true],
    [["--redis", "redis://me@h:1"], false],
    [["http://h/redis://:pw@h"], false],
  ] as const
) {
  Deno.test(`${args.join(" ")} is ${isOpen ? "" : "not "}warned of`, () => {
    assert.equal(openPasswordNote(args) !== null, isOpen);
  });
}
