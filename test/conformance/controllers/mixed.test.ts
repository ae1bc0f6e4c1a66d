/**
 * Both ways mixed with Kubernetes 1.20: our controllers on its API server, as far as its versions go, and its
 * controllers
 * on our API server with the old versions switched on. `reference-apiserver build` makes the other halves.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { startControllers } from '../../../src/controllers/manager/manager.ts';
import { defaultControllerManagerOptions as defaults } from '../../../src/controllers/manager/options.ts';
import type { JsonObject } from '../../../src/machinery/value.ts';
import { startAnyEtcd } from '../../support/any-etcd.ts';
import { KubeApiServer } from '../../support/kube-apiserver.ts';
import { referenceProgram } from '../../support/reference.ts';
import { Api, type ReadObject } from './api.ts';
import { startCluster } from './cluster.ts';
import { play } from './kubelet.ts';
import { Owned } from './owned.ts';
import type { KubeletStep } from './recording.ts';

interface Mixed extends AsyncDisposable {
  readonly api: Api;
}

const controllers = [
  ...['deployment', 'replicaset', 'statefulset', 'job', 'endpoint', 'garbagecollector', 'namespace', 'serviceaccount'],
  'resourcequota',
];

async function oursOnReference(): Promise<Mixed> {
  const owned = new Owned();
  try {
    const etcd = owned.use(await startAnyEtcd());
    const server = owned.use(await KubeApiServer.start(etcd.url, [], {}, referenceProgram('kube-apiserver')));
    const url = `https://127.0.0.1:${server.port}`;
    const ca = await readFile(path.join(server.directory, 'certs', 'apiserver.crt'), 'utf8');
    const authorization = (): Promise<string> => Promise.resolve('Bearer admin-token');
    const client = owned.use(createClient({ url, ca, authorization }, { qps: 500, burst: 1000 }));
    const options = { ...defaults, generic: { ...defaults.generic, controllers } };
    owned.use(startControllers({ clientFor: () => client, options }));
    const api = owned.use(new Api(url, ca, 'admin-token'));
    return { api, [Symbol.asyncDispose]: () => owned.close() };
  } catch (error) {
    await owned.close();
    throw error;
  }
}

const ways = [
  {
    name: 'our controllers on the API server of 1.20',
    start: oursOnReference,
    needs: 'kube-apiserver',
    completesJobs: true,
  },
  {
    name: 'the controllers of 1.20 on our API server',
    start: (): Promise<Mixed> => startCluster({ withReference: true }),
    needs: 'kube-controller-manager',
    // An API server of 1.32 refuses a Job that is complete without SuccessCriteriaMet, which 1.20 does not know.
    completesJobs: false,
  },
] as const;

const labels = { app: 'web' };
const pod = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } };
const once = { ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } };

describe.each(ways.map((way) => ({ ...way, isThere: referenceProgram(way.needs) !== undefined })))(
  '$name',
  ({ start, isThere, needs, completesJobs }) => {
    let cluster: Mixed;
    beforeAll(async () => {
      if (isThere) cluster = await start();
    });
    afterAll(() => cluster?.[Symbol.asyncDispose]());
    const on = (title: string, run: (api: Api, namespace: string) => Promise<void>): void =>
      test.skipIf(!isThere)(
        isThere ? title : `${title} (skipped: no ${needs}; REFERENCE_DIR can name one)`,
        async () => {
          const namespace = title
            .replaceAll(/[^a-z]+/gi, '-')
            .toLowerCase()
            .slice(0, 40)
            .replace(/-$/, '');
          await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
          await run(cluster.api, namespace);
        },
      );

    const create = (api: Api, path: string, body: JsonObject): Promise<unknown> => api.must('POST', path, body);
    const read = async (api: Api, path: string): Promise<ReadObject> => (await api.must('GET', path)) as ReadObject;
    const becomes = (facts: () => Promise<unknown>, wanted: unknown): Promise<void> =>
      expect.poll(facts, { timeout: 30_000, interval: 100 }).toEqual(wanted);
    const readyPods = async (api: Api, namespace: string): Promise<number> => {
      await play(api, namespace, { to: 'ready', ip: '10.1.2.3' } as KubeletStep);
      return (await api.list('pods', namespace)).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .length;
    };

    on('A Deployment comes to running pods, and a new template replaces them', async (api, namespace) => {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      await create(api, path, {
        metadata: { name: 'web' },
        spec: { replicas: 3, selector: { matchLabels: labels }, template: pod },
      });
      const status = async (): Promise<unknown> => {
        await readyPods(api, namespace);
        await play(api, namespace, { to: 'gone' });
        const { replicas, updatedReplicas, availableReplicas } = (await read(api, `${path}/web`))[
          'status'
        ] as JsonObject;
        return { replicas, updatedReplicas, availableReplicas };
      };
      const whole = { replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
      await becomes(status, whole);
      const image = { spec: { template: { spec: { containers: [{ name: 'c', image: 'nginx:2' }] } } } };
      await api.must('PATCH', `${path}/web`, image, 'application/strategic-merge-patch+json');
      await becomes(async () => (await api.list('replicasets', namespace)).length, 2);
      await becomes(status, whole);
      // The status may still be that of the first template: pods are played until the sets have their sizes.
      const sizes = async (): Promise<unknown> => {
        await status();
        return (await api.list('replicasets', namespace))
          .map(({ spec }) => (spec as JsonObject)['replicas'])
          .toSorted();
      };
      await becomes(sizes, [0, 3]);
    });

    on(completesJobs ? 'A Job is complete with its pods' : 'A Job makes its pods', async (api, namespace) => {
      const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
      await create(api, path, { metadata: { name: 'once' }, spec: { completions: 2, parallelism: 2, template: once } });
      await becomes(async () => (await api.list('pods', namespace)).length, 2);
      if (!completesJobs) return;
      await becomes(
        async () => {
          await play(api, namespace, { to: 'succeeded' });
          const { succeeded, conditions } = (await read(api, `${path}/once`))['status'] as JsonObject;
          const types = ((conditions ?? []) as JsonObject[]).filter(({ type }) => type === 'Complete').length;
          return { succeeded, types };
        },
        { succeeded: 2, types: 1 },
      );
    });

    on('A StatefulSet makes its pods in order', async (api, namespace) => {
      await create(api, `/apis/apps/v1/namespaces/${namespace}/statefulsets`, {
        metadata: { name: 'db' },
        spec: { replicas: 2, serviceName: 'db', selector: { matchLabels: labels }, template: pod },
      });
      const names = async (): Promise<unknown> =>
        (await api.list('pods', namespace)).map(({ metadata }) => metadata.name);
      await becomes(names, ['db-0']);
      await readyPods(api, namespace);
      await becomes(names, ['db-0', 'db-1']);
    });

    on('What a deleted Deployment owned goes with it', async (api, namespace) => {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      await create(api, path, {
        metadata: { name: 'web' },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: pod },
      });
      await becomes(async () => (await api.list('pods', namespace)).length, 2);
      await api.must('DELETE', `${path}/web`, { propagationPolicy: 'Background' });
      await becomes(async () => {
        await play(api, namespace, { to: 'gone' });
        return [(await api.list('replicasets', namespace)).length, (await api.list('pods', namespace)).length];
      }, [0, 0]);
    });

    on('Endpoints have the addresses of ready pods', async (api, namespace) => {
      await create(api, `/api/v1/namespaces/${namespace}/services`, {
        metadata: { name: 'web' },
        spec: { selector: labels, ports: [{ port: 80 }] },
      });
      await create(api, `/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name: 'web', labels },
        spec: { ...pod.spec, nodeName: 'node' },
      });
      await readyPods(api, namespace);
      await becomes(
        async () => {
          const { status, body } = await api.send('GET', `/api/v1/namespaces/${namespace}/endpoints/web`);
          const subsets = ((body as ReadObject)['subsets'] ?? []) as { addresses?: { ip: string }[] }[];
          return { status, ips: subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)) };
        },
        { status: 200, ips: ['10.1.2.3'] },
      );
    });

    on('A quota shows what is used', async (api, namespace) => {
      await create(api, `/api/v1/namespaces/${namespace}/resourcequotas`, {
        metadata: { name: 'q' },
        spec: { hard: { secrets: '50', services: '3' } },
      });
      const status = async (): Promise<{ hard?: JsonObject; used?: JsonObject }> =>
        (await read(api, `/api/v1/namespaces/${namespace}/resourcequotas/q`))['status'] as JsonObject;
      // What is made before that is counted by the next full look alone.
      await becomes(async () => (await status()).used?.['services'], '0');
      await create(api, `/api/v1/namespaces/${namespace}/services`, {
        metadata: { name: 'web' },
        spec: { ports: [{ port: 80 }] },
      });
      await becomes(async () => (await status()).used?.['services'], '1');
    });

    on('A deleted namespace ends with all that was in it', async (api, namespace) => {
      await create(api, `/apis/apps/v1/namespaces/${namespace}/deployments`, {
        metadata: { name: 'web' },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: pod },
      });
      await becomes(async () => (await api.list('pods', namespace)).length, 2);
      await becomes(
        async () => (await api.send('GET', `/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status,
        200,
      );
      await api.must('DELETE', `/api/v1/namespaces/${namespace}`);
      await becomes(async () => {
        await play(api, namespace, { to: 'gone' });
        return (await api.send('GET', `/api/v1/namespaces/${namespace}`)).status;
      }, 404);
    });
  },
);
