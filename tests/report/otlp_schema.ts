/**
 * ExportMetricsServiceRequest in OTLP's JSON encoding, written from opentelemetry-proto 1.x (collector/metrics/v1,
 * metrics/v1, common/v1, resource/v1): keys in lowerCamelCase, 64-bit integers as decimal strings, enums as their numbers.
 */
import * as z from "zod";

const uint64 = z.string().regex(/^\d{1,20}$/);
const int64 = z.string().regex(/^-?\d{1,19}$/);
const sint32 = z.int().min(-(2 ** 31)).max(2 ** 31 - 1);
const double = z.number();

const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: int64 }),
  z.strictObject({ doubleValue: double }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value: anyValue })).refine(
  (pairs) => new Set(pairs.map(({ key }) => key)).size === pairs.length,
  "Attribute keys must be unique",
);

type Attributes = z.output<typeof attributes>;

const times = { attributes, startTimeUnixNano: uint64, timeUnixNano: uint64 };

const numberDataPoint = z.union([
  z.strictObject({ ...times, asInt: int64 }),
  z.strictObject({ ...times, asDouble: double }),
]);

const buckets = z.strictObject({ offset: sint32, bucketCounts: z.array(uint64) });

const exponentialHistogramDataPoint = z.strictObject({
  ...times,
  count: uint64,
  sum: double.optional(),
  scale: sint32,
  zeroCount: uint64,
  positive: buckets,
  negative: buckets.optional(),
  min: double.optional(),
  max: double.optional(),
  zeroThreshold: double.optional(),
});

/** 1 is delta, 2 cumulative; 0, unspecified, must not be used. */
const aggregationTemporality = z.union([z.literal(1), z.literal(2)]);

const named = { name: z.string().min(1), description: z.string(), unit: z.string() };

const metric = z.union([
  z.strictObject({
    ...named,
    gauge: z.strictObject({ dataPoints: z.array(numberDataPoint).min(1) }),
  }),
  z.strictObject({
    ...named,
    sum: z.strictObject({
      dataPoints: z.array(numberDataPoint).min(1),
      aggregationTemporality,
      isMonotonic: z.boolean(),
    }),
  }),
  z.strictObject({
    ...named,
    exponentialHistogram: z.strictObject({
      dataPoints: z.array(exponentialHistogramDataPoint).min(1),
      aggregationTemporality,
    }),
  }),
]);

export const exportMetricsServiceRequest = z.strictObject({
  resourceMetrics: z.array(z.strictObject({
    resource: z.strictObject({ attributes }),
    scopeMetrics: z.array(z.strictObject({
      scope: z.strictObject({ name: z.string(), version: z.string() }),
      metrics: z.array(metric).min(1),
    })).min(1),
  })).min(1),
});

export type ExportRequest = z.output<typeof exportMetricsServiceRequest>;
type Point =
  | z.output<typeof numberDataPoint>
  | z.output<typeof exponentialHistogramDataPoint>;
export type HistogramPoint = z.output<typeof exponentialHistogramDataPoint>;

/** The texts of attributes by their keys. */
export function attributesOf(
  { attributes }: { readonly attributes: Attributes },
): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]),
  );
}

function metricsOf(requests: readonly ExportRequest[]): z.output<typeof metric>[] {
  return requests.flatMap(({ resourceMetrics }) => resourceMetrics)
    .flatMap(({ scopeMetrics }) => scopeMetrics).flatMap(({ metrics }) => metrics);
}

/** The points of a metric, with their attributes as texts. */
export function pointsOf(requests: readonly ExportRequest[], name: string): {
  readonly is: Record<string, string>;
  readonly value: number;
}[] {
  return metricsOf(requests).filter((metric) => metric.name === name).flatMap((metric) => {
    const points: readonly Point[] = "gauge" in metric
      ? metric.gauge.dataPoints
      : "sum" in metric
      ? metric.sum.dataPoints
      : metric.exponentialHistogram.dataPoints;
    return points.map((point) => ({
      is: attributesOf(point),
      value: "asInt" in point
        ? Number(point.asInt)
        : "asDouble" in point
        ? point.asDouble
        : Number(point.count),
    }));
  });
}

export function durationPoints(requests: readonly ExportRequest[]): HistogramPoint[] {
  return metricsOf(requests).flatMap((metric) =>
    "exponentialHistogram" in metric ? metric.exponentialHistogram.dataPoints : []
  );
}
