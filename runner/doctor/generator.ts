/** Checks of the load generator itself: its clock, and how fast it is here. */
import {
  advise,
  type CheckResult,
  countText,
  type DoctorCheck,
  ok,
  threeDigitsText,
  unknown,
} from "./check.ts";

/** Times are kept to the microsecond. */
const COARSE_US = 1;
/** Clocks that are read through a device, in a microsecond or more. */
const SLOW_SOURCES = ["hpet", "acpi_pm", "jiffies"];

export const clockCheck: DoctorCheck = {
  title: "Clock",
  run({ clock: { stepUs, source } }): CheckResult {
    const from = source === null ? "" : `, from ${source}`;
    const found = `steps of ${threeDigitsText(stepUs)} µs${from}`;
    if (source !== null && SLOW_SOURCES.includes(source)) {
      return advise(found, "it takes long to read: let the kernel use tsc, or another machine");
    }
    if (stepUs <= COARSE_US) return ok(found);
    return advise(found, "times that differ by less can't be told apart: use another machine");
  },
};

export const driverCheck: DoctorCheck = {
  title: "Driver",
  run({ driver: { driver, note } }): CheckResult {
    return note === null ? ok(driver) : advise(driver, note);
  },
};

export const generatorCheck: DoctorCheck = {
  title: "Generator",
  run({ calibration }): CheckResult {
    if (calibration === null) return unknown("it could not be calibrated");
    const { ceiling, floor } = calibration;
    return ok(
      `at most ${countText(ceiling)} requests/s with one worker, ${threeDigitsText(floor)} ms ` +
        "at the least, against a server that does nothing",
    );
  },
};
