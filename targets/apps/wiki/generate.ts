/**
 * The wiki's first pages, drawn by a seed: the same seed makes the same bytes. A page is some 4 KB of
 * markdown in several kinds of blocks, which link to other pages.
 */
import { type Draw, drawBy, shuffled } from "../../../base/random.ts";
import {
  ADJECTIVES,
  AUTHORS,
  BLOCKS,
  makeSentence,
  NOUNS,
  paragraphBlock,
  pick,
  SECTIONS,
  type Topic,
} from "./blocks.ts";
import type { Draft, PageHead } from "./pages.ts";

/** All of them, so many at once. The first is `home`; page n is written n hours after the first. */
export function* generatePages(count: number, seed: number, atOnce: number): Generator<Draft[]> {
  const draw = drawBy(seed);
  const heads = Array.from(
    { length: count },
    (_, index) => index === 0 ? HOME : drawHead(draw, index),
  );
  for (let from = 0; from < count; from += atOnce) {
    yield heads.slice(from, from + atOnce).map((head, at) => {
      const nouns = shuffled(NOUNS, draw).slice(0, NOUNS_OF_PAGE);
      return {
        ...head,
        body: drawBody(draw, head.title, { nouns, others: heads }),
        tags: [...nouns.slice(0, 2), pick(draw, ADJECTIVES)],
        author: pick(draw, AUTHORS),
        writtenAt: new Date(FIRST_WRITTEN_MS + (from + at) * 3_600_000).toISOString(),
      };
    });
  }
}

/** Few enough that a search distinguishes pages. */
const NOUNS_OF_PAGE = 12;

const FIRST_WRITTEN_MS = Date.UTC(2024, 0, 1);

const HOME: PageHead = { slug: "home", section: "Safety", title: "Harbour handbook" };

/** The number makes the address unique. */
function drawHead(draw: Draw, index: number): PageHead {
  const words = [pick(draw, ADJECTIVES), pick(draw, NOUNS), pick(draw, NOUNS)];
  const [first, ...rest] = words.join(" ");
  return {
    slug: `${words.join("-")}-${index + 1}`,
    section: SECTIONS[index % SECTIONS.length],
    title: first.toUpperCase() + rest.join(""),
  };
}

function drawBody(draw: Draw, title: string, topic: Topic): string {
  const parts = [`# ${title}`, paragraphBlock(draw, topic)];
  const sections = draw(4, 8);
  for (let section = 1; section <= sections; section++) {
    const heading = makeSentence(draw, topic).slice(0, -1);
    parts.push(`${section % 3 === 0 ? "###" : "##"} ${heading}`, paragraphBlock(draw, topic));
    parts.push(pick(draw, BLOCKS)(draw, topic));
  }
  return parts.join("\n\n") + "\n";
}
