/**
 * Pods stay a while on a node that is not ready or cannot be reached, unless they say how long themselves.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions |
 *   Taint based evictions}
 */
import type { Pod, Toleration } from '../../api/gen/types/core-v1.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout } from './attributes.ts';

export interface DefaultTolerationSecondsOptions {
  /** `--default-not-ready-toleration-seconds` */
  readonly notReadySeconds: number;
  /** `--default-unreachable-toleration-seconds` */
  readonly unreachableSeconds: number;
}

export function createDefaultTolerationSeconds({
  notReadySeconds,
  unreachableSeconds,
}: DefaultTolerationSecondsOptions): AdmissionPlugin {
  const defaults = [
    { key: 'node.kubernetes.io/not-ready', seconds: notReadySeconds },
    { key: 'node.kubernetes.io/unreachable', seconds: unreachableSeconds },
  ];
  return {
    name: 'DefaultTolerationSeconds',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    admit(attributes) {
      if (!isAbout(attributes, '', 'pods')) return;
      const { spec } = attributes.object as Pod;
      const given = spec.tolerations ?? [];
      const missing = defaults.filter(({ key }) => !given.some((toleration) => isToleratedBy(toleration, key)));
      if (missing.length === 0) return;
      spec.tolerations = [
        ...given,
        ...missing.map(
          ({ key, seconds }): Toleration => ({
            key,
            operator: 'Exists',
            effect: 'NoExecute',
            tolerationSeconds: seconds,
          }),
        ),
      ];
    },
  };
}

/** Without a key or an effect a toleration is about all of them. */
const isToleratedBy = ({ key, effect }: Toleration, taint: string): boolean =>
  (key ?? taint) === taint && (effect ?? 'NoExecute') === 'NoExecute';
