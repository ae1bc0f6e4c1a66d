/** When a resource of the node is short, and how long that lasts. Pure. */
import { amountOf } from '../config/thresholds.ts';

export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = ReadonlyMap<string, Observation>;

export interface ThresholdSettings {
  readonly hard: Readonly<Record<string, string>>;
  readonly soft: Readonly<Record<string, string>>;
  /** Milliseconds by signal. */
  readonly softGraceMs: Readonly<Record<string, number>>;
  readonly minimumReclaim: Readonly<Record<string, string>>;
  readonly pressureTransitionMs: number;
}

export interface Threshold {
  /** `memory.available` */
  readonly signal: string;
  readonly isHard: boolean;
  /** As it is written: a quantity or a percentage. */
  readonly text: string;
  readonly bytes: number;
  readonly available: number;
}

export type Pressure = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

const pressureOf = (signal: string): Pressure =>
  signal.startsWith('memory') ? 'MemoryPressure' : signal.startsWith('pid') ? 'PIDPressure' : 'DiskPressure';

export interface ThresholdState {
  /** Since when each threshold is met without a break, by its key. */
  readonly metSinceMs: ReadonlyMap<string, number>;
  /** When each condition was seen last. */
  readonly seenMs: ReadonlyMap<Pressure, number>;
}

export const noThresholdState: ThresholdState = { metSinceMs: new Map(), seenMs: new Map() };

export interface Judgement {
  /** What pods are evicted for, the most urgent first. */
  readonly met: readonly Threshold[];
  readonly pressures: readonly Pressure[];
  readonly state: ThresholdState;
}

export function judge(
  observations: Observations,
  settings: ThresholdSettings,
  before: ThresholdState,
  nowMs: number,
): Judgement {
  const all = [...thresholdsOf(settings.hard, true), ...thresholdsOf(settings.soft, false)];
  const metSinceMs = new Map<string, number>();
  const seenMs = new Map(before.seenMs);
  const met: Threshold[] = [];
  for (const { signal, text, isHard } of all) {
    const observed = observations.get(signal);
    if (observed === undefined) continue;
    const key = `${isHard ? 'hard' : 'soft'} ${signal}`;
    const bytes = amountOf(text, observed.capacity);
    const wasMet = before.metSinceMs.has(key);
    // What was met is over when the minimum is reclaimed as well.
    const extra = wasMet ? amountOf(settings.minimumReclaim[signal] ?? '0', observed.capacity) : 0;
    if (observed.available >= bytes + extra) continue;
    const since = before.metSinceMs.get(key) ?? nowMs;
    metSinceMs.set(key, since);
    const graceMs = isHard ? 0 : (settings.softGraceMs[signal] ?? 0);
    if (nowMs - since < graceMs) continue;
    seenMs.set(pressureOf(signal), nowMs);
    met.push({ signal, isHard, text, bytes, available: observed.available });
  }
  const pressures = [...seenMs].filter(([, at]) => at === nowMs || nowMs - at < settings.pressureTransitionMs);
  met.sort((a, b) => Number(a.signal.startsWith('memory') ? 0 : 1) - Number(b.signal.startsWith('memory') ? 0 : 1));
  return { met, pressures: pressures.map(([pressure]) => pressure), state: { metSinceMs, seenMs } };
}

const thresholdsOf = (texts: Readonly<Record<string, string>>, isHard: boolean) =>
  Object.entries(texts).map(([signal, text]) => ({ signal, text, isHard }));
