/** Forms of several parts (RFC 7578) and files byte for byte, read back by the runtime's own parser, over both drivers. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import { scriptShape } from "../../runner/fleet/protocol/job_schema.ts";
import { filesFrom } from "../../scenarios/file/disk_files.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import { testWith } from "../needs.ts";

const REQUESTS = 20;

/** Every octet, then what looks like a name, a line break and a boundary. */
const PHOTO = new Uint8Array([
  ...Array.from({ length: 256 }, (_, octet) => octet),
  ...new TextEncoder().encode("{{ id }}\r\n--plateau-\r\n"),
]);

interface Seen {
  readonly type: string;
  readonly length: string | null;
  readonly octets: Uint8Array<ArrayBuffer>;
}

function made(scenario: object): Script {
  const dir = Deno.makeTempDirSync();
  Deno.writeFileSync(join(dir, "photo.jpg"), PHOTO);
  Deno.writeTextFileSync(join(dir, "text.txt"), "id {{ id }}");
  return scriptOf(scenarioSpecWith(filesFrom(dir)).parse(scenario), 1);
}

/** What a server received of `REQUESTS` requests or walks, two at a time on connections that stay open. */
async function received(script: Script, driver: DriverName): Promise<Seen[]> {
  const seen: Seen[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async ({ headers, body }) => {
      const octets = new Uint8Array(await new Response(body).arrayBuffer());
      const type = headers.get("content-type") ?? "";
      seen.push({ type, length: headers.get("content-length"), octets });
      return Response.json({ name: 'new"\r\nX-Evil: 1' });
    },
  );
  const load = loadOf({
    ...{ connections: 2, requests: REQUESTS, timeout: 20_000, keepAlive: true, workers: 1 },
  });
  const loader = new LocalLoader();
  try {
    const { requests, checks } = await measureLoad({
      ...{ origin: `http://127.0.0.1:${server.addr.port}`, script, load, driver },
      ...{ seed: 1, intervalMs: 100, logPath: null, implicitCheck: true },
    }, { loader, onProgress: () => {}, signal: new AbortController().signal });
    const expected = REQUESTS * (script.kind === "flow" ? script.steps.length : 1);
    assert.equal(requests.completed, expected);
    assert.equal(requests.failed + checks.failed, 0);
    assert.equal(seen.length, expected);
    return seen;
  } finally {
    await loader.close();
  }
}

async function formOf({ type, octets }: Seen): Promise<FormData> {
  return await new Response(octets, { headers: { "content-type": type } }).formData();
}

async function octetsOf(value: FormDataEntryValue | null): Promise<Uint8Array> {
  assert.ok(value instanceof File);
  return new Uint8Array(await value.arrayBuffer());
}

for (const driver of ["epoll", "tcp"] as const) {
  const test = (name: string, run: () => Promise<void>): void =>
    testWith(driver === "epoll" ? ["linux"] : [], `bodies: ${name} (${driver})`, run);

  test("a multipart form is read back as it was written", async () => {
    const script = made({
      post: "/",
      multipart: {
        "title é": "Grüße\r\nand {{ id }}",
        count: 3,
        tags: ["a", "", "--plateau-"],
        photo: { file: "photo.jpg", type: "image/jpeg" },
        more: [{ file: "text.txt" }, { file: "photo.jpg", name: "other {{ id }}.jpg" }],
      },
      values: { id: { pick: ["7"] } },
    });
    for (const seen of await received(script, driver)) {
      assert.equal(seen.length, String(seen.octets.length));
      const form = await formOf(seen);
      assert.deepEqual([...form.keys()], [
        ...["title é", "count", "tags", "tags", "tags", "photo", "more", "more"],
      ]);
      assert.equal(form.get("title é"), "Grüße\r\nand 7");
      assert.equal(form.get("count"), "3");
      assert.deepEqual(form.getAll("tags"), ["a", "", "--plateau-"]);
      const photo = form.get("photo") as File;
      assert.deepEqual([photo.name, photo.type], ["photo.jpg", "image/jpeg"]);
      assert.deepEqual(await octetsOf(photo), PHOTO);
      const [text, other] = form.getAll("more") as File[];
      assert.deepEqual([text.name, text.type], ["text.txt", "application/octet-stream"]);
      assert.equal(await text.text(), "id {{ id }}");
      assert.equal(other.name, "other 7.jpg");
      assert.deepEqual(await octetsOf(other), PHOTO);
    }
  });

  test("no name begins another field, whether written, drawn or captured", async () => {
    const evil = 'a"\r\nX-Evil: 1\r\n\r\nb';
    const script = made({
      flow: [
        { post: "/", json: {}, capture: { name: { json: "name" } } },
        {
          post: "/",
          multipart: {
            [evil]: "written",
            "{{ drawn }}": "drawn",
            "{{ name }}": { file: "text.txt", name: '{{ name }}{{ drawn }}"' },
          },
        },
      ],
      values: { drawn: { pick: [evil] } },
    });
    const forms = (await received(script, driver)).filter(({ type }) => /^multipart/.test(type));
    assert.equal(forms.length, REQUESTS);
    for (const seen of forms) {
      const text = new TextDecoder().decode(seen.octets);
      assert.doesNotMatch(text, /^X-Evil/m);
      assert.equal([...text.matchAll(/^Content-Disposition: /gm)].length, 3);
      const form = await formOf(seen);
      const names = [...form.keys()].map((name) => name.replaceAll('"', "%22"));
      assert.equal(names.length, 3);
      assert.match(names[0], /^a%22.*X-Evil: 1.*b$/s);
      assert.deepEqual([...form.values()].slice(0, 2), ["written", "drawn"]);
    }
  });

  test("a file that is no text is sent byte for byte, and one of text with its values", async () => {
    const scenario = (file: string): object => ({
      put: "/",
      headers: { "content-type": "image/jpeg", "x-id": "{{ id }}" },
      body: { file },
      values: { id: { pick: ["7"] } },
    });
    for (const { octets, length } of await received(made(scenario("photo.jpg")), driver)) {
      assert.deepEqual(octets, PHOTO);
      assert.equal(length, String(PHOTO.length));
    }
    for (const { octets } of await received(made(scenario("text.txt")), driver)) {
      assert.equal(new TextDecoder().decode(octets), "id 7");
    }
  });
}

Deno.test("bodies: an agent sends the same octets, as a job is JSON", () => {
  const script = made({
    flow: [
      { post: "/", body: { file: "photo.jpg" } },
      { post: "/", multipart: { a: "{{ id }}", photo: { file: "photo.jpg" } } },
    ],
    values: { id: { pick: ["7"] } },
  });
  assert.deepEqual(scriptShape.parse(JSON.parse(JSON.stringify(script))), script);
});
