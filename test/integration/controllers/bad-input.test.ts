/**
 * Objects as they should not be: written around validation, refused by others, without owners. A condition or an event
 * says so, and in ten minutes there are few requests about them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client, KubeObject } from '../../../src/client/index.ts';
import type { JsonObject } from '../../../src/machinery/value.ts';
import { type FaultyCluster, startFaultyCluster } from './faulty-cluster.ts';

let cluster: FaultyCluster;
/** What is said in each namespace. */
const said = new Map<string, readonly string[]>();

// All at once: ten minutes of the clock pass for all of them.
beforeAll(async () => {
  cluster = await startFaultyCluster({ controllers: ['*', '-garbage-collector-controller', '-node-lifecycle'] });
  const { client, proxy, pass } = cluster;
  proxy.fault = ({ method, path }) => {
    const isRefused = rows.some(
      (row) => row.refused !== undefined && path.split('?')[0]!.endsWith(`/${namespaceOf(row)}/${row.refused}`),
    );
    if ((method !== 'POST' && method !== 'PUT') || !isRefused) return undefined;
    const message = 'admission webhook "no.example.com" denied the request: no';
    return { status: 403, body: { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message } };
  };
  await client.core.v1.nodes.create({ metadata: { name: 'node' } });
  for (const row of rows) await client.core.v1.namespaces.create({ metadata: { name: namespaceOf(row) } });
  await pass(5000);
  for (const row of rows) await row.make(client, namespaceOf(row));
  await pass(600_000, 5000);
  for (const row of rows) said.set(namespaceOf(row), await saidIn(client, namespaceOf(row)));
}, 60_000);
afterAll(() => cluster[Symbol.asyncDispose]());

const containers = [{ name: 'c', image: 'i' }];
const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
const once = { ...template, spec: { containers, restartPolicy: 'Never' } };
const selector = { matchLabels: { app: 'web' } };

/** Writes an object to the store as an older or a broken server would have. */
async function store(namespace: string, resource: string, object: KubeObject & JsonObject): Promise<void> {
  const metadata = {
    ...{ name: 'bad', namespace, uid: crypto.randomUUID(), generation: 1 },
    creationTimestamp: new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, ''),
    ...object.metadata,
  };
  const value = Buffer.from(JSON.stringify({ ...object, metadata }));
  await cluster.store.create(`/registry/${resource}/${namespace}/bad`, value);
}

interface Row {
  readonly name: string;
  readonly make: (client: Client, namespace: string) => Promise<unknown>;
  /** Creations of this resource, or updates of this object, are refused, as by a webhook. */
  readonly refused?: string;
  /** Reasons of events, and of conditions with `type=status`. */
  readonly says: readonly string[];
  /** In ten minutes, with what is made for the namespace itself. */
  readonly atMost: number;
}

const apps = { apiVersion: 'apps/v1', spec: { replicas: 2, selector, template } };
const batch = { apiVersion: 'batch/v1' };
const mismatched = { ...apps.spec, selector: { matchLabels: { app: 'other' } } };
const invalid = { ...apps.spec, selector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['w%'] }] } };
const everything = { ...apps.spec, selector: {} };
const nothing = { replicas: 2, template };

const namespaceOf = ({ name }: Row): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);

const selectors = (['ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet'] as const).flatMap((kind): Row[] => {
  const resource = `${kind.toLowerCase()}s`;
  const row = (name: string, spec: JsonObject, reason: string): Row => ({
    name: `a ${kind} ${name}`,
    make: (_, namespace) => store(namespace, resource, { ...apps, kind, spec }),
    says: [reason],
    atMost: 12,
  });
  return [
    row('whose selector does not match its template', mismatched, 'SelectorMismatch'),
    row('whose selector has an operator that there is not', invalid, 'InvalidSelector'),
    row('whose selector matches everything', everything, 'SelectingAll'),
    row('without a selector', nothing, 'SelectorMismatch'),
  ];
});

const refusals: readonly Row[] = [
  ['ReplicaSet', 'replicasets', 'pods', 'FailedCreate', 'ReplicaFailure=True'] as const,
  ['Deployment', 'deployments', 'replicasets', 'ReplicaSetCreateError', 'Progressing=False'] as const,
  ['StatefulSet', 'statefulsets', 'pods', 'FailedCreate'] as const,
  ['DaemonSet', 'daemonsets', 'pods', 'FailedCreate'] as const,
].map(([kind, resource, refused, ...says]) => ({
  name: `a ${kind} whose ${refused} a webhook refuses`,
  make: (client, namespace) =>
    client
      .dynamic({ group: 'apps', version: 'v1', resource })
      .namespace(namespace)
      .create({ ...apps, kind, metadata: { name: 'bad', namespace } }),
  refused,
  says,
  atMost: 100,
}));

