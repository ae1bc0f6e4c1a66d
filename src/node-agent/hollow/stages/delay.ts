/** How long after an object began to match a stage is applied. */
import { DurationParseError, parseDuration } from '../../../machinery/duration.ts';
import type { JsonObject, JsonValue } from '../../../machinery/value.ts';
import type { ExpressionSource, StageDelay } from './document.ts';
import { compileSource } from './expressions.ts';

export interface Moment {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** A number in [0, 1). */
  readonly random: () => number;
}

export type DelayOf = (object: JsonObject, moment: Moment) => number;

type Duration = (object: JsonObject, nowMs: number) => number | undefined;

/** @param takesSeconds plain numbers that an expression finds are seconds */
export function compileDelay(delay: StageDelay | undefined, takesSeconds: boolean): DelayOf {
  if (delay === undefined) return () => 0;
  const { durationMilliseconds = 0, jitterDurationMilliseconds, durationFrom, jitterDurationFrom } = delay;
  const duration = compileDuration(durationMilliseconds, durationFrom, takesSeconds);
  const jitter = compileDuration(jitterDurationMilliseconds, jitterDurationFrom, takesSeconds);
  return (object, { nowMs, random }) => {
    const least = duration(object, nowMs) ?? 0;
    const most = jitter(object, nowMs);
    if (most === undefined) return Math.max(0, least);
    return Math.max(0, most <= least ? most : least + Math.floor(random() * (most - least)));
  };
}

function compileDuration(
  fixed: number | undefined,
  source: ExpressionSource | undefined,
  takesSeconds: boolean,
): Duration {
  if (source === undefined) return () => fixed;
  const query = compileSource(source);
  return (object, nowMs) => {
    const [value] = query(object);
    if (value === undefined) return fixed;
    // An empty text is no delay, whatever the fixed one is.
    return value === '' ? undefined : (readDuration(value, nowMs, takesSeconds) ?? fixed);
  };
}

/** Undefined for what is neither a time nor a duration. */
function readDuration(value: JsonValue, nowMs: number, takesSeconds: boolean): number | undefined {
  if (takesSeconds && /^\d+(\.\d+)?$/.test(String(value))) return Number(value) * 1000;
  if (typeof value !== 'string') return undefined;
  const time = Date.parse(value);
  if (/^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(time)) return time - nowMs;
  try {
    return Number(parseDuration(value)) / 1e6;
  } catch (error) {
    if (error instanceof DurationParseError) return undefined;
    throw error;
  }
}
