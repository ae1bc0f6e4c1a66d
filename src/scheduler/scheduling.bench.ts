/**
 * What it costs to choose a node and to assume the pod there, on clusters of different sizes and for pods that ask for
 * more and more: `npx vitest bench --run --project unit src/scheduler`.
 *
 * An iteration is one pod. It is forgotten again, so that the cluster stays as it was.
 */
import { bench, describe } from 'vitest';
import type { PodSpec, Service } from '../api/gen/types/core-v1.ts';
import { silentLogger } from '../base/logger.ts';
import { systemClock } from '../base/clock.ts';
import { defaultSchedulerConfig } from './config/defaults.ts';
import { PodScheduler } from './cycle/schedule-pod.ts';
import { CycleState } from './framework/cycle-state.ts';
import { silentObserver } from './framework/observer.ts';
import { createProfiles } from './plugins/create-profiles.ts';
import type { PluginContext } from './plugins/plugin-context.ts';
import { NominatedPods } from './queue/nominated-pods.ts';
import { ClusterState } from './state/cluster-state.ts';
import { MatchCounts } from './state/match-counts.ts';
import { node, pod, podInfo } from './testing/objects.ts';

const zone = 'topology.kubernetes.io/zone';
const host = 'kubernetes.io/hostname';
const labels = { app: 'web' };
const selector = { matchLabels: labels };
const podsPerNode = 10;

const specs: Readonly<Record<string, Partial<PodSpec>>> = {
  'that asks for cpu and memory': {},
  'with a node selector': { nodeSelector: { [zone]: 'z1' } },
  'spread over zones and nodes': {
    topologySpreadConstraints: [zone, host].map((topologyKey) => ({
      ...{ topologyKey, maxSkew: 5, whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
    })),
  },
  'with anti-affinity': {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: host, labelSelector: { matchLabels: { app: 'other' } } },
        ],
      },
    },
  },
  'that fits nowhere': { nodeSelector: { [zone]: 'none' } },
};

function schedulerOn(nodeCount: number): (spec: Partial<PodSpec>) => void {
  const cluster = new ClusterState();
  for (let i = 0; i < nodeCount; i++) {
    cluster.setNode(
      node({ name: `n${i}`, labels: { [zone]: `z${i % 3}` }, allocatable: { cpu: '32', memory: '128Gi' } }),
    );
    for (let j = 0; j < podsPerNode; j++)
      cluster.setPod(pod({ name: `p${i}-${j}`, node: `n${i}`, labels, requests: { cpu: '100m', memory: '64Mi' } }));
  }
  const service = { spec: { selector: labels } } as unknown as Service;
  const none = {
    objects: { get: () => undefined, values: () => [] },
    lister: { get: () => undefined, listIn: () => [], list: () => [] },
  };
  const informers = new Proxy(
    {},
    { get: (_, name) => (name === 'services' ? { lister: { listIn: () => [service] } } : none) },
  );
  const context = {
    ...{ cluster, informers, counts: new MatchCounts(cluster), nominated: new NominatedPods() },
    ...{ clock: systemClock, log: silentLogger, random: Math.random, wallTime: Date.now, observer: silentObserver },
  } as unknown as PluginContext;
  const [profile] = createProfiles(defaultSchedulerConfig(), context, silentObserver).values();
  const parts = { cluster, percentageOfNodesToScore: 0, random: Math.random, observer: silentObserver };
  const scheduler = new PodScheduler(parts);
  return (spec) => {
    const info = podInfo({ name: 'new', labels, requests: { cpu: '100m', memory: '64Mi' }, spec: { ...spec } });
    const choice = scheduler.choose(profile!, new CycleState(), info);
    if (choice.kind !== 'node') return;
    cluster.assume(info, choice.nodeName);
    cluster.forget(info.uid);
  };
}

for (const nodes of [100, 5000])
  describe(`on ${nodes} nodes`, () => {
    const schedule = schedulerOn(nodes);
    for (const [name, spec] of Object.entries(specs))
      bench(`a pod ${name}`, () => schedule(spec), { time: 1000, warmupTime: 200 });
  });
