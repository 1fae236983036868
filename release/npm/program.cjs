// Finds the program of this machine, which is in a package of its own.
"use strict";

const SYSTEMS = { linux: "linux", darwin: "macos", win32: "windows" };
const PLATFORM = `${SYSTEMS[process.platform] || process.platform}-${process.arch}`;
const NAME = process.platform === "win32" ? "plateau.exe" : "plateau";

exports.PLATFORM = PLATFORM;

/** The full path of the program. Throws an Error whose message says what to do. */
exports.programPath = () => {
  const name = `@plateau/${PLATFORM}`;
  if (!(name in require("./package.json").optionalDependencies)) {
    throw new Error(`Cannot run here: Plateau has no program for ${PLATFORM}`);
  }
  try {
    return require.resolve(`${name}/${NAME}`);
  } catch {
    const isMusl = process.platform === "linux" &&
      !process.report.getReport().header.glibcVersionRuntime;
    throw new Error(
      isMusl
        ? "Cannot run here: Plateau needs glibc 2.27 or later, and this system has musl"
        : `Cannot find ${name}: install it beside plateau, without --omit=optional`,
    );
  }
};
