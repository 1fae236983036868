/** Checks of the load generator itself: its clock, and how fast it is here. */
import { advise, type Check, countText, figureText, type Judgement, ok, unknown } from "./check.ts";

/** Times are kept to the microsecond. */
const COARSE_US = 1;
/** Clocks that are read through a device, in a microsecond or more. */
const SLOW_SOURCES = ["hpet", "acpi_pm", "jiffies"];

export const clock: Check = {
  title: "Clock",
  judge({ clock: { stepUs, source } }): Judgement {
    const from = source === null ? "" : `, from ${source}`;
    const found = `steps of ${figureText(stepUs)} µs${from}`;
    if (source !== null && SLOW_SOURCES.includes(source)) {
      return advise(found, "it takes long to read: let the kernel use tsc, or another machine");
    }
    if (stepUs <= COARSE_US) return ok(found);
    return advise(found, "times that differ by less can't be told apart: use another machine");
  },
};

export const driver: Check = {
  title: "Driver",
  judge({ driver: { driver, note } }): Judgement {
    return note === null ? ok(driver) : advise(driver, note);
  },
};

export const generator: Check = {
  title: "Generator",
  judge({ calibration }): Judgement {
    if (calibration === null) return unknown("it could not be calibrated");
    const { peakThroughput, baselineLatency } = calibration;
    return ok(
      `at most ${countText(peakThroughput)} requests/s with one worker, ${
        figureText(baselineLatency)
      } ms ` +
        "at the least, against a server that does nothing",
    );
  },
};
