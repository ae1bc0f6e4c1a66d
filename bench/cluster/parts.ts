/** The parts of the benchmark. Each leaves the cluster as it was, and is bounded by its signal. */
import { setTimeout as sleep } from 'node:timers/promises';
import { large } from './large.ts';
import { goals, reference } from './reference.ts';
import type { Processes } from './local-cluster.ts';
import { measured, type Part, podsPerSecond } from './part.ts';
import {
  createDeployment,
  createMany,
  deleteNamespace,
  inNamespace,
  isBound,
  isReady,
  podSpec,
  secondsUntilPods,
  until,
} from './workloads.ts';

const settleMs = 5_000;
const idleMs = 30_000;

const scale: Part = {
  about: 'a Deployment is scaled from 0 to 1,000',
  nodes: 50,
  run: (cluster, signal) =>
    inNamespace(cluster.client, 'scale', signal, () =>
      measured(cluster, async (begin) => {
        const { client } = cluster;
        await createDeployment(client, 'scale', 0);
        await sleep(settleMs, undefined, { signal });
        const since = begin();
        const pods = { namespace: 'scale', count: 1000, since, signal };
        const times = secondsUntilPods(client, pods, [isBound, isReady]);
        await client.apps.v1.deployments.namespace('scale').patch('web', { merge: { spec: { replicas: 1000 } } });
        const [bound, ready] = await times;
        return [
          { name: 'all bound', value: bound!, unit: 's', reference: reference.boundSeconds },
          {
            name: 'all Ready',
            value: ready!,
            unit: 's',
            goal: goals.readySeconds,
            reference: reference.readySeconds,
          },
        ];
      }),
    ),
};

const rollout: Part = {
  about: 'a rolling update of 500 pods',
  nodes: 50,
  run: (cluster, signal) =>
    inNamespace(cluster.client, 'rollout', signal, () =>
      measured(cluster, async (begin) => {
        const { client } = cluster;
        const deployments = client.apps.v1.deployments.namespace('rollout');
        const isUpdated = async (generation: number): Promise<boolean> => {
          const { status } = await deployments.get('web');
          const { observedGeneration = 0, replicas, updatedReplicas, availableReplicas } = status ?? {};
          return (
            observedGeneration >= generation && [replicas, updatedReplicas, availableReplicas].every((n) => n === 500)
          );
        };
        await createDeployment(client, 'rollout', 500);
        await until(signal, () => isUpdated(1));
        const since = begin();
        const template = { spec: podSpec('registry.example/web:2') };
        const { metadata } = await deployments.patch('web', { strategic: { spec: { template } } });
        await until(signal, () => isUpdated(Number(metadata.generation ?? 2)));
        const value = (performance.now() - since) / 1000;
        return [{ name: 'all updated and available', value, unit: 's', goal: goals.rolloutSeconds }];
      }),
    ),
};

const namespace: Part = {
  about: 'a namespace with 2,000 ConfigMaps, 2,000 Secrets and 1,000 running pods is deleted',
  nodes: 50,
  run: (cluster, signal) =>
    measured(cluster, async (begin) => {
      const { client } = cluster;
      await client.core.v1.namespaces.create({ metadata: { name: 'full' } });
      await until(signal, async () => (await client.core.v1.serviceaccounts.namespace('full').list()).items.length > 0);
      const metadata = (index: number) => ({ name: `item-${index}` });
      const data = { key: 'value'.repeat(40) };
      await createMany(2000, (index) =>
        client.core.v1.configmaps.namespace('full').create({ metadata: metadata(index), data }),
      );
      await createMany(2000, (index) =>
        client.core.v1.secrets.namespace('full').create({ metadata: metadata(index), stringData: data }),
      );
      const pods = { namespace: 'full', count: 1000, since: 0, signal };
      const running = secondsUntilPods(client, pods, [isReady]);
      await createMany(1000, (index) =>
        client.core.v1.pods
          .namespace('full')
          .create({ metadata: metadata(index), spec: podSpec('registry.example/a:1') }),
      );
      await running;
      const since = begin();
      await deleteNamespace(client, 'full', signal);
      const value = (performance.now() - since) / 1000;
      return [{ name: 'namespace gone', value, unit: 's', goal: goals.namespaceSeconds }];
    }),
};

const cronJobs: Part = {
  about: '500 CronJobs of one minute, from the full minute on',
  nodes: 50,
  run: (cluster, signal) =>
    inNamespace(cluster.client, 'cron', signal, () =>
      measured(cluster, async (begin) => {
        const { client } = cluster;
        // They are all there before the minute that is measured, and have not run before it.
        const left = 60_000 - (Date.now() % 60_000);
        if (left < 20_000) await sleep(left + 100, undefined, { signal });
        const spec = {
          schedule: '* * * * *',
          jobTemplate: {
            spec: { template: { spec: { ...podSpec('registry.example/job:1'), restartPolicy: 'Never' as const } } },
          },
        };
        await createMany(500, (index) =>
          client.batch.v1.cronjobs.namespace('cron').create({ metadata: { name: `each-minute-${index}` }, spec }),
        );
        const jobs = client.batch.v1.jobs.namespace('cron').watch({ signal });
        await sleep(60_000 - (Date.now() % 60_000), undefined, { signal });
        const since = begin();
        const owners = new Set<string>();
        for await (const { type, object } of jobs) {
          if (type === 'ADDED') owners.add(object.metadata.ownerReferences?.[0]?.name ?? '');
          if (owners.size >= 500) break;
        }
        const value = (performance.now() - since) / 1000;
        return [{ name: 'all have their Job', value, unit: 's', goal: goals.cronJobSeconds }];
      }),
    ),
};

const idle: Part = {
  about: '100 nodes without pods, for 30 s',
  nodes: 100,
  run: (cluster, signal) =>
    measured(cluster, async (begin) => {
      await sleep(2 * settleMs, undefined, { signal });
      const before = cluster.processes();
      const since = begin();
      await sleep(idleMs, undefined, { signal });
      const seconds = (performance.now() - since) / 1000;
      const used = sumCpu(cluster.processes()) - sumCpu(before);
      return [
        { name: 'CPU of all processes', value: (100 * used) / seconds, unit: '% of a core', goal: goals.idlePercent },
      ];
    }),
};

const sumCpu = (processes: Processes): number =>
  Object.values(processes).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);

const scheduler: Part = {
  about: '2,000 pods wait for the scheduler, on 100 nodes',
  nodes: 100,
  run: (cluster, signal) =>
    inNamespace(cluster.client, 'queue', signal, () =>
      measured(cluster, async (begin) => {
        const value = await podsPerSecond(cluster, 'queue', begin, signal);
        return [{ name: 'pods bound per second', value, unit: '/s', goal: goals.podsPerSecond, isRate: true }];
      }),
    ),
};

/** In the order in which they run. */
export const parts = {
  scale,
  rollout,
  namespace,
  cronjobs: cronJobs,
  idle,
  scheduler,
  large,
} as const satisfies Record<string, Part>;
export type PartName = keyof typeof parts;
