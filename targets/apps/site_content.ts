/**
 * The content of the site: five linked pages, each with three of five images. A page is rendered from its number alone,
 * so the app always serves the same bytes. The site can also be written to files and served from them.
 */
import { crc32, deflateSync } from "node:zlib";
import { join } from "node:path";
import { html } from "hono/html";
import { endInOrder } from "../launch/parent_death.ts";
import { TemporaryFolder } from "../../base/system/temporary_folder.ts";

type Html = ReturnType<typeof html>;

/** The number of pages, and also the number of images. */
const PAGES = 5;

export type Body = string | Uint8Array<ArrayBuffer>;

export interface Document {
  readonly path: string;
  readonly type: string;
  /** Renders the page on each call; an image is drawn only once, in advance. */
  readonly body: () => Promise<Body>;
}

/** Where the app reads a document for each request. */
export interface Source {
  /** @returns The body and its entity tag; null if the tag must be made by hashing the body. */
  readonly read: (path: string) => Promise<{ body: Body; tag: string | null }>;
  readonly close: () => void;
}

/** All documents of the site; the first page is also served at `/`. */
export function drawDocuments(): Document[] {
  const page = (path: string, number: number): Document => ({
    path,
    type: "text/html; charset=utf-8",
    body: async () => String(await renderPage(number)),
  });
  const image = (number: number): Document => {
    const drawn = Promise.resolve(drawImage(number));
    return { path: `/images/${number}.png`, type: "image/png", body: () => drawn };
  };
  return [
    page("/", 1),
    ...numbers().map((number) => page(`/page${number}.html`, number)),
    ...numbers().map(image),
  ];
}

/** Topic and caption of image n, at index n − 1. Page n begins with image n, and has the same topic. */
const TOPICS = [
  [
    "Harbours",
    "Cranes unload by day what lorries carry off by night; the pilot boat is out in any weather and back before breakfast.",
  ],
  [
    "Lighthouses",
    "Each lamp has its own rhythm of flashes, so a crew that counts the seconds knows which coast lies ahead of the bow.",
  ],
  [
    "Tidal flats",
    "Twice a day the sea uncovers miles of rippled mud where waders feed, and walkers follow a guide along marked paths.",
  ],
  [
    "Ferries",
    "Ramps drop, engines start, and in eleven minutes forty cars, two buses and a flock of cyclists have changed places.",
  ],
  [
    "Dunes",
    "Marram grass holds the sand with roots as long as a house is tall; one careless footpath can set a whole hill moving.",
  ],
] as const;

/** Renders a page of 1.9 KB, or 0.85 KB compressed, similar to the study's 873 B. */
function renderPage(page: number): Html {
  const [topic] = TOPICS[page - 1];
  const images = [0, 1, 2].map((step) => (page - 1 + step) % PAGES + 1);
  return html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="description"
          content="A walk along the coast in five pages: what is built, what grows and who works there">
        <title>${topic} – Page ${page}</title>
        <style>
        body { font-family: Georgia, serif; line-height: 1.5; margin: 0 auto; max-width: 60rem; padding: 1rem }
        nav a { margin-right: 1rem }
        .row { display: grid; gap: 1rem; grid-template-columns: repeat(3, 1fr) }
        figure { margin: 0 }
        img { height: auto; width: 100% }
        </style>
      </head>
      <body>
        <nav><a href="/">Home</a>${numbers().map(renderLink)}</nav>
        <main>
          <h1>${topic}</h1>
          <p>This page displays three different images.</p>
          <div class="row">${images.map(renderFigure)}</div>
        </main>
        <footer>Page ${page} of ${PAGES}</footer>
      </body>
    </html>
  `;
}

function numbers(): number[] {
  return Array.from({ length: PAGES }, (_, index) => index + 1);
}

function renderLink(page: number): Html {
  return html`<a href="/page${page}.html">Page ${page}</a>`;
}

function renderFigure(image: number): Html {
  const [topic, caption] = TOPICS[image - 1];
  return html`
    <figure>
      <img src="/images/${image}.png" alt="${topic}" width="${WIDTH}" height="${HEIGHT}">
      <figcaption>${caption}</figcaption>
    </figure>
  `;
}

const WIDTH = 160;
const HEIGHT = 120;

/** Draws image number 1 to PAGES, a PNG of 160 × 120 pixels. It has 58 KB, because the pixels are not compressed. */
function drawImage(image: number): Uint8Array<ArrayBuffer> {
  const size = new Uint8Array(13);
  new DataView(size.buffer).setUint32(0, WIDTH);
  new DataView(size.buffer).setUint32(4, HEIGHT);
  size.set([8, 2], 8); // 8 bits per channel, RGB
  return joinBytes([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), // signature, PNG §5.2
    pngChunk("IHDR", size),
    pngChunk("IDAT", deflateSync(drawPixels(image), { level: 0 })),
    pngChunk("IEND", new Uint8Array()),
  ]);
}

/**
 * The rows of RGB pixels, each preceded by filter type 0 (PNG §9.2). They show an XOR texture tinted by the image's
 * number.
 */
function drawPixels(image: number): Uint8Array {
  const rowBytes = 1 + 3 * WIDTH;
  const pixels = new Uint8Array(HEIGHT * rowBytes);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const texture = x ^ y;
      pixels.set([texture, texture * image, 255 - texture], y * rowBytes + 1 + 3 * x);
    }
  }
  return pixels;
}

/** A PNG chunk: length, type, data, and the CRC of type and data (PNG §5.3). */
function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const body = joinBytes([new TextEncoder().encode(type), data]);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set(body, 4);
  view.setUint32(body.length + 4, crc32(body));
  return chunk;
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/**
 * Writes every document to a file in a temporary folder, so that the app works like a server of static files, which
 * opens and reads a file for each request. The files are removed when the source is closed or this process ends.
 */
export async function writeFiles(documents: readonly Document[]): Promise<Source> {
  endInOrder();
  const folder = TemporaryFolder.make("site");
  const fileOf = (path: string): string => join(folder.path, path === "/" ? "index.html" : path);
  Deno.mkdirSync(join(folder.path, "images"));
  for (const { path, body } of documents) {
    const content = await body();
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.writeFileSync(fileOf(path), bytes);
  }
  return {
    async read(path): Promise<{ body: Uint8Array<ArrayBuffer>; tag: string | null }> {
      using file = await Deno.open(fileOf(path));
      const { size, mtime } = await file.stat();
      const body = new Uint8Array(size);
      for (let at = 0; at < size;) {
        const read = await file.read(body.subarray(at));
        if (read === null) throw new Error(`Cannot read ${fileOf(path)}: it became shorter`);
        at += read;
      }
      return { body, tag: tagOf(size, mtime?.getTime() ?? 0) };
    },
    close: () => folder[Symbol.dispose](),
  };
}

/**
 * A tag like that of Express for static files, made from size and modification time. It is weak, because an equal size
 * and time do not prove that the bytes are equal.
 */
function tagOf(sizeBytes: number, changedMs: number): string {
  return `W/"${sizeBytes.toString(16)}-${changedMs.toString(16)}"`;
}
