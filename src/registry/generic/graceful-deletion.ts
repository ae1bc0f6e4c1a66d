/**
 * The two phases of a deletion: finalization, then removal. What a delete request does to one object.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-deletion | API Concepts: resource
 *   deletion}
 */
import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { timestamp } from './timestamp.ts';
import type { ResourceStrategy, StrategyContext } from '../strategy.ts';

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

/**
 * What becomes of the object: it goes now, it is written as finalizing, or nothing changes because that is under way.
 */
export type DeletionStep = 'remove' | 'mark' | 'markThenRemove' | 'pending';

export interface DeletionRules {
  readonly strategy: ResourceStrategy;
  readonly context: StrategyContext;
  readonly garbageCollection: boolean;
}

/** Decides the step and changes `object` accordingly (deletion timestamp, grace period, finalizers). */
export function applyDeletion(object: KubeObject, options: DeleteOptions, rules: DeletionRules): DeletionStep {
  const own = rules.strategy.beginDeletion?.(object, rules.context);
  if (own === 'pending') return own;
  if (own === 'mark') {
    setGarbageCollectionFinalizers(object, options, rules);
    return own;
  }
  const graceful = applyGrace(object, options, rules);
  if (graceful === 'pending') return 'pending';
  const meta = metaOf(object);
  setGarbageCollectionFinalizers(object, options, rules);
  const pendingFinalizers = (meta.finalizers?.length ?? 0) > 0;
  if (graceful === 'no') {
    if (!pendingFinalizers) return 'remove';
    markAsDeleting(object, rules.context.now);
    return 'mark';
  }
  return pendingFinalizers || Number(meta.deletionGracePeriodSeconds ?? 0) > 0 ? 'mark' : 'markThenRemove';
}

/** A negative period means one second, as upstream has it. */
const normalPeriod = (seconds: number | undefined): number | undefined =>
  seconds !== undefined && seconds < 0 ? 1 : seconds;

function applyGrace(
  object: KubeObject,
  options: DeleteOptions,
  { strategy, context }: DeletionRules,
): 'no' | 'yes' | 'pending' {
  if (strategy.gracePeriodSeconds === undefined) return 'no';
  const meta = metaOf(object);
  const requested = normalPeriod(options.gracePeriodSeconds);
  if (meta.deletionTimestamp !== undefined) return shortenGrace(object, requested);
  const period = strategy.gracePeriodSeconds(object, requested, context);
  if (period === undefined) return 'no';
  meta.deletionTimestamp = timestamp(new Date(context.now.getTime() + period * 1000));
  meta.deletionGracePeriodSeconds = period;
  bumpGeneration(object);
  return 'yes';
}

/** A deletion that is under way can only be made shorter. */
function shortenGrace(object: KubeObject, requested: number | undefined): 'no' | 'yes' | 'pending' {
  const meta = metaOf(object);
  if (meta.deletionGracePeriodSeconds === undefined) return 'no';
  const current = Number(meta.deletionGracePeriodSeconds);
  if (requested === undefined || requested >= current) return 'pending';
  meta.deletionTimestamp = timestamp(new Date(Date.parse(meta.deletionTimestamp!) + (requested - current) * 1000));
  meta.deletionGracePeriodSeconds = requested;
  return 'yes';
}

function markAsDeleting(object: KubeObject, now: Date): void {
  const meta = metaOf(object);
  // Generation counts the start of the deletion once; controllers look again then.
  if (meta.deletionTimestamp === undefined) bumpGeneration(object);
  if (meta.deletionTimestamp === undefined || Date.parse(meta.deletionTimestamp) > now.getTime())
    meta.deletionTimestamp = timestamp(now);
  meta.deletionGracePeriodSeconds = 0;
}

function bumpGeneration(object: KubeObject): void {
  const meta = metaOf(object);
  if (Number(meta.generation ?? 0) > 0) meta.generation = Number(meta.generation) + 1;
}

function setGarbageCollectionFinalizers(
  object: KubeObject,
  options: DeleteOptions,
  { strategy, garbageCollection }: DeletionRules,
): void {
  if (!garbageCollection) return;
  const meta = metaOf(object);
  const current = meta.finalizers ?? [];
  const wanted = current.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  if (shouldOrphan(current, options, strategy)) wanted.push(orphanFinalizer);
  if (shouldDeleteForeground(current, options, strategy)) wanted.push(foregroundFinalizer);
  const before = new Set(current);
  if (wanted.length === current.length && wanted.every((finalizer) => before.has(finalizer))) return;
  if (wanted.length === 0) delete meta.finalizers;
  else meta.finalizers = wanted;
}

function shouldOrphan(finalizers: readonly string[], options: DeleteOptions, strategy: ResourceStrategy): boolean {
  if (strategy.defaultGarbageCollection === 'unsupported') return false;
  if (options.orphanDependents !== undefined) return options.orphanDependents;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Orphan';
  if (finalizers.includes(orphanFinalizer)) return true;
  if (finalizers.includes(foregroundFinalizer)) return false;
  return strategy.defaultGarbageCollection === 'orphan';
}

function shouldDeleteForeground(
  finalizers: readonly string[],
  options: DeleteOptions,
  strategy: ResourceStrategy,
): boolean {
  if (strategy.defaultGarbageCollection === 'unsupported' || options.orphanDependents !== undefined) return false;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Foreground';
  return finalizers.includes(foregroundFinalizer);
}
