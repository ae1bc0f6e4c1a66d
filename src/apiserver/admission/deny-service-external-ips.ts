/**
 * No service gets external IPs that it does not have already: its owner could take the traffic to an address of others.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#denyserviceexternalips |
 *   DenyServiceExternalIPs}
 */
import type { Service } from '../../api/gen/types/core-v1.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { refused } from './attributes.ts';

export const denyServiceExternalIps: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
  validate(attributes) {
    const { kind, resource, object, oldObject } = attributes;
    if (resource.group !== '' || resource.resource !== 'services' || kind.kind !== 'Service') return;
    const known = new Set((oldObject as Service | undefined)?.spec?.externalIPs);
    if ((object as Service).spec?.externalIPs?.every((ip) => known.has(ip)) ?? true) return;
    throw refused(attributes, 'Use of external IPs is denied by admission control');
  },
};
