/**
 * Generates the wiki's initial pages. Equal seeds give the same bytes. A page has about 4 KB of markdown in several
 * kinds of blocks, and links to other pages.
 */
import { type Draw, drawBy, shuffled } from "../../../base/random.ts";
import type { Draft, PageHead } from "./pages.ts";

/** Generates all pages in batches of `atOnce`. The first is `home`; each is dated one hour after the page before it. */
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

/** The number of nouns used on one page: few enough that a search does not match most pages. */
const NOUNS_OF_PAGE = 12;

const FIRST_WRITTEN_MS = Date.UTC(2024, 0, 1);

const HOME: PageHead = { slug: "home", section: "Safety", title: "Harbour handbook" };

/** Draws the title and the slug of a page; the index makes the slug unique. */
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

// Random blocks of markdown, of the kinds that people write in wikis. All words are from the
// handbook of a harbour, so that they fit together.

/** What a page is about. */
interface Topic {
  readonly nouns: readonly string[];
  /** The pages that this page may link to. */
  readonly others: readonly PageHead[];
}

type MarkdownBlock = (draw: Draw, topic: Topic) => string;

function pick<T>(draw: Draw, choices: readonly T[]): T {
  return choices[draw(0, choices.length - 1)];
}

function several<T>(draw: Draw, [least, most]: [number, number], make: (at: number) => T): T[] {
  return Array.from({ length: draw(least, most) }, (_, index) => make(index + 1));
}

function makeSentence(draw: Draw, { nouns }: Topic): string {
  const thing = (): string => pick(draw, nouns);
  const kind = (): string => `${pick(draw, ADJECTIVES)} ${thing()}`;
  const does = (): string => `${pick(draw, VERBS)} the ${thing()}`;
  const manner = (): string => pick(draw, MANNERS);
  const forms = [
    () => `The ${kind()} ${does()} ${manner()}.`,
    () => `No ${thing()} ${does()} ${manner()}.`,
    () => `When the ${thing()} ${does()}, the ${kind()} ${does()}.`,
    () => `To ${pick(draw, TASKS)} the ${kind()}, ${pick(draw, TASKS)} the ${thing()} ${manner()}.`,
    () => `Each ${thing()} ${does()}, and the ${thing()} ${does()} ${manner()}.`,
    () => `Where the ${kind()} ${does()}, every ${thing()} ${does()} ${manner()}.`,
  ];
  return pick(draw, forms)();
}

const paragraphBlock: MarkdownBlock = (draw, topic) => {
  const sentences = several(draw, [3, 6], () => makeSentence(draw, topic));
  sentences.splice(draw(1, sentences.length), 0, `See **${link(draw, topic)}**.`);
  return sentences.map((sentence) => marked(draw, sentence)).join(" ");
};

/** Marks one word of the sentence with emphasis, code or strike-through, or leaves the sentence as it is. */
function marked(draw: Draw, sentence: string): string {
  const mark = pick(draw, ["", "", "", "*", "`", "~~"]);
  return mark === "" ? sentence : sentence.replace(/(?<=\bthe )[a-z]+/, `${mark}$&${mark}`);
}

const link = (draw: Draw, { others }: Topic): string => {
  const { title, slug } = pick(draw, others);
  return `[${title}](/page/${slug})`;
};

const bullets: MarkdownBlock = (draw, topic) =>
  several(draw, [3, 6], () => {
    const under = several(draw, [0, 2], () => `\n  - ${makeSentence(draw, topic)}`).join("");
    return `- ${makeSentence(draw, topic)} ${link(draw, topic)}${under}`;
  }).join("\n");

const steps: MarkdownBlock = (draw, topic) =>
  several(draw, [4, 8], (at) => `${at}. ${makeSentence(draw, topic)}`).join("\n");

const tasks: MarkdownBlock = (draw, topic) =>
  several(draw, [3, 7], () => `- [${pick(draw, ["x", " "])}] ${makeSentence(draw, topic)}`).join(
    "\n",
  );

const quote: MarkdownBlock = (draw, topic) =>
  several(draw, [2, 4], () => `> ${makeSentence(draw, topic)}`).join("\n>\n");

