/**
 * New nodes take no pods before they have said that they are ready.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#taintnodesbycondition |
 *   TaintNodesByCondition}
 */
import type { Node } from '../../api/gen/types/core-v1.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout } from './attributes.ts';

const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: (operation) => operation === 'CREATE',
  admit(attributes) {
    if (!isAbout(attributes, '', 'nodes')) return;
    const node = attributes.object as Node;
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return;
    node.spec = { ...node.spec, taints: [...taints, { ...taint }] };
  },
};
