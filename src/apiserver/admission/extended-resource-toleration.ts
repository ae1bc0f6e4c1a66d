/**
 * Pods that ask for an extended resource tolerate the taint of that name, which keeps other pods off nodes that have
 * the resource.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration |
 *   ExtendedResourceToleration}
 */
import type { Pod, PodSpec, Toleration } from '../../api/gen/types/core-v1.ts';
import { isExtendedResourceName } from '../../api/core/resources/resource-names.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout } from './attributes.ts';

export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
  admit(attributes) {
    if (!isAbout(attributes, '', 'pods')) return;
    const { spec } = attributes.object as Pod;
    const given = spec.tolerations ?? [];
    const tolerated = new Set(given.filter(isForScheduling).map(({ key }) => key));
    const missing = extendedResources(spec).filter((name) => !tolerated.has(name));
    if (missing.length === 0) return;
    const added = missing.map((key): Toleration => ({ key, operator: 'Exists', effect: 'NoSchedule' }));
    spec.tolerations = [...given, ...added];
  },
};

const isForScheduling = ({ operator, effect, value = '' }: Toleration): boolean =>
  operator === 'Exists' && effect === 'NoSchedule' && value === '';

/** Sorted, each once. */
const extendedResources = ({ containers = [], initContainers = [] }: PodSpec): string[] => [
  ...new Set(
    [...containers, ...initContainers]
      .flatMap(({ resources }) => Object.keys(resources?.requests ?? {}))
      .filter(isExtendedResourceName)
      .sort(),
  ),
];
