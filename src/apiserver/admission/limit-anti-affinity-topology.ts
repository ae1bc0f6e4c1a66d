/**
 * Pods may keep others off their node, and not off a whole zone: required anti-affinity has the host name as its
 * topology.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#limitpodhardantiaffinitytopology |
 *   LimitPodHardAntiAffinityTopology}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout, refused } from './attributes.ts';

const hostname = 'kubernetes.io/hostname';

export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
  validate(attributes) {
    if (!isAbout(attributes, '', 'pods')) return;
    const { affinity } = (attributes.object as Pod).spec;
    const terms = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const wide = terms.find(({ topologyKey }) => topologyKey !== hostname);
    if (wide === undefined) return;
    throw refused(
      attributes,
      `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ` +
        `${hostname} is allowed`,
    );
  },
};
