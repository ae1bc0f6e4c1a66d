import { isEqual } from '../../machinery/equal.ts';
import { asJson, type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { refusal, warnOf } from './before-create.ts';
import { validateCommonUpdate } from './common-fields.ts';
import type { ResourceStrategy } from '../strategy.ts';
import { wasPruned } from './pruned-objects.ts';
import type { ResourceRules } from './resource-rules.ts';
import type { WriteRequest } from './write.ts';
import { FieldErrors, TooManyErrors } from '../../machinery/field-errors.ts';

/**
 * Prepares a changed object to replace `old`, or throws 422 with its errors. For most kinds that is one step.
 */
export function* prepareForUpdate(
  object: KubeObject,
  old: KubeObject,
  rules: ResourceRules,
  request: WriteRequest,
): Generator<void, void> {
  try {
    yield* prepare(object, old, rules, request);
  } catch (error) {
    throw error instanceof TooManyErrors ? refusal(error, object, rules) : error;
  }
}

function* prepare(
  object: KubeObject,
  old: KubeObject,
  rules: ResourceRules,
  request: WriteRequest,
): Generator<void, void> {
  const strategy = rules.strategyOf(request.subresource);
  const meta = metaOf(object);
  const oldMeta = metaOf(old);
  keep(meta, oldMeta, 'generation');
  strategy.prepareForUpdate?.(object, old, request.context);
  if (
    counts(rules.resource.generation, request.subresource) &&
    (wasPruned(object) || specChanged(object, old, rules.resource.generation === 'withStatus'))
  )
    meta.generation = Number(oldMeta.generation ?? 0) + 1;
  if ((meta.uid ?? '') === '') keep(meta, oldMeta, 'uid');
  keep(meta, oldMeta, 'creationTimestamp');
  // An update can neither set nor take back a deletion.
  if (oldMeta.deletionTimestamp !== undefined) meta.deletionTimestamp = oldMeta.deletionTimestamp;
  if (oldMeta.deletionGracePeriodSeconds !== undefined && meta.deletionGracePeriodSeconds === undefined)
    keep(meta, oldMeta, 'deletionGracePeriodSeconds');
  delete meta.selfLink;

  if (strategy.prepareInTurns !== undefined) yield* strategy.prepareInTurns(object, old);
  const found = FieldErrors.joined(
    validateCommonUpdate(object, old, rules.namespaced),
    strategy.validateUpdate?.(object, old, request.context) ?? [],
  );
  const errors =
    strategy.validateInTurns === undefined
      ? found
      : yield* strategy.validateInTurns(object, old, found, request.context);
  if (errors.length > 0) throw refusal(errors, object, rules);
  warnOf(strategy.warningsOnUpdate?.(object, old, request.context) ?? [], request);
  strategy.canonicalize?.(object);
}

function keep<K extends keyof ReturnType<typeof metaOf>>(
  meta: ReturnType<typeof metaOf>,
  old: ReturnType<typeof metaOf>,
  key: K,
): void {
  if (old[key] === undefined) delete meta[key];
  else meta[key] = old[key];
}

const counts = (generation: ResourceStrategy['generation'], subresource: string): boolean =>
  generation !== undefined && generation !== false && subresource !== 'status';

/** Whether anything outside metadata and status differs: what metadata.generation counts. */
function specChanged(object: KubeObject, old: KubeObject, withStatus: boolean): boolean {
  const a = asJson(object);
  const b = asJson(old);
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (
      key !== 'metadata' &&
      (withStatus || key !== 'status') &&
      key !== 'kind' &&
      key !== 'apiVersion' &&
      !isEqual(a[key], b[key])
    )
      return true;
  }
  return false;
}
