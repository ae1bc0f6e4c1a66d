/** What clients may call the server of a node. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { NodeAddress } from '../../../api/gen/types/core-v1.ts';
import type { ServingNames } from '../../../pki/serving-names.ts';

const dnsTypes: readonly string[] = ['Hostname', 'InternalDNS', 'ExternalDNS'];

/** Undefined for a node without addresses: there is nothing yet that a certificate could be for. */
export function namesOfNode(addresses: readonly NodeAddress[]): ServingNames | undefined {
  const dns = new Set<string>();
  const ips = new Set<string>();
  for (const { type = '', address = '' } of addresses)
    if (isIP(address) !== 0) ips.add(address);
    else if (dnsTypes.includes(type)) dns.add(address);
  return dns.size + ips.size === 0 ? undefined : { dnsNames: [...dns].sort(), ipAddresses: [...ips].sort() };
}

/** Whether a certificate is for all of them. */
export function hasNames(certificate: string, { dnsNames, ipAddresses }: ServingNames): boolean {
  const x509 = new X509Certificate(certificate);
  return (
    dnsNames.every((name) => x509.checkHost(name, { subject: 'never' }) !== undefined) &&
    ipAddresses.every((ip) => x509.checkIP(ip) !== undefined)
  );
}
