/** A script of k6, for the tests of what it becomes. */
const HEAD = 'import http from "k6/http";\nimport { sleep, check } from "k6";\n';
export const OPTIONS = 'export const options = { vus: 2, duration: "1s" };\n';

/** Whose iteration is `body`, from its fifth line on where the options take one. */
export function walked(body: string, options = OPTIONS): string {
  return `${HEAD}${options}export default function () {\n${body}\n}\n`;
}
