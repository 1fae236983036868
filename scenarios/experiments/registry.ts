/** The text of each built-in experiment, by name. */
import coldInstance from "./cold-instance.yaml" with { type: "text" };
import generators from "./generators.yaml" with { type: "text" };
import kuffelWalter from "./kuffel-walter.yaml" with { type: "text" };
import quick from "./quick.yaml" with { type: "text" };
import scicatBaseline from "./scicat-baseline.yaml" with { type: "text" };
import siteCaching from "./site-caching.yaml" with { type: "text" };
import streams from "./streams.yaml" with { type: "text" };
import turbofan from "./turbofan.yaml" with { type: "text" };
import userEndpoint from "./user-endpoint.yaml" with { type: "text" };
import wikiCaching from "./wiki-caching.yaml" with { type: "text" };
import wikiUsers from "./wiki-users.yaml" with { type: "text" };

/** The demo first, then the experiments in the order in which docs/studies.md lists them. */
export const experiments: Readonly<Record<string, string>> = {
  quick,
  "wiki-caching": wikiCaching,
  "wiki-users": wikiUsers,
  "scicat-baseline": scicatBaseline,
  "user-endpoint": userEndpoint,
  "site-caching": siteCaching,
  "kuffel-walter": kuffelWalter,
  turbofan,
  "cold-instance": coldInstance,
  generators,
  streams,
};
