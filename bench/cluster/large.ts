/** A cluster as large as one is promised to be: what its processes need to hold it, and whether they keep up. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../src/client/client.ts';
import { type Figure, measured, type Part, podsPerSecond } from './part.ts';
import { goals } from './reference.ts';
import { createMany, inNamespace, isReady, podSpec, secondsUntilPods } from './workloads.ts';

const podCount = 50_000;
const holdMs = 60_000;

export const large: Part = {
  about: `${podCount.toLocaleString('en')} pods are created, and held for ${holdMs / 1000} s`,
  nodes: 5000,
  isLong: true,
  run: (cluster, signal) =>
    inNamespace(cluster.client, 'large', signal, () =>
      measured(cluster, async (begin) => {
        const { client } = cluster;
        const rate = await podsPerSecond(cluster, 'large', () => performance.now(), signal);
        const since = performance.now();
        const ready = secondsUntilPods(client, { namespace: 'large', count: podCount, since, signal }, [isReady]);
        const rest = podCount - (await client.core.v1.pods.namespace('large').listAll()).items.length;
        await createMany(rest, (index) =>
          client.core.v1.pods
            .namespace('large')
            .create({ metadata: { name: `held-${index}` }, spec: podSpec('registry.example/a:1') }),
        );
        const [seconds] = await ready;
        begin();
        let oldestLease = 0;
        for (const end = performance.now() + holdMs; performance.now() < end; ) {
          await sleep(holdMs / 6, undefined, { signal });
          oldestLease = Math.max(oldestLease, await oldestLeaseSeconds(client));
        }
        const used = cluster.processes();
        const resident = (name: 'controller manager' | 'scheduler', goal: number): Figure => ({
          name: `${name}, held`,
          value: used[name].residentBytes / 2 ** 20,
          unit: 'MB',
          goal,
        });
        return [
          { name: 'pods bound per second', value: rate, unit: '/s', goal: goals.podsPerSecondLarge, isRate: true },
          { name: 'all Ready', value: seconds!, unit: 's' },
          { name: 'oldest lease', value: oldestLease, unit: 's', goal: goals.leaseSeconds },
          { name: 'nodes that are not Ready', value: await notReady(client), unit: '', goal: 0 },
          resident('controller manager', goals.controllerManagerMegabytes),
          resident('scheduler', goals.schedulerMegabytes),
        ];
      }),
    ),
};

/** Since the node whose lease was renewed longest ago renewed it. */
async function oldestLeaseSeconds(client: Client): Promise<number> {
  const now = Date.now();
  const { items } = await client.coordination.v1.leases.namespace('kube-node-lease').listAll();
  return Math.max(0, ...items.map(({ spec }) => (now - Date.parse(spec?.renewTime ?? '')) / 1000));
}

async function notReady(client: Client): Promise<number> {
  const { items } = await client.core.v1.nodes.listAll();
  return items.filter(
    ({ status }) => status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') !== true,
  ).length;
}
