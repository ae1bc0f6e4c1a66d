/**
 * How far the number of pods may change at once: within the bounds of the autoscaler, as fast as its policies allow,
 * and not back and forth.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#configurable-scaling-behavior |
 *   Configurable scaling behavior}
 */
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../api/gen/types/autoscaling-v2.ts';

interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

interface Change {
  readonly replicas: number;
  readonly atMs: number;
}

/** What was recommended and done before; times by the clock of the process. */
export interface History {
  recommendations: Recommendation[];
  ups: Change[];
  downs: Change[];
}

export const newHistory = (currentReplicas: number, now: number): History => ({
  ...{ recommendations: [{ replicas: currentReplicas, atMs: now }], ups: [], downs: [] },
});

export interface LimitInput {
  readonly history: History;
  readonly current: number;
  readonly wanted: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  /** Of scaling down, where the autoscaler does not say. */
  readonly stabilizationMs: number;
  readonly now: number;
}

export interface Said {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface Limited {
  readonly replicas: number;
  readonly ableToScale: Said;
  readonly scalingLimited: Said;
}

/** Also notes the recommendation. */
export function limit(input: LimitInput): Limited {
  const stable = stabilized(input);
  const isStabilized = stable.replicas !== input.wanted;
  const { replicas, reason, message } =
    input.behavior === undefined
      ? withinBounds(input, stable.replicas)
      : withinRates(input, stable.replicas, input.behavior);
  return {
    replicas,
    ableToScale: isStabilized
      ? { status: 'True', reason: stable.reason, message: stable.message }
      : { status: 'True', reason: 'ReadyForNewScale', message: 'recommended size matches current size' },
    scalingLimited: { status: replicas === stable.replicas ? 'False' : 'True', reason, message },
  };
}

/** Policies count what was done in their period. */
export function noteChange(
  { history, behavior }: Pick<LimitInput, 'history' | 'behavior'>,
  by: number,
  now: number,
): void {
  if (behavior === undefined || by === 0) return;
  const rules = by > 0 ? behavior.scaleUp : behavior.scaleDown;
  const longestMs = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds = 0 }) => periodSeconds)) * 1000;
  const changes = by > 0 ? 'ups' : 'downs';
  history[changes] = history[changes].filter(({ atMs }) => atMs >= now - longestMs);
  history[changes].push({ replicas: Math.abs(by), atMs: now });
}

function stabilized({ history, current, wanted, behavior, stabilizationMs, now }: LimitInput): {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
} {
  const isUp = behavior !== undefined && wanted >= current;
  const windowOf = (rules: HPAScalingRules | undefined, otherwiseMs: number): number =>
    rules?.stabilizationWindowSeconds === undefined ? otherwiseMs : rules.stabilizationWindowSeconds * 1000;
  const downMs = windowOf(behavior?.scaleDown, stabilizationMs);
  const upMs = windowOf(behavior?.scaleUp, 0);
  const cutoff = now - (isUp ? upMs : downMs);
  const recent = history.recommendations.filter(({ atMs }) =>
    behavior === undefined ? atMs >= cutoff : atMs > cutoff,
  );
  const counts = [wanted, ...recent.map(({ replicas }) => replicas)];
  const obsolete = now - Math.max(behavior === undefined ? 0 : upMs, downMs);
  history.recommendations = history.recommendations.filter(({ atMs }) => atMs >= obsolete);
  history.recommendations.push({ replicas: wanted, atMs: now });
  const [direction, which, pick] = isUp
    ? (['lower', 'lowest', Math.min] as const)
    : (['higher', 'highest', Math.max] as const);
  return {
    replicas: pick(...counts),
    reason: isUp ? 'ScaleUpStabilized' : 'ScaleDownStabilized',
    message: `recent recommendations were ${direction} than current one, applying the ${which} recent recommendation`,
  };
}

interface Bounded {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

const within = (replicas: number): Bounded => ({
  ...{ replicas, reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' },
});
const bound = (replicas: number, reason: string, message: string): Bounded => ({
  ...{ replicas, reason, message: `the desired replica count is ${message}` },
});
const tooMany = 'more than the maximum replica count';
const tooFew = 'less than the minimum replica count';
const tooFastUp = 'increasing faster than the maximum scale rate';
const tooFastDown = 'decreasing faster than the maximum scale rate';

/** Twice as many at once, and four where there are fewer than two. */
const atOnce = (current: number): number => Math.max(2 * current, 4);

function withinBounds({ current, min, max }: LimitInput, wanted: number): Bounded {
  const fastest = atOnce(current);
  if (wanted < min) return bound(min, 'TooFewReplicas', tooFew);
  if (max > fastest && wanted > fastest) return bound(fastest, 'ScaleUpLimit', tooFastUp);
  return wanted > max ? bound(max, 'TooManyReplicas', tooMany) : within(wanted);
}

function withinRates(
  input: LimitInput,
  wanted: number,
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
): Bounded {
  const { history, current, min, max, now } = input;
  if (wanted > current) {
    const limitOf = Math.max(current, upLimit(current, history, scaleUp ?? {}, now));
    const isRate = max > limitOf;
    if (wanted > Math.min(max, limitOf))
      return isRate ? bound(limitOf, 'ScaleUpLimit', tooFastUp) : bound(max, 'TooManyReplicas', tooMany);
  } else if (wanted < current) {
    const limitOf = Math.min(current, downLimit(current, history, scaleDown ?? {}, now));
    const isRate = min < limitOf;
    if (wanted < Math.max(min, limitOf))
      return isRate ? bound(limitOf, 'ScaleDownLimit', tooFastDown) : bound(min, 'TooFewReplicas', tooFew);
  }
  return within(wanted);
}

/** Changes of both directions in the period: what it began with is known then. */
function startOfPeriod(current: number, { ups, downs }: History, periodSeconds: number, now: number): number {
  const recent = (changes: readonly Change[]): number =>
    changes.reduce((sum, { replicas, atMs }) => sum + (atMs > now - periodSeconds * 1000 ? replicas : 0), 0);
  return current - recent(ups) + recent(downs);
}

function upLimit(current: number, history: History, rules: HPAScalingRules, now: number): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const limits = (rules.policies ?? []).map(({ type, value = 0, periodSeconds = 0 }) => {
    const start = startOfPeriod(current, history, periodSeconds, now);
    return type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100));
  });
  return rules.selectPolicy === 'Min' ? Math.min(...limits) : Math.max(...limits);
}

function downLimit(current: number, history: History, rules: HPAScalingRules, now: number): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const limits = (rules.policies ?? []).map(({ type, value = 0, periodSeconds = 0 }) => {
    const start = startOfPeriod(current, history, periodSeconds, now);
    return type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100));
  });
  return rules.selectPolicy === 'Min' ? Math.max(...limits) : Math.min(...limits);
}
