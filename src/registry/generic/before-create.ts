import { randomUUID } from 'node:crypto';
import type { FieldError } from '../../machinery/field-error.ts';
import { FieldErrors, TooManyErrors } from '../../machinery/field-errors.ts';
import { invalid as invalidStatus, badRequest, internalError, type StatusError } from '../../machinery/status.ts';
import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { timestamp } from './timestamp.ts';
import { validatePathSegmentMeta } from './common-fields.ts';
import { generateName } from './generate-name.ts';
import { kindOf, type ResourceRules } from './resource-rules.ts';
import type { WriteRequest } from './write.ts';

/** Sets what the server owns in the metadata of a new object. */
export function fillSystemFields(object: KubeObject, now: Date): void {
  const meta = metaOf(object);
  meta.creationTimestamp = timestamp(now);
  meta.uid = randomUUID();
  delete meta.selfLink;
}

/** What a client cannot set on a new object is as if it had not been sent. */
export function wipeSystemFields(object: KubeObject): void {
  const meta = metaOf(object);
  delete meta.creationTimestamp;
  delete meta.uid;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
}

/** The namespace of the object must be the one of the URL; an object without one gets it. */
export function ensureNamespace(object: KubeObject, namespace: string): void {
  const meta = metaOf(object);
  if (meta.namespace === undefined || meta.namespace === '') {
    if (namespace !== '') meta.namespace = namespace;
  } else if (meta.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/**
 * Prepares a new object for storage, or throws 422 with its errors. For most kinds that is one step.
 */
export function* prepareForCreate(
  object: KubeObject,
  rules: ResourceRules,
  request: WriteRequest,
): Generator<void, void> {
  try {
    yield* prepare(object, rules, request);
  } catch (error) {
    throw error instanceof TooManyErrors ? refusal(error, object, rules) : error;
  }
}

function* prepare(object: KubeObject, rules: ResourceRules, request: WriteRequest): Generator<void, void> {
  const { context } = request;
  const strategy = rules.strategyOf('');
  const meta = metaOf(object);
  if (rules.namespaced && (meta.namespace ?? '') === '') throw badRequest('Namespace parameter required.');
  strategy.prepareForCreate?.(object, context);
  if (rules.resource.generation !== undefined && rules.resource.generation !== false) meta.generation = 1;
  if ((meta.creationTimestamp ?? '') === '')
    throw internalError('creationTimestamp must be set before an object is stored');
  if (strategy.prepareInTurns !== undefined) yield* strategy.prepareInTurns(object, undefined);
  const errors = strategy.validate?.(object, context) ?? new FieldErrors();
  refuse(
    strategy.validateInTurns === undefined
      ? errors
      : yield* strategy.validateInTurns(object, undefined, errors, context),
    object,
    rules,
  );
  // Only for what the kind's own rules let pass: most of it they have judged already.
  refuse(validatePathSegmentMeta(object, rules.namespaced), object, rules);
  warnOf(strategy.warningsOnCreate?.(object, context) ?? [], request);
  strategy.canonicalize?.(object);
}

/** Tells what fits into an answer; the rest is not made. */
export function warnOf(texts: Iterable<string>, request: WriteRequest): void {
  for (const text of texts) if (!request.warn(text)) return;
}

function refuse(errors: readonly FieldError[], object: KubeObject, rules: ResourceRules): void {
  if (errors.length > 0) throw refusal(errors, object, rules);
}

/** 422 with the errors of an object. */
export const refusal = (
  errors: readonly FieldError[] | TooManyErrors,
  object: KubeObject,
  rules: ResourceRules,
): StatusError => invalidStatus(kindOf(object, rules), metaOf(object).name ?? '', errors);

/** A name for an object that asked for one with `generateName`. */
export function nameFromPrefix(object: KubeObject): boolean {
  const meta = metaOf(object);
  if ((meta.name ?? '') !== '' || (meta.generateName ?? '') === '') return false;
  meta.name = generateName(meta.generateName!);
  return true;
}
