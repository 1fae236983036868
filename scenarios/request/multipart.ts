/** Forms of several parts (multipart/form-data, RFC 7578), as browsers write them. Files are sent byte for byte. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import * as z from "zod";
import type { BodyPart } from "../../base/http/body.ts";
import { contentOf, type FileDigest, fileDigest, type Files } from "../../base/files.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import { inQuotes, writtenBesides } from "./template.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** The octets of a file. In JSON, a digest replaces them, because they may be many, or secret. */
class FileOctets {
  readonly #octets: Uint8Array<ArrayBuffer>;
  #part: BodyPart | null = null;

  constructor(readonly path: string, octets: Uint8Array<ArrayBuffer>) {
    this.#octets = octets;
  }

  get size(): number {
    return this.#octets.length;
  }

  /**
   * The octets as a part of a body. They are encoded only when they are sent, so that a form that is too large is
   * refused, with the names of its files, before that.
   */
  get part(): BodyPart {
    return this.#part ??= { base64: this.#octets.toBase64() };
  }

  toJSON(): FileDigest {
    return fileDigest(this.path, this.#octets);
  }
}

/** The text of a file in UTF-8, which may contain `{{ names }}` to fill in; the octets of any other file. */
export function textOrOctets(path: string, octets: Uint8Array<ArrayBuffer>): string | FileOctets {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    return new FileOctets(path, octets);
  }
}

const formValue = z.union([z.string(), z.number(), z.boolean()]);

/** The fields of a form without files, each with one value or a list. */
export const formSpec = z.record(z.string(), z.union([formValue, z.array(formValue)]));

const DEFAULT_TYPE = "application/octet-stream"; // RFC 7578 §4.4

/** A media type (RFC 9110 §8.3.1) that fits on one line in the head of a part. */
const mediaType = z.string().regex(
  /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+(?:;[\x20-\x7e]*)?$/i,
  {
    error: ({ input }) =>
      `Cannot use ${
        quotedOpenly(input)
      } as a type: write it as image/png or text/plain; charset=utf-8`,
  },
);

const filePart = (files: Files) =>
  z.strictObject({
    file: contentOf((path) => new FileOctets(path, files.octets(path))),
    type: mediaType.default(DEFAULT_TYPE).describe("Content-type of the file"),
    name: z.string().optional().describe(
      "Name of the file in the form: the file's own name when absent",
    ),
  });

/** The fields of a multipart form, each with one value or a list. */
export const multipartSpec = (files: Files) => {
  const field = z.union([formValue, filePart(files)]);
  return z.record(z.string(), z.union([field, z.array(field)]))
    .superRefine((form, context) => {
      const fields = fieldsOf(form);
      if (fields.length === 0) context.addIssue("Cannot send a form without fields: add one");
      if (!isWithin("formFields", fields.length)) {
        context.addIssue(`Cannot send this form: ${beyond("formFields", fields.length)}`);
      }
      const size = fields.reduce((sum, [name, field]) => sum + name.length + sizeOf(field), 0);
      if (!isWithin("body", size)) {
        context.addIssue(`Cannot send this form: ${beyond("body", size)}`);
      }
    });
};

type Multipart = z.output<ReturnType<typeof multipartSpec>>;
type FilePart = z.output<ReturnType<typeof filePart>>;
type FormField = z.output<typeof formValue> | FilePart;

function fieldsOf(form: Multipart): [name: string, field: FormField][] {
  return Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((field): [string, FormField] => [name, field])
  );
}

function sizeOf(field: FormField): number {
  return typeof field === "object" ? field.file.size : String(field).length;
}

/** The form's body and content-type. Equal forms always get the same boundary, which appears in none of their parts. */
export function multipartBody(form: Multipart): { type: string; body: BodyPart[] } {
  const fields = fieldsOf(form).map(([name, field]) => partOf(name, field));
  const boundary = boundaryOf(fields.flatMap(({ head, content }) => [head, content]));
  const body = fields.flatMap(({ head, content }, at): BodyPart[] => [
    { text: `${at === 0 ? "" : "\r\n"}--${boundary}\r\n` },
    head,
    content,
  ]);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: [...body, { text: `\r\n--${boundary}--\r\n` }],
  };
}

interface FormPart {
  readonly head: BodyPart;
  readonly content: BodyPart;
}

function partOf(name: string, field: FormField): FormPart {
  const disposition = `Content-Disposition: form-data; name="${quotable(name)}"`;
  if (typeof field !== "object") {
    return { head: { quoted: `${disposition}\r\n\r\n` }, content: { text: String(field) } };
  }
  const { file, type, name: filename = basename(file.path) } = field;
  const lines = [`${disposition}; filename="${quotable(filename)}"`, `Content-Type: ${type}`];
  return { head: { quoted: `${lines.join("\r\n")}\r\n\r\n` }, content: file.part };
}

function quotable(text: string): string {
  return writtenBesides(text, inQuotes);
}

/** A boundary made from a digest of the parts, so that no part contains it (RFC 2046 §5.1.1). */
function boundaryOf(parts: readonly BodyPart[]): string {
  return `plateau-${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40)}`;
}
