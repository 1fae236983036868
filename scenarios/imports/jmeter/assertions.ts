/** Response Assertions of a JMeter plan → what is expected of a response here. */
import type { PlanElement } from "./elements.ts";

// Bits of Assertion.test_type (org.apache.jmeter.assertions.ResponseAssertion).
const NOT = 4;
const EQUALS = 8;
const SUBSTRING = 16;
const OR = 32;

const STATUS = "Assertion.response_code";
const BODY = "Assertion.response_data";

interface Expected {
  readonly status?: number | number[];
  readonly contains?: string;
}

/** Null where nothing is; an assertion without an equal is left out with a note. */
export function expectationOf(
  assertions: readonly PlanElement[],
  note: (text: string) => void,
): Expected | null {
  let expected: Expected = {};
  for (const assertion of assertions) {
    const more = expectedBy(assertion);
    const isNew = more !== null && Object.keys(more).every((key) => !Object.hasOwn(expected, key));
    if (isNew) expected = { ...expected, ...more };
    else note(`without ${assertion.called}`);
  }
  return Object.keys(expected).length === 0 ? null : expected;
}

function expectedBy(assertion: PlanElement): Expected | null {
  const kind = Number(assertion.text("Assertion.test_type"));
  const texts = assertion.texts("Asserion.test_strings"); // spelt so in every plan
  const field = assertion.text("Assertion.test_field");
  const isPlain = (kind & NOT) === 0 && texts.length > 0 &&
    !texts.some((text) => /\$\{|\{\{/.test(text));
  if (!isPlain) return null;
  if (field === BODY && (kind & SUBSTRING) !== 0 && texts.length === 1) {
    return { contains: texts[0] };
  }
  const isStatus = field === STATUS && (kind & EQUALS) !== 0 &&
    (texts.length === 1 || (kind & OR) !== 0) && texts.every((text) => /^[1-5]\d\d$/.test(text));
  if (!isStatus) return null;
  return { status: texts.length === 1 ? Number(texts[0]) : texts.map(Number) };
}
