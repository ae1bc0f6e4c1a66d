/** Applies a stage to an object: events, finalizers, patches, and its deletion. */
import type { EventRecorder } from '../../../client/events/recorder.ts';
import { undefinedWhenGone } from '../../../client/undefined-when-gone.ts';
import type { JsonPatchOperation, Patch } from '../../../client/resources/options.ts';
import { asJson, type KubeObject } from '../../../machinery/object-meta.ts';
import { isObject, type JsonValue } from '../../../machinery/value.ts';
import type { StageFinalizers } from './document.ts';
import type { Step, Stage, TemplatePatch } from './stage.ts';
import type { TemplateContext } from './template/functions.ts';

/** The writes of one kind of object. */
export interface ObjectWriter<T extends KubeObject> {
  /** @param subresource empty for the object itself */
  patch(object: T, patch: Patch, subresource: string): Promise<T>;
  delete(object: T): Promise<unknown>;
}

export interface ApplyOptions<T extends KubeObject> {
  readonly writer: ObjectWriter<T>;
  readonly events: EventRecorder;
  readonly context: TemplateContext;
}

/** The object as it is then; undefined when it is gone. Rejects with a conflict when it was changed meanwhile. */
export async function applyStage<T extends KubeObject>(
  { steps }: Stage,
  object: T,
  options: ApplyOptions<T>,
): Promise<T | undefined> {
  let latest = object;
  try {
    for (const step of steps) {
      const after = await applyStep(step, latest, options);
      if (after === undefined) return undefined;
      latest = after;
    }
  } catch (error) {
    return undefinedWhenGone(error);
  }
  return latest;
}

async function applyStep<T extends KubeObject>(
  step: Step,
  object: T,
  { writer, events, context }: ApplyOptions<T>,
): Promise<T | undefined> {
  switch (step.kind) {
    case 'event': {
      const { type, reason = '', message = '' } = step.event;
      events.event(object, type === 'Warning' ? type : 'Normal', reason, message);
      return object;
    }
    case 'finalizers': {
      const finalizers = changedFinalizers(object.metadata?.finalizers ?? [], step.finalizers);
      if (finalizers === undefined) return object;
      // Others may change the list at the same time: theirs must not be lost.
      const { resourceVersion } = object.metadata ?? {};
      return writer.patch(object, { merge: { metadata: { finalizers, resourceVersion } } }, '');
    }
    case 'patch':
      return writer.patch(object, patchFrom(step.patch, object, context), step.patch.subresource);
    case 'delete':
      await writer.delete(object);
      return undefined;
    default:
      return object;
  }
}

/** Undefined when they stay as they are. */
function changedFinalizers(
  before: readonly string[],
  { add = [], remove = [], empty = false }: StageFinalizers,
): string[] | undefined {
  const removed = new Set(remove.map(({ value }) => value));
  const kept = empty ? [] : before.filter((finalizer) => !removed.has(finalizer));
  const added = add.flatMap(({ value = '' }) => (value === '' || kept.includes(value) ? [] : [value]));
  const after = [...kept, ...added];
  return after.length === before.length && after.every((finalizer, index) => finalizer === before[index])
    ? undefined
    : after;
}

function patchFrom({ template, root, type }: TemplatePatch, object: KubeObject, context: TemplateContext): Patch {
  const value = template(asJson(object), context);
  if (type === 'json') return { json: operationsFrom(value, root) };
  const body = withUid(object, root === '' ? value : { [root]: value });
  return type === 'merge' ? { merge: body } : { strategic: body };
}

function operationsFrom(value: JsonValue, root: string): readonly JsonPatchOperation[] {
  if (!Array.isArray(value)) throw new Error('a template of a JSON patch must come to a list');
  const prefix = root === '' ? '' : `/${root}`;
  return (value as unknown as readonly JsonPatchOperation[]).map((operation) => ({
    ...operation,
    path: `${prefix}${operation.path}`,
  }));
}

/** Another object of the name refuses it. */
function withUid({ metadata }: KubeObject, body: JsonValue): object {
  const { metadata: changed, ...rest } = isObject(body) ? body : {};
  return { ...rest, metadata: { ...(isObject(changed) ? changed : {}), uid: metadata?.uid } };
}
