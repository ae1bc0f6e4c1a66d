/** Changing cpu and memory of a pod in place. @see {@link https://kep.k8s.io/1287 | KEP-1287} */
import type { Container, Pod, PodSpec } from '../../gen/types/core-v1.ts';
import { formatDiff } from '../../../machinery/value-diff.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { forbidden, invalid } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { createMap } from '../../../machinery/value.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { mirrorAnnotation } from './annotations.ts';
import { qosClassOf } from './qos.ts';
import type { PodValidationOptions } from './validation-option-types.ts';
import { specPath, validatePodMetaAndSpec } from './validation.ts';

const nowhere = FieldPath.of('');

/** Errors of a pod that differs from `old` only in the resources and resize policies of its containers. */
export function validatePodResize(pod: Pod, old: Pod, rules: PodValidationOptions): FieldErrors {
  const refusal = resizeRefusal(pod, old);
  if (refusal !== undefined) return FieldErrors.joined([forbidden(nowhere, refusal)]);
  const errors = FieldErrors.joined(
    validateBuiltInMetaUpdate(pod.metadata, old.metadata),
    validatePodMetaAndSpec(pod, rules),
  );
  const qosClass = old.status.qosClass ?? qosClassOf(old.spec, rules.podLevelResources);
  if (qosClassOf(pod.spec, rules.podLevelResources) !== qosClass)
    errors.push(invalid(specPath, pod.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  const fixed = { ...pod.spec, containers: withOldCompute(pod.spec.containers, old.spec.containers) };
  if (!isEqual(fixed, old.spec))
    errors.push(
      forbidden(specPath, `only cpu and memory resources are mutable\n${formatDiff('core.PodSpec', old.spec, fixed)}`),
    );
  return errors;
}

function resizeRefusal(pod: Pod, old: Pod): string | undefined {
  if (hasPodResources(pod.spec) || hasPodResources(old.spec)) return 'pods with pod-level resources cannot be resized';
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) return 'static pods cannot be resized';
  return old.spec.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

const hasPodResources = ({ resources }: PodSpec): boolean =>
  Object.keys({ ...resources?.limits, ...resources?.requests }).length > 0;

const withOldCompute = (
  containers: readonly Container[] | undefined,
  old: readonly Container[] = [],
): Container[] | undefined =>
  containers?.map((container, i) => {
    const before = old[i];
    if (before === undefined) return container;
    const { limits, requests } = container.resources;
    return {
      ...container,
      resizePolicy: before.resizePolicy,
      resources: {
        limits: oldCompute(limits, before.resources.limits),
        requests: oldCompute(requests, before.resources.requests),
      },
    };
  });

type Amounts = Container['resources']['limits'];

/** The list with the old amounts of cpu and memory; none where there was none. */
function oldCompute(amounts: Amounts, old: Amounts): Amounts {
  if (old === undefined) return undefined;
  const list = createMap<string>();
  for (const name in amounts) if (name !== 'cpu' && name !== 'memory') list[name] = amounts[name]!;
  for (const name of ['cpu', 'memory']) if (old[name] !== undefined) list[name] = old[name];
  return list;
}
