/**
 * The Lease of this API server in kube-system: others see by it which servers there are. It is renewed as long as the
 * server runs; leases of servers that are gone are deleted by any server.
 * @see {@link https://kep.k8s.io/1965 | KEP-1965}
 */
import { createHash } from 'node:crypto';
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import { formatMicroTime, parseMicroTime } from '../../machinery/time.ts';
import { createMap } from '../../machinery/value.ts';
import type { LoopbackClient, ObjectName } from '../loopback/loopback-client.ts';

export const identityRenewMs = 10_000;
export const identityCollectionMs = 3_600_000;
const leaseSeconds = 3600;
const identityLabel = 'apiserver.kubernetes.io/identity';
const component = 'kube-apiserver';
const leases = { group: 'coordination.k8s.io', resource: 'leases' };
const nameOf = (name: string): ObjectName => ({ ...leases, namespace: 'kube-system', name });

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const hashBytes = 16;

/** `apiserver-` and a hash of the name of the host, as upstream: a server that starts again has the same name. */
export function identityOf(hostname: string): string {
  const hash = createHash('sha256').update(hostname).digest().subarray(0, hashBytes);
  let bits = 0n;
  for (const byte of hash) bits = (bits << 8n) | BigInt(byte);
  // Base 32 (RFC 4648, section 6) without padding: the last digit has the last three bits.
  bits <<= 2n;
  let text = '';
  for (let digits = Math.ceil((hashBytes * 8) / 5); digits > 0; digits--, bits >>= 5n)
    text = alphabet[Number(bits & 31n)]! + text;
  return `apiserver-${text}`;
}

export interface IdentityLeaseOptions {
  readonly writer: LoopbackClient;
  readonly hostname: string;
  /** Of this run of the server. */
  readonly serverId: string;
  readonly now: () => Date;
}

const microTime = (date: Date): string => {
  const ms = date.getTime();
  return formatMicroTime(Math.floor(ms / 1000), (ms % 1000) * 1_000_000);
};

/** Makes the lease, or renews it. */
export async function renewIdentity({ writer, hostname, serverId, now }: IdentityLeaseOptions): Promise<void> {
  const name = nameOf(identityOf(hostname));
  const holderIdentity = `${name.name}_${serverId}`;
  const renewTime = microTime(now());
  const labels = { [identityLabel]: component, 'kubernetes.io/hostname': hostname };
  if ((await writer.find<Lease>(name)) === undefined) {
    const lease: Lease = {
      metadata: { labels: Object.assign(createMap<string>(), labels) },
      spec: { holderIdentity, leaseDurationSeconds: leaseSeconds, renewTime },
    };
    if (await writer.createNew(name, lease)) return;
  }
  await writer.change<Lease>(name, (lease) => {
    lease.metadata.labels = Object.assign(createMap<string>(), lease.metadata.labels, labels);
    lease.spec = { ...lease.spec, holderIdentity, leaseDurationSeconds: leaseSeconds, renewTime };
  });
}

export function isExpired({ spec: { renewTime, leaseDurationSeconds } }: Lease, nowMs: number): boolean {
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true;
  return parseMicroTime(renewTime).seconds * 1000 + leaseDurationSeconds * 1000 < nowMs;
}

/** Deletes leases of servers that have not renewed theirs in time. */
export async function collectIdentities({ writer, now }: Pick<IdentityLeaseOptions, 'writer' | 'now'>): Promise<void> {
  const all = await writer.list<Lease>(leases, 'any');
  for (const { metadata } of all) {
    if (metadata.namespace !== 'kube-system' || metadata.labels?.[identityLabel] !== component) continue;
    const name = nameOf(metadata.name!);
    const lease = await writer.find<Lease>(name);
    if (lease !== undefined && isExpired(lease, now().getTime())) await writer.remove(name, lease.metadata.uid);
  }
}