const table: MarkdownBlock = (draw, topic) => {
  const rows = several(draw, [4, 10], () => {
    const [depth, state] = [draw(10, 250) / 10, pick(draw, ["open", "closed", "*unknown*"])];
    return `| ${link(draw, topic)} | ${depth.toFixed(1)} | ${state} | ${pick(draw, MANNERS)} |`;
  });
  return ["| Place | Depth (m) | State | When |", "| --- | ---: | :---: | --- |", ...rows].join(
    "\n",
  );
};

const configuration: MarkdownBlock = (draw, topic) => {
  const entries = several(draw, [3, 6], () => {
    const [name, kind] = [pick(draw, topic.nouns), pick(draw, ADJECTIVES)];
    return `${name}:\n  kind: ${kind}\n  depth: ${draw(1, 40)}\n  open: ${draw(0, 1) === 1}`;
  });
  return ["```yaml", ...entries, "```"].join("\n");
};

const program: MarkdownBlock = (draw, topic) => {
  const [noun, other, task] = [pick(draw, topic.nouns), pick(draw, topic.nouns), pick(draw, TASKS)];
  return [
    "```ts",
    `function ${task}(${noun}: Map<string, number>): number {`,
    "  let sum = 0;",
    `  for (const [name, ${other}] of ${noun}) {`,
    `    if (name !== "${pick(draw, ADJECTIVES)}" && ${other} < ${draw(2, 99)}) sum += ${other};`,
    "  }",
    "  return sum;",
    "}",
    "```",
  ].join("\n");
};

const commands: MarkdownBlock = (draw, topic) => {
  const lines = several(
    draw,
    [2, 5],
    () => `harbour ${pick(draw, TASKS)} --${pick(draw, topic.nouns)} ${draw(1, 99)} | sort -n`,
  );
  return ["```sh", ...lines, "```"].join("\n");
};

const BLOCKS: readonly MarkdownBlock[] = [
  paragraphBlock,
  bullets,
  steps,
  tasks,
  quote,
  table,
  configuration,
  program,
  commands,
];

const SECTIONS = [
  "Berths",
  "Buoys and lights",
  "Cargo",
  "Cranes",
  "Crew",
  "Customs",
  "Dredging",
  "Emergencies",
  "Ferries",
  "Forms",
  "History",
  "Pilots",
  "Radio",
  "Safety",
  "Software",
  "Tides",
  "Tugs",
  "Weather",
] as const;

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const NOUNS = words(`
  anchor backup barge beacon berth bollard bridge buoy cable captain chart checklist clerk
  compass container crane current deck depth dock draught engine fender ferry forecast form
  gangway harbour hatch hull inspector invoice jetty keel ladder lantern lighthouse lock log
  manifest mast mooring net office permit pilot pontoon port propeller pump quay radio ramp
  report rope rudder schedule seal shift signal slipway storm tender terminal tide timetable
  tugboat valve vessel warehouse watch winch yard`);

const ADJECTIVES = words(`
  abandoned accurate ancient annual automatic busy calm cautious central coastal common complete
  daily double early eastern empty external final foreign former heavy hourly important inner
  late local long manual medium narrow new northern official old outer painted private quiet
  red regular reliable remote rusty second silent slow small southern spare steady temporary
  tidal urgent western wooden yearly`);

/** Verbs for sentences such as "the pilot checks the quay". */
const VERBS = words(`
  blocks checks clears closes confirms controls delays doubles enters expects fills follows
  guards guides holds inspects lifts loads lowers marks measures moves needs notes opens orders
  passes prepares protects reaches records releases repairs replaces reports requires secures
  signals stops tests tows turns watches`);

/** Verbs for sentences such as "To check the quay". */
const TASKS = words(`
  block check clear close confirm control enter fill follow guard guide inspect lift load lower
  mark measure move open order pass prepare protect reach record release repair replace report
  secure signal stop test tow turn watch`);

const MANNERS = [
  "after dark",
  "at high water",
  "at low water",
  "before the ebb",
  "before the first shift",
  "by hand",
  "during a gale",
  "every other week",
  "from the bridge",
  "in both directions",
  "in thick fog",
  "in winter",
  "near the breakwater",
  "on request",
  "on the hour",
  "once a day",
  "outside the port limits",
  "twice a year",
  "under supervision",
  "unless the wind turns",
  "with due care",
  "without delay",
] as const;

const AUTHORS = ["ada", "bela", "chidi", "dora", "emil", "farah", "goro", "hanne"] as const;
