/** Giving a pod to a node. */
import type { Binding, Pod, PodCondition } from '../../gen/types/core-v1.ts';
import { notSupported } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { formatTime } from '../../../machinery/time.ts';
import { createMap } from '../../../machinery/value.ts';
import { checkRequiredText } from '../../meta/checks.ts';

const target = FieldPath.of('target');

/** Errors of the binding of a pod. @NOTE upstream answers them as an internal error with their text. */
export function validatePodBinding({ target: { kind = '', name } }: Binding): FieldErrors {
  const errors = new FieldErrors();
  if (kind !== '' && kind !== 'Node') errors.push(notSupported(target.child('kind'), kind, ['Node', '<empty>']));
  checkRequiredText(name, target.child('name'), errors);
  return errors;
}

/** Why the pod cannot be given to a node; the text of a conflict. */
export function bindingConflict({
  metadata: { name = '', deletionTimestamp },
  spec: { nodeName = '', schedulingGates = [] },
}: Pod): string | undefined {
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (nodeName !== '') return `pod ${name} is already assigned to node ${goQuote(nodeName)}`;
  return schedulingGates.length === 0 ? undefined : `pod ${name} has non-empty .spec.schedulingGates`;
}

/** Does what the binding says to a pod without a {@link bindingConflict}. */
export function bindPod(pod: Pod, binding: Binding, now: Date): void {
  pod.spec.nodeName = binding.target.name!;
  const { annotations } = binding.metadata;
  if (annotations !== undefined)
    pod.metadata.annotations = Object.assign(createMap<string>(), pod.metadata.annotations, annotations);
  setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, now);
}

/** Adds the condition or replaces the one of its type; the time of the last transition stays while the status does. */
export function setPodCondition({ status }: Pod, condition: PodCondition, now: Date): void {
  const conditions = [...(status.conditions ?? [])];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  const lastTransitionTime =
    old !== undefined && old.status === condition.status
      ? old.lastTransitionTime
      : formatTime(Math.floor(now.getTime() / 1000));
  conditions.splice(index < 0 ? conditions.length : index, 1, { ...condition, lastTransitionTime });
  status.conditions = conditions;
}
