/** What is counted of Pod Security: plain values, so that they can come from another thread. */
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import type { LevelVersion } from './policy.ts';

interface AboutRequest {
  readonly operation: AdmissionAttributes['operation'];
  /** Of the core group; everything else is a controller. */
  readonly resource: 'pod' | 'namespace' | 'controller';
  readonly subresource: string;
}

export type PodSecurityObservation = AboutRequest &
  (
    | {
        readonly what: 'evaluation';
        readonly mode: 'enforce' | 'audit' | 'warn';
        readonly policy: LevelVersion;
        readonly isAllowed: boolean;
      }
    | { readonly what: 'exemption' }
    /** Labels of a namespace that cannot be read, or with `isFatal` a namespace that cannot be found. */
    | { readonly what: 'error'; readonly isFatal: boolean }
  );

export type ObservePodSecurity = (observation: PodSecurityObservation) => void;

const names = new Map<string, AboutRequest['resource']>([
  ['pods', 'pod'],
  ['namespaces', 'namespace'],
]);

export const aboutRequest = ({ operation, resource, subresource }: AdmissionAttributes): AboutRequest => ({
  operation,
  resource: (resource.group === '' ? names.get(resource.resource) : undefined) ?? 'controller',
  subresource,
});
