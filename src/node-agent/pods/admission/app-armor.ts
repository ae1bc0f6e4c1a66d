/** @see {@link https://kubernetes.io/docs/tutorials/security/apparmor/ | Restrict a container's access with AppArmor}
 */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Refusal } from './admission-request.ts';

const annotationPrefix = 'container.apparmor.security.beta.kubernetes.io/';

export function appArmorProblem({ metadata, spec }: Pod, isEnabled: boolean): Refusal | undefined {
  if (isEnabled) return undefined;
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const profiles = [
    spec.securityContext?.appArmorProfile,
    ...containers.map((c) => c.securityContext?.appArmorProfile),
  ];
  const isAsked =
    profiles.some((profile) => profile !== undefined && profile.type !== 'Unconfined') ||
    Object.entries(metadata.annotations ?? {}).some(
      ([key, value]) => key.startsWith(annotationPrefix) && value !== '' && value !== 'unconfined',
    );
  return isAsked
    ? { reason: 'AppArmor', message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host' }
    : undefined;
}
