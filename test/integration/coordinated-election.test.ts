/** Daemons whose leader the API server elects (feature gate CoordinatedLeaderElection). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Leadership } from '../../src/client/leader-election/leadership.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { type CandidateVersions, LeaderElections } from '../../src/cmd/daemon/leading.ts';
import { allMetrics, MetricRegistry } from '../../src/server/metrics/metric-registry.ts';
import { type ApiUsers, startApiUsers } from '../support/api-users.ts';
import { buildOrch, OrchProcess } from '../support/orch-process.ts';
import { tokenKubeconfig } from '../support/token-kubeconfig.ts';

let api: ApiUsers;
let client: Client;

beforeAll(async () => {
  api = await startApiUsers({}, [
    '--disable-admission-plugins=ServiceAccount',
    '--feature-gates=CoordinatedLeaderElection=true',
    '--runtime-config=coordination.k8s.io/v1alpha2=true',
  ]);
  const { url, ca } = api;
  client = createClient({ url, ca, authorization: () => Promise.resolve('Bearer token-admin') }, { qps: 0 });
});
afterAll(async () => {
  await client.close();
  await api[Symbol.asyncDispose]();
});

const options = {
  leaderElect: true,
  leaseDurationMs: 3000,
  renewDeadlineMs: 2000,
  retryPeriodMs: 100,
  resourceLock: 'leases',
  resourceName: 'daemon',
  resourceNamespace: 'default',
};

/** A daemon whose work is to wait. */
function daemon(candidate: CandidateVersions) {
  const elections = new LeaderElections({
    options,
    client,
    component: 'daemon',
    log: silentLogger,
    registry: new MetricRegistry(allMetrics),
  });
  const abort = new AbortController();
  let lead: (leadership: Leadership) => void = () => undefined;
  const leads = new Promise<Leadership>((resolve) => (lead = resolve));
  const lock = { namespace: 'default', name: 'daemon', kind: 'leases', candidate } as const;
  const end = elections.run(lock, abort.signal, (leadership) => {
    lead(leadership);
    return new Promise((resolve) => leadership.signal.addEventListener('abort', () => resolve()));
  });
  return {
    identity: elections.identity,
    leads,
    end,
    async stop() {
      abort.abort(new Error('stop'));
      await end;
      await elections.stop();
    },
  };
}

const spec = async () => (await client.coordination.v1.leases.namespace('default').get('daemon')).spec;
const candidates = () => client.coordination.v1alpha2.leasecandidates.namespace('default');
const candidate = async (name: string) =>
  (await candidates().list()).items?.find(({ metadata }) => metadata.name === name);

test('The API server elects a candidate, and one that emulates an older version in its place', async () => {
  const newer = daemon({ binaryVersion: '1.32.13', emulationVersion: '1.32.0' });
  const leadership = await newer.leads;
  expect(await spec()).toMatchObject({ holderIdentity: newer.identity, strategy: 'OldestEmulationVersion' });

  const older = daemon({ binaryVersion: '1.32.13', emulationVersion: '1.31.0' });
  await older.leads;
  expect(await newer.end).toBe('lost');
  expect(leadership.signal.reason).toMatchObject({
    name: 'LeadershipYieldedError',
    message: `${older.identity} is the preferred holder of the lock default/daemon`,
  });
  const { holderIdentity, preferredHolder } = await spec();
  expect([holderIdentity, preferredHolder]).toEqual([older.identity, undefined]);

  // A candidate that stops is not elected again, and another is as soon as the lease is given up.
  const next = daemon({ binaryVersion: '1.32.13', emulationVersion: '1.32.0' });
  await expect.poll(async () => (await candidate(next.identity))?.spec.renewTime).toBeDefined();
  await older.stop();
  await next.leads;
  expect((await candidate(older.identity))?.spec.renewTime).toBeUndefined();
  expect((await spec()).holderIdentity).toBe(next.identity);
  await Promise.all([next.stop(), newer.stop()]);
});

test('A candidate that is asked whether it is alive answers', async () => {
  const asked = daemon({ binaryVersion: '1.32.13', emulationVersion: '1.32.0' });
  const { identity: name } = asked;
  await expect.poll(async () => (await candidate(name))?.spec.renewTime).toBeDefined();
  const pingTime = '2040-01-01T00:00:00.000000Z';
  const ping = [{ op: 'add' as const, path: '/spec/pingTime', value: pingTime }];
  await candidates().patch(name, { json: ping });
  await expect.poll(async () => (await candidates().get(name)).spec.renewTime).toBe(pingTime);
  await asked.stop();
});

test('One server of the cluster elects, and says so in its lease and its health checks', async () => {
  const { spec: held } = await client.coordination.v1.leases.namespace('kube-system').get('leader-election-controller');
  expect(held.holderIdentity).not.toBe('');
  const answer = await api.call(
    'admin',
    'GET',
    '/livez/poststarthook/start-kube-apiserver-coordinated-leader-election-controller',
  );
  expect(answer.status).toBe(200);
});

test('A controller manager leads until one with an older emulated version takes part', async () => {
  buildOrch();
  const kubeconfig = await tokenKubeconfig(api, 'admin');
  const manager = (...flags: string[]): OrchProcess =>
    new OrchProcess([
      'controller-manager',
      `--kubeconfig=${kubeconfig}`,
      ...['--secure-port=0', '--controllers=ttl', '--feature-gates=CoordinatedLeaderElection=true', ...flags],
      ...['--leader-elect-lease-duration=3s', '--leader-elect-renew-deadline=2s', '--leader-elect-retry-period=200ms'],
    ]);
  await using newer = manager();
  await newer.warns(' leading');
  await using older = manager('--emulated-version=1.31');
  await older.warns(' leading');
  expect((await newer.exited).code).toBe(1);
  const { items = [] } = await client.coordination.v1alpha2.leasecandidates.namespace('orch-system').list();
  expect(
    items
      .map(({ spec: { leaseName, binaryVersion, emulationVersion } }) => [leaseName, binaryVersion, emulationVersion])
      .sort(),
  ).toEqual([
    ['controller-manager', '1.32.13', '1.31.0'],
    ['controller-manager', '1.32.13', '1.32.0'],
  ]);
  expect((await older.kill('SIGTERM')).code).toBe(0);
});
