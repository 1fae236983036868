/** What the wiki's pages are made of: the handbook of a harbour, in words that fit each other. */

export const SECTIONS = [
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

export const NOUNS = words(`
  anchor backup barge beacon berth bollard bridge buoy cable captain chart checklist clerk
  compass container crane current deck depth dock draught engine fender ferry forecast form
  gangway harbour hatch hull inspector invoice jetty keel ladder lantern lighthouse lock log
  manifest mast mooring net office permit pilot pontoon port propeller pump quay radio ramp
  report rope rudder schedule seal shift signal slipway storm tender terminal tide timetable
  tugboat valve vessel warehouse watch winch yard`);

export const ADJECTIVES = words(`
  abandoned accurate ancient annual automatic busy calm cautious central coastal common complete
  daily double early eastern empty external final foreign former heavy hourly important inner
  late local long manual medium narrow new northern official old outer painted private quiet
  red regular reliable remote rusty second silent slow small southern spare steady temporary
  tidal urgent western wooden yearly`);

/** As in "the pilot … the quay". */
export const VERBS = words(`
  blocks checks clears closes confirms controls delays doubles enters expects fills follows
  guards guides holds inspects lifts loads lowers marks measures moves needs notes opens orders
  passes prepares protects reaches records releases repairs replaces reports requires secures
  signals stops tests tows turns watches`);

/** As in "To … the quay". */
export const TASKS = words(`
  block check clear close confirm control enter fill follow guard guide inspect lift load lower
  mark measure move open order pass prepare protect reach record release repair replace report
  secure signal stop test tow turn watch`);

export const MANNERS = [
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

export const AUTHORS = ["ada", "bela", "chidi", "dora", "emil", "farah", "goro", "hanne"] as const;
