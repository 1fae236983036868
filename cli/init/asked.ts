/** The questions that `plateau init` asks on a terminal, to learn which server to measure and with which path. */
import { UserError } from "../../base/errors.ts";
import { type Folder, subjectsIn } from "./found.ts";
import { ofCommand, ofUrl } from "./given.ts";
import type { Subject } from "./subject.ts";

const UNANSWERED = {
  place: "plateau init",
  message: "Cannot write a file: the question was not answered",
  fix: "use --url, --command, --detect or --example to say what to measure",
};

/** A person at a terminal, who reads and answers. */
export interface Person {
  show(lines: readonly string[]): void;
  /** Asks a question and resolves with the typed line, without surrounding spaces; null at the end of the input. */
  answer(question: string): Promise<string | null>;
}

/**
 * Asks what to measure; null stands for the built-in example. Throws a UserError if the input ends before all questions
 * are answered.
 * @param path A path named by a flag, so that the person is not asked for one.
 */
export async function askedSubject(
  folder: Folder,
  person: Person,
  path?: string,
): Promise<Subject | null> {
  const withPath = async (subject: Subject): Promise<Subject> =>
    path === undefined ? { ...subject, ...await pathFrom(person, subject.path) } : subject;
  const choices: { about: string; make: () => Promise<Subject | null> }[] = [
    ...subjectsIn(folder).map((subject) => ({
      about: subject.about,
      make: () => withPath(subject),
    })),
    { about: "a server that is already running, by its URL", make: () => urlFrom(person) },
    {
      about: "a server that a command starts",
      make: async () => withPath(await commandFrom(folder, person)),
    },
    {
      about: "a built-in server: an example with every key explained",
      make: () => Promise.resolve(null),
    },
  ];
  person.show([
    "What do you want to measure?",
    ...choices.map(({ about }, at) => `  ${at + 1}  ${about}`),
  ]);
  const { make } = await valid(person, "Number [1]: ", (text) => {
    const chosen = choices[Number(text || "1") - 1];
    return chosen ?? `Cannot choose this: write a number from 1 to ${choices.length}`;
  });
  return await make();
}

function urlFrom(person: Person): Promise<Subject> {
  return valid(person, "URL, such as http://127.0.0.1:8080/: ", ofUrl);
}

function commandFrom(folder: Folder, person: Person): Promise<Subject> {
  return valid(
    person,
    "Command that starts it, such as node server.js ({port} becomes a free port): ",
    (line) => ofCommand(line, folder.name),
  );
}

function pathFrom(person: Person, usual: string): Promise<Pick<Subject, "path">> {
  return valid(
    person,
    `Path to request [${usual}]: `,
    (text) =>
      /^(?:\/[\x21-\x7e]*)?$/.test(text)
        ? { path: text || usual }
        : "Write a path that begins with /",
  );
}

/**
 * Asks the question again until the answer is valid.
 * @param read Returns what the answer means, or a message that says what is wrong with it.
 */
async function valid<T extends object>(
  person: Person,
  question: string,
  read: (text: string) => T | string,
): Promise<T> {
  while (true) {
    const text = await person.answer(question);
    if (text === null) throw new UserError([UNANSWERED]);
    const value = read(text);
    if (typeof value !== "string") return value;
    person.show([value]);
  }
}
