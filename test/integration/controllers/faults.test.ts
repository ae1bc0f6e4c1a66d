/** What goes wrong between controllers and their API server: in the end all is as it should be, nothing is twice. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { type FaultyCluster, startFaultyCluster } from './faulty-cluster.ts';

const controllers = ['deployment-controller', 'replicaset-controller', 'job-controller'];

let http2: FaultyCluster;
let http1: FaultyCluster;

beforeAll(async () => {
  http2 = await startFaultyCluster({ controllers });
  http1 = await startFaultyCluster({ controllers, http1: true });
});
afterAll(async () => {
  await http2[Symbol.asyncDispose]();
  await http1[Symbol.asyncDispose]();
});

interface Fault {
  readonly name: string;
  /** @returns what ends it */
  begin(cluster: FaultyCluster): (() => void) | Promise<() => void>;
  /** How long it lasts, on the clock of the controllers. */
  readonly lastsMs: number;
  /** How fast the clock moves. */
  readonly stepMs?: number;
  /** Requests that the controllers send meanwhile, at most. */
  readonly atMost: number;
}

const isOfPods = (path: string): boolean => path.startsWith('/api/v1/pods?');

const tooOld = { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old resource version' };

const refusing =
  (fault: FaultyCluster['proxy']['fault']) =>
  ({ proxy }: FaultyCluster): (() => void) => {
    proxy.fault = fault;
    proxy.dropWatches();
    return () => (proxy.fault = () => undefined);
  };

function dropping({ proxy, clock }: FaultyCluster): () => void {
  let timer = clock.after(0, () => undefined);
  const drop = (): void => {
    proxy.dropWatches();
    timer = clock.after(2000, drop);
  };
  drop();
  return () => timer.cancel();
}

function losing({ proxy }: FaultyCluster): () => void {
  proxy.fault = ({ method }) => (method === 'POST' ? 'lose answer' : undefined);
  proxy.isMute = isOfPods;
  return () => {
    proxy.fault = () => undefined;
    proxy.isMute = () => false;
    proxy.dropWatches();
  };
}

/** Lists of pods are as they were before the work of the test, from ten seconds after it on. */
async function goingBack({ proxy, clock, pass }: FaultyCluster): Promise<() => void> {
  const forget = (): void => {
    proxy.fault = ({ isWatch, path }) => (isWatch && isOfPods(path) ? { status: 410, body: tooOld } : undefined);
    proxy.dropWatches();
  };
  proxy.forgetLists();
  forget();
  await pass(5000);
  proxy.fault = () => undefined;
  await pass(10_000);
  clock.after(10_000, () => {
    proxy.standsStill = isOfPods;
    forget();
  });
  return () => {
    proxy.standsStill = () => false;
    proxy.fault = () => undefined;
  };
}

async function restarting({ restartServer }: FaultyCluster): Promise<() => void> {
  await restartServer();
  return () => undefined;
}

function muting({ proxy }: FaultyCluster): () => void {
  proxy.isMute = () => true;
  return () => (proxy.isMute = () => false);
}

const busy = { status: 429, headers: { 'retry-after': '5' } };
const away = refusing(() => 'break');

test.each<Fault>([
  { name: 'all requests get 429 with Retry-After', begin: refusing(() => busy), lastsMs: 30_000, atMost: 100 },
  { name: 'all requests get 500', begin: refusing(() => ({ status: 500 })), lastsMs: 30_000, atMost: 100 },
  { name: 'the API server is away for 30 s', begin: away, lastsMs: 30_000, atMost: 300 },
  { name: 'the API server restarts', begin: restarting, lastsMs: 5000, atMost: 100 },
  { name: 'creations lose their answers, and are told late', begin: losing, lastsMs: 10_000, atMost: 100 },
  { name: 'watches are dropped again and again', begin: dropping, lastsMs: 20_000, atMost: 200 },
  { name: 'watches are silent', begin: muting, lastsMs: 200_000, stepMs: 10_000, atMost: 10 },
  { name: 'pods are listed from a cache that stands still', begin: goingBack, lastsMs: 30_000, atMost: 100 },
  { name: 'over HTTP/1.1 the API server is away for 30 s', begin: away, lastsMs: 30_000, atMost: 300 },
  { name: 'over HTTP/1.1 watches are dropped again and again', begin: dropping, lastsMs: 20_000, atMost: 200 },
])('$name: what is wanted is there in the end, once', async ({ name, begin, lastsMs, stepMs, atMost }) => {
  const cluster = name.includes('HTTP/1.1') ? http1 : http2;
  const { client, proxy, until, pass } = cluster;
  const namespace = `n${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  await client.core.v1.namespaces.create({ metadata: { name: namespace } });
  await using made = everMade(client, namespace);
  const pods = client.core.v1.pods.namespace(namespace);
  const present = async (): Promise<Record<string, number>> => {
    const { items } = await pods.list();
    const apps = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(appOf);
    return Object.fromEntries([...new Set(apps)].map((app) => [app, apps.filter((other) => other === app).length]));
  };
  await createDeployment(client, namespace);
  await until(async () => expect(await present()).toEqual({ web: 3 }));

  const [first] = (await pods.list()).items;
  const end = await begin(cluster);
  const before = proxy.requests.length;
  await client.apps.v1.deployments.namespace(namespace).patch('web', { merge: { spec: { replicas: 5 } } });
  await createJob(client, namespace);
  await pods.delete(first!.metadata.name!, { gracePeriodSeconds: 0 });
  await pass(lastsMs, stepMs);
  const sent = proxy.requests.length - before;
  end();

  await until(async () => expect(await present()).toEqual({ web: 5, once: 2 }), stepMs);
  await pass(20_000);
  expect(await present()).toEqual({ web: 5, once: 2 });
  // Three, two more, and one in place of the one that was deleted.
  await expect.poll(() => made.counts(), { timeout: 10_000 }).toEqual({ web: 6, once: 2 });
  expect(sent).toBeLessThanOrEqual(atMost);
});

interface Labelled {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>>; readonly uid?: string };
}

const appOf = ({ metadata }: Labelled): string => metadata.labels?.['app'] ?? '';

/** All pods that there ever were, by the app they are of. */
function everMade(client: Client, namespace: string) {
  const abort = new AbortController();
  const made = new Map<string, Set<string>>();
  const run = async (): Promise<void> => {
    for await (const { object } of client.core.v1.pods.namespace(namespace).watch({ signal: abort.signal })) {
      const app = appOf(object);
      made.set(app, (made.get(app) ?? new Set()).add(object.metadata.uid!));
    }
  };
  const running = run().catch(() => undefined);
  return {
    counts: () => Object.fromEntries([...made].map(([app, uids]) => [app, uids.size])),
    async [Symbol.asyncDispose]() {
      abort.abort();
      await running;
    },
  };
}

const containers = [{ name: 'c', image: 'i' }];

const createDeployment = (client: Client, namespace: string) =>
  client.apps.v1.deployments.namespace(namespace).create({
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
    },
  });

const createJob = (client: Client, namespace: string) =>
  client.batch.v1.jobs.namespace(namespace).create({
    metadata: { name: 'once', namespace },
    spec: {
      ...{ parallelism: 2, completions: 2 },
      template: { metadata: { labels: { app: 'once' } }, spec: { containers, restartPolicy: 'Never' } },
    },
  });
