import { expect, test } from 'vitest';
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import type { LoopbackClient, ObjectName } from '../loopback/loopback-client.ts';
import { collectIdentities, identityOf, isExpired, renewIdentity } from './identity-lease.ts';

test('The identity of a server is a hash of the name of its host', () => {
  // printf host | sha256sum, the first 16 bytes in base 32.
  expect(identityOf('host')).toBe('apiserver-i5ak4y2hwalsyajfj72vxls274');
});

const nowMs = Date.UTC(2024, 0, 1, 1);
test.each([
  {
    name: 'that was renewed in time',
    spec: { renewTime: '2024-01-01T00:30:00.000000Z', leaseDurationSeconds: 1800 },
    expired: false,
  },
  {
    name: 'that was not renewed',
    spec: { renewTime: '2024-01-01T00:29:59.000000Z', leaseDurationSeconds: 1800 },
    expired: true,
  },
  { name: 'without a time', spec: { leaseDurationSeconds: 1800 }, expired: true },
  { name: 'without a duration', spec: { renewTime: '2024-01-01T00:30:00.000000Z' }, expired: true },
])('Whether a lease $name has expired', ({ spec, expired }) => {
  expect(isExpired({ metadata: {}, spec } as Lease, nowMs)).toBe(expired);
});

/** Leases by name. */
class Leases {
  readonly all = new Map<string, Lease>();

  find({ name }: ObjectName): Promise<Lease | undefined> {
    return Promise.resolve(this.all.get(name));
  }

  list(): Promise<Lease[]> {
    return Promise.resolve([...this.all.values()]);
  }

  createNew({ name, namespace }: ObjectName, lease: Lease): Promise<boolean> {
    if (this.all.has(name)) return Promise.resolve(false);
    this.all.set(name, { ...lease, metadata: { ...lease.metadata, name, namespace } });
    return Promise.resolve(true);
  }

  change({ name }: ObjectName, change: (lease: Lease) => void): Promise<void> {
    change(this.all.get(name)!);
    return Promise.resolve();
  }

  remove({ name }: ObjectName): Promise<void> {
    this.all.delete(name);
    return Promise.resolve();
  }
}

const server = (leases: Leases, hostname: string, serverId: string, atMs: number) => ({
  writer: leases as unknown as LoopbackClient,
  hostname,
  serverId,
  now: () => new Date(atMs),
});

test('A server renews its lease, makes it again after a deletion, and takes over that of its last run', async () => {
  const leases = new Leases();
  const name = identityOf('host');
  const times: unknown[] = [];
  const renew = async (serverId: string, minute: number): Promise<void> => {
    await renewIdentity(server(leases, 'host', serverId, minute * 60_000));
    const { holderIdentity, renewTime } = leases.all.get(name)!.spec;
    times.push([holderIdentity, renewTime]);
  };
  await renew('a', 0);
  expect(leases.all.get(name)!.metadata).toMatchObject({
    namespace: 'kube-system',
    labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'host' },
  });
  await renew('a', 1);
  leases.all.clear();
  await renew('a', 2);
  leases.all.get(name)!.metadata.labels = { own: 'kept' };
  await renew('b', 3);
  expect(times).toEqual([
    [`${name}_a`, '1970-01-01T00:00:00.000000Z'],
    [`${name}_a`, '1970-01-01T00:01:00.000000Z'],
    [`${name}_a`, '1970-01-01T00:02:00.000000Z'],
    [`${name}_b`, '1970-01-01T00:03:00.000000Z'],
  ]);
  expect(leases.all.get(name)!.metadata.labels).toMatchObject({ own: 'kept', 'kubernetes.io/hostname': 'host' });
});

test('Leases of servers that did not renew them for an hour are deleted, and no others', async () => {
  const leases = new Leases();
  const minute = 60_000;
  await renewIdentity(server(leases, 'gone', 'a', 0));
  await renewIdentity(server(leases, 'late', 'b', 5 * minute));
  const other = { metadata: { name: 'other', namespace: 'kube-system' }, spec: {} };
  const elsewhere = { ...leases.all.get(identityOf('gone'))!, metadata: { name: 'elsewhere', namespace: 'default' } };
  for (const lease of [other, elsewhere]) leases.all.set(lease.metadata.name, lease);
  await collectIdentities(server(leases, 'late', 'b', 61 * minute));
  expect([...leases.all.keys()].sort()).toEqual([identityOf('late'), 'elsewhere', 'other'].sort());
});
