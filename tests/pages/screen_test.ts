/** The picture of a terminal. */
import assert from "node:assert/strict";
import { toSvg } from "../../bench/pages/screen.ts";

const ESC = "\x1b";

Deno.test("toSvg() keeps columns, styles and characters of a terminal's screen", () => {
  const svg = toSvg(`${ESC}[1mRate${ESC}[0m    1 < 2\n${ESC}[32m██${ESC}[39m  &`, 20);
  const texts = [
    ...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+"(.*?)>(.*?)<\/text>/g),
  ]
    .map(([, x, y, look, text]) => [Number(x), Number(y), look.trim(), text]);
  assert.deepEqual(
    texts,
    [
      [14, 27.5, 'font-weight="bold"', "Rate"],
      [14 + 8 * 8.4, 27.5, "", "1 &lt; 2"],
      [14, 45.5, 'fill="#7ee787"', "██"],
      [14 + 4 * 8.4, 45.5, "", "&amp;"],
    ].map(([x, ...rest]) => [Number(Number(x).toFixed(1)), ...rest]),
  );
});
