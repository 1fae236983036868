/** JMeter plans in the making, for the tests of what they become. */

export const SERVER = '<stringProp name="HTTPSampler.domain">a</stringProp>';
export const FOR_A_SECOND = `<boolProp name="ThreadGroup.scheduler">true</boolProp>
<stringProp name="ThreadGroup.duration">1</stringProp>
<elementProp name="ThreadGroup.main_controller"><intProp name="LoopController.loops">-1</intProp></elementProp>`;

export function sampler(inner = "", below = ""): string {
  return `<HTTPSamplerProxy testname="s">${SERVER}${inner}</HTTPSamplerProxy><hashTree>${below}</hashTree>`;
}

export function planOf(elements: string, group = FOR_A_SECOND, beside = ""): string {
  return `<jmeterTestPlan><hashTree><TestPlan testname="p"/><hashTree>${beside}
<ThreadGroup testname="g">${group}</ThreadGroup><hashTree>
${elements}
</hashTree></hashTree></hashTree></jmeterTestPlan>`;
}

/** A plan whose thread groups follow one another. */
export function serial(inner: string): string {
  return `<jmeterTestPlan><hashTree><TestPlan><boolProp name="TestPlan.serialize_threadgroups">true</boolProp></TestPlan>
<hashTree>${inner}</hashTree></hashTree></jmeterTestPlan>`;
}

/** A thread group. */
export function threads(name: string, inner: string): string {
  return `<ThreadGroup testname="${name}">${FOR_A_SECOND}</ThreadGroup><hashTree>${inner}</hashTree>`;
}

/** A file of users. */
export function rows(filename: string): string {
  return element(
    "CSVDataSet",
    `<stringProp name="filename">${filename}</stringProp><boolProp name="recycle">true</boolProp>
<stringProp name="variableNames">user</stringProp>`,
  );
}

export const element = (kind: string, inner = ""): string =>
  `<${kind} testname="x">${inner}</${kind}><hashTree/>`;
export const PATH = (path: string): string =>
  `<stringProp name="HTTPSampler.path">${path}</stringProp>`;
export const METHOD = (method: string): string =>
  `<stringProp name="HTTPSampler.method">${method}</stringProp>`;
export const UUID_PATH = PATH("/${__UUID()}");

export function headers(...fields: readonly (readonly [name: string, value: string])[]): string {
  const members = fields.map(([name, value]) =>
    `<elementProp><stringProp name="Header.name">${name}</stringProp>
<stringProp name="Header.value">${value}</stringProp></elementProp>`
  );
  const all = `<collectionProp name="HeaderManager.headers">${members.join("\n")}</collectionProp>`;
  return element("HeaderManager", all);
}

export function defined(name: string, value: string, more = ""): string {
  return `<collectionProp name="Arguments.arguments"><elementProp>
<stringProp name="Argument.name">${name}</stringProp><stringProp name="Argument.value">${value}</stringProp>
${more}</elementProp></collectionProp>`;
}

export function parameters(
  ...all: readonly (readonly [name: string, value: string, more?: string])[]
): string {
  const members = all.map((one) => defined(...one).replaceAll(/<\/?collectionProp[^>]*>/g, ""));
  return `<elementProp name="HTTPsampler.Arguments"><collectionProp name="Arguments.arguments">
${members.join("")}</collectionProp></elementProp>`;
}

export function looped(inner: string): string {
  return `<LoopController testname="l"><stringProp name="LoopController.loops">2</stringProp></LoopController>
<hashTree>${inner}</hashTree>`;
}

export const defaults = (inner: string): string =>
  `<ConfigTestElement guiclass="HttpDefaultsGui" testname="x">${inner}</ConfigTestElement><hashTree/>`;
export const LOOPS = (loops: number): string =>
  `<elementProp name="ThreadGroup.main_controller"><intProp name="LoopController.loops">${loops}</intProp></elementProp>`;
