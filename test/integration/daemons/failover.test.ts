/** Controller managers under load whose leader is killed or stands still: nothing is made twice, all is made. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Input } from '../../../src/client/index.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import type { Deployment } from '../../../src/api/gen/types/apps-v1.ts';
import type { Job } from '../../../src/api/gen/types/batch-v1.ts';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { buildOrch, OrchProcess } from '../../support/orch-process.ts';
import { tokenKubeconfig } from '../../support/token-kubeconfig.ts';

let api: ApiUsers;
let client: Client;
let kubeconfig: string;
/** Leads at the end of the first test. */
let second: OrchProcess;

const leaseMs = 3000;

beforeAll(async () => {
  buildOrch();
  api = await startApiUsers({}, ['--disable-admission-plugins=ServiceAccount']);
  kubeconfig = await tokenKubeconfig(api, 'admin');
  const { url, ca } = api;
  client = createClient({ url, ca, authorization: () => Promise.resolve('Bearer token-admin') }, { qps: 0 });
});
afterAll(async () => {
  await second?.[Symbol.asyncDispose]();
  await client.close();
  await api[Symbol.asyncDispose]();
});

const manager = (): OrchProcess =>
  new OrchProcess([
    'controller-manager',
    ...[`--kubeconfig=${kubeconfig}`, '--secure-port=0', '--kube-api-qps=300', '--kube-api-burst=600'],
    '--controllers=deployment,replicaset,job',
    ...[`--leader-elect-lease-duration=${leaseMs}ms`, '--leader-elect-renew-deadline=2s'],
    '--leader-elect-retry-period=200ms',
  ]);

const leases = () => client.coordination.v1.leases.namespace('orch-system');

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

const deployment = (name: string): Input<Deployment> => ({
  metadata: { name },
  spec: { replicas: 10, selector: { matchLabels: { app: name } }, template: template(name) },
});

const job = (name: string): Input<Job> => {
  const { metadata, spec } = template(name);
  return {
    metadata: { name },
    spec: { parallelism: 8, completions: 8, template: { metadata, spec: { ...spec, restartPolicy: 'Never' } } },
  };
};

const wanted = Object.fromEntries([
  ...Array.from({ length: 10 }, (_, index) => [`web-${index}`, 10]),
  ...Array.from({ length: 5 }, (_, index) => [`once-${index}`, 8]),
]) as Readonly<Record<string, number>>;

/** A namespace in which all is wanted that there is to do, and the pods that there ever were in it. */
async function load(namespace: string) {
  await client.core.v1.namespaces.create({ metadata: { name: namespace } });
  const abort = new AbortController();
  const made = new Map<string, Set<string>>();
  const names = new Set<string>();
  let isEnough: () => void = () => undefined;
  /** While there is still much to do. */
  const some = new Promise<void>((resolve) => (isEnough = resolve));
  const watch = async (): Promise<void> => {
    for await (const { object } of client.core.v1.pods.namespace(namespace).watch({ signal: abort.signal })) {
      const app = object.metadata.labels!['app']!;
      made.set(app, (made.get(app) ?? new Set()).add(object.metadata.uid!));
      if (names.add(object.metadata.name!).size >= 20) isEnough();
    }
  };
  const watching = watch().catch(() => undefined);
  for (const name of Object.keys(wanted))
    if (name.startsWith('web')) await client.apps.v1.deployments.namespace(namespace).create(deployment(name));
    else await client.batch.v1.jobs.namespace(namespace).create(job(name));
  const counts = (): Record<string, number> => Object.fromEntries([...made].map(([app, uids]) => [app, uids.size]));
  return {
    some,
    counts,
    async done() {
      await expect.poll(counts, { timeout: 30_000 }).toEqual(wanted);
      const sets = client.apps.v1.replicasets.namespace(namespace);
      const sizes = async () => (await sets.list()).items.map(({ status }) => status?.replicas);
      await expect.poll(sizes, { timeout: 30_000 }).toEqual(Array.from({ length: 10 }, () => 10));
      expect(counts()).toEqual(wanted);
    },
    async [Symbol.asyncDispose]() {
      abort.abort();
      await watching;
    },
  };
}

test('Kill -9 of the leader under load: another leads after its lease, and does the rest once', async () => {
  await using first = manager();
  await first.warns(' leading');
  second = manager();
  await second.warns('new leader');
  await using work = await load('killed');
  await work.some;
  await first.kill('SIGKILL');
  const left = await leases().get('controller-manager');
  expect(work.counts()).not.toEqual(wanted);
  await second.warns(' leading');
  const taken = await leases().get('controller-manager');
  const at = (time: string | undefined): number => Date.parse(time!);
  expect(at(taken.spec.acquireTime) - at(left.spec.renewTime)).toBeGreaterThanOrEqual(leaseMs);
  await work.done();
});

test('SIGSTOP of the leader under load for longer than its lease: it writes nothing more when it goes on', async () => {
  await using third = manager();
  await third.warns('new leader');
  await using work = await load('paused');
  await work.some;
  second.send('SIGSTOP');
  expect(work.counts()).not.toEqual(wanted);
  await third.warns(' leading');
  second.send('SIGCONT');
  expect((await second.exited).code).toBe(1);
  await work.done();
});