const services = (
  [
    ['endpoints', 'FailedToCreateEndpoint'],
    ['endpointslices', 'FailedToUpdateEndpointSlices'],
  ] as const
).map(
  ([refused, says]): Row => ({
    name: `a Service whose ${refused} a webhook refuses`,
    make: (client, namespace) =>
      client.core.v1.services
        .namespace(namespace)
        .create({ metadata: { name: 'bad' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }),
    ...{ refused, says: [says], atMost: 100 },
  }),
);

const rows: readonly Row[] = [
  ...selectors,
  ...refusals,
  ...services,
  {
    name: 'a Job whose selector does not match its template',
    make: (_, namespace) =>
      store(namespace, 'jobs', {
        ...{ ...batch, kind: 'Job' },
        spec: { parallelism: 1, completions: 1, manualSelector: true, selector: mismatched.selector, template: once },
      }),
    ...{ says: ['SelectorMismatch'], atMost: 12 },
  },
  {
    name: 'a Job whose pods a webhook refuses',
    make: (client, namespace) =>
      client.batch.v1.jobs
        .namespace(namespace)
        .create({ metadata: { name: 'bad' }, spec: { template: once as never } }),
    ...{ refused: 'pods', says: ['FailedCreate'], atMost: 100 },
  },
  {
    name: 'a CronJob whose time zone there is not any more',
    make: (_, namespace) =>
      store(namespace, 'cronjobs', {
        ...{ ...batch, kind: 'CronJob' },
        spec: { schedule: '* * * * *', timeZone: 'Mars/Olympus', jobTemplate: { spec: { template: once } } },
      }),
    ...{ says: ['UnknownTimeZone'], atMost: 12 },
  },
  {
    name: 'a CronJob whose schedule cannot be read',
    make: (_, namespace) =>
      store(namespace, 'cronjobs', {
        ...{ ...batch, kind: 'CronJob' },
        spec: { schedule: 'each full moon', jobTemplate: { spec: { template: once } } },
      }),
    ...{ says: ['UnparseableSchedule'], atMost: 12 },
  },
  {
    name: 'a CronJob whose Jobs a webhook refuses',
    make: (client, namespace) =>
      client.batch.v1.cronjobs.namespace(namespace).create({
        metadata: { name: 'bad' },
        spec: { schedule: '* * * * *', jobTemplate: { spec: { template: once as never } } },
      }),
    ...{ refused: 'jobs', says: ['FailedCreate'], atMost: 250 },
  },
  {
    name: 'a ReplicaSet in a namespace whose quota is used up',
    async make(client, namespace) {
      await client.core.v1.resourcequotas
        .namespace(namespace)
        .create({ metadata: { name: 'none' }, spec: { hard: { pods: '0' } } });
      await cluster.until(async () => {
        const quota = await client.core.v1.resourcequotas.namespace(namespace).get('none');
        expect(quota.status?.hard).toEqual({ pods: '0' });
      });
      await client.apps.v1.replicasets.namespace(namespace).create({ metadata: { name: 'bad' }, spec: apps.spec });
    },
    ...{ says: ['FailedCreate', 'ReplicaFailure=True'], atMost: 100 },
  },
  {
    name: 'an autoscaler of nothing',
    make: (client, namespace) =>
      client.autoscaling.v2.horizontalpodautoscalers.namespace(namespace).create({
        metadata: { name: 'bad' },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'absent' } },
      }),
    ...{ says: ['FailedGetScale', 'AbleToScale=False'], atMost: 150 },
  },
  {
    name: 'an autoscaler of a kind that there is not',
    make: (client, namespace) =>
      client.autoscaling.v2.horizontalpodautoscalers.namespace(namespace).create({
        metadata: { name: 'bad' },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'example.com/v1', kind: 'Absent', name: 'absent' } },
      }),
    ...{ says: ['FailedGetScale', 'AbleToScale=False'], atMost: 150 },
  },
  {
    name: 'an autoscaler whose scaling a webhook refuses',
    async make(client, namespace) {
      await client.apps.v1.deployments
        .namespace(namespace)
        .create({ metadata: { name: 'web' }, spec: { ...apps.spec, replicas: 1 } });
      await client.autoscaling.v2.horizontalpodautoscalers.namespace(namespace).create({
        metadata: { name: 'bad' },
        spec: {
          ...{ minReplicas: 2, maxReplicas: 3 },
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        },
      });
    },
    refused: 'deployments/web/scale',
    ...{ says: ['FailedRescale', 'AbleToScale=False'], atMost: 250 },
  },
  {
    name: 'a disruption budget in percent over pods that nothing controls',
    async make(client, namespace) {
      await client.core.v1.pods.namespace(namespace).create({ metadata: { name: 'free' }, spec: { containers } });
      await client.policy.v1.poddisruptionbudgets
        .namespace(namespace)
        .create({ metadata: { name: 'bad' }, spec: { maxUnavailable: '50%', selector: {} } });
    },
    ...{ says: ['UnmanagedPods', 'DisruptionAllowed=False'], atMost: 30 },
  },
  {
    name: 'a claim whose class there is not',
    make: (client, namespace) =>
      client.core.v1.persistentvolumeclaims.namespace(namespace).create({
        metadata: { name: 'bad' },
        spec: {
          ...{ storageClassName: 'absent', accessModes: ['ReadWriteOnce'] },
          resources: { requests: { storage: '1Gi' } },
        },
      }),
    ...{ says: ['ProvisioningFailed'], atMost: 60 },
  },
];

test.each(rows)('Controllers with bad input: $name', (row) => {
  const namespace = namespaceOf(row);
  expect(said.get(namespace)).toEqual(expect.arrayContaining([...row.says]));
  expect(cluster.proxy.count(({ path }) => path.includes(`/namespaces/${namespace}/`))).toBeLessThanOrEqual(row.atMost);
});

/** Reasons of events, and conditions of what is called `bad`. */
async function saidIn(client: Client, namespace: string): Promise<string[]> {
  const events = await client.core.v1.events.namespace(namespace).list();
  const kinds = [
    client.apps.v1.deployments,
    client.apps.v1.replicasets,
    client.autoscaling.v2.horizontalpodautoscalers,
    client.policy.v1.poddisruptionbudgets,
  ];
  const lists = await Promise.all(kinds.map((kind) => kind.namespace(namespace).list()));
  const conditions = lists.flatMap(({ items }) =>
    items.flatMap(
      ({ status }) =>
        (status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions?.map(
          (condition) => `${condition.type}=${condition.status}`,
        ) ?? [],
    ),
  );
  return [...events.items.map(({ reason }) => reason!), ...conditions];
}
