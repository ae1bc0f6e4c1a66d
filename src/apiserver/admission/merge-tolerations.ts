import { keyOf } from '../../api/meta/checks.ts';
import type { Toleration } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';

/**
 * Both lists, less what another one covers; of those that cover each other the last stays.
 * What could cover a toleration is looked up: pods and runtime classes may have tens of thousands.
 */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const widest = new Map<string, Widest>();
  for (const [index, toleration] of all.entries()) {
    const key = bucketOf(toleration.key, toleration.effect, toleration);
    const found = widest.get(key);
    const isWider = found === undefined || secondsOf(toleration) > found.seconds;
    if (isWider || (secondsOf(toleration) === found.seconds && !isEqual(toleration, all[found.index])))
      widest.set(key, { seconds: secondsOf(toleration), index });
  }
  return all.filter((toleration, index) => !isCovered(toleration, index, widest));
}

/**
 * Of the tolerations of a bucket the one that lasts longest; of several the last, and of equal ones in a row the first.
 */
interface Widest {
  readonly seconds: number;
  readonly index: number;
}

function isCovered(toleration: Toleration, index: number, widest: ReadonlyMap<string, Widest>): boolean {
  const { key, effect, operator = 'Equal' } = toleration;
  for (const wideKey of key === undefined ? [key] : [key, undefined]) {
    for (const wideEffect of effect === undefined ? [effect] : [effect, undefined]) {
      for (const by of [{ operator: 'Exists' as const }, ...(operator === 'Equal' ? [toleration] : [])]) {
        // Without a key all are meant only by one that has no value to compare.
        if (wideKey !== key && by.operator !== 'Exists') continue;
        const found = widest.get(bucketOf(wideKey, wideEffect, by));
        if (found === undefined || found.index === index) continue;
        // What ends is covered by what ends no sooner; where others do not end, seconds mean nothing.
        if (wideEffect === 'NoExecute' && found.seconds < secondsOf(toleration)) continue;
        return true;
      }
    }
  }
  return false;
}

/** What a toleration covers, but for how long: a key, an effect, and any value or one. */
const bucketOf = (
  key: string | undefined,
  effect: string | undefined,
  { operator, value }: Pick<Toleration, 'operator' | 'value'>,
): string =>
  keyOf(
    key ?? '',
    effect ?? '',
    operator === 'Exists' ? 'Exists' : 'Equal',
    operator === 'Exists' ? '' : (value ?? ''),
  );

/** For ever without seconds. Other effects than NoExecute have nothing that ends. */
const secondsOf = ({ effect, tolerationSeconds }: Toleration): number =>
  effect !== 'NoExecute' || tolerationSeconds === undefined ? Infinity : Number(tolerationSeconds);

/** The longest that the allowed tolerations of each bucket last. */
export type AllowedTolerations = ReadonlyMap<string, number>;

/** For {@link areAllowed}: pods are compared with it, and not with the list. */
export function allowedTolerations(list: readonly Toleration[]): AllowedTolerations {
  const allowed = new Map<string, number>();
  for (const toleration of list) {
    const bucket = bucketOf(toleration.key, toleration.effect, toleration);
    allowed.set(bucket, Math.max(allowed.get(bucket) ?? 0, secondsOf(toleration)));
  }
  return allowed;
}

/** Whether each of the tolerations is covered by one that is allowed. */
export const areAllowed = (tolerations: readonly Toleration[], allowed: AllowedTolerations): boolean =>
  tolerations.every((toleration) => {
    const { key, effect, operator = 'Equal' } = toleration;
    const exists = { operator: 'Exists' } as const;
    const lasts = (wideKey: string | undefined, by: Pick<Toleration, 'operator' | 'value'>): boolean =>
      [effect, undefined].some((wideEffect) => {
        const longest = allowed.get(bucketOf(wideKey, wideEffect, by));
        return longest !== undefined && (wideEffect !== 'NoExecute' || longest >= secondsOf(toleration));
      });
    return lasts(key, exists) || lasts(undefined, exists) || (operator === 'Equal' && lasts(key, toleration));
  });
