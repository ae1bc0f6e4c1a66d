/** An API server with hollow nodes, for tests. `clock` puts the time of the nodes forward. */
import type { Pod } from '../../../src/api/gen/types/core-v1.ts';
import { type Client, createClient, parseClientConfig } from '../../../src/client/index.ts';
import { createControlPlane } from '../../../src/index.ts';
import { createHollowNodes, type HollowNodesOptions } from '../../../src/node-agent/hollow/hollow-nodes.ts';
import { parseStages } from '../../../src/node-agent/hollow/stages/stage-file.ts';
import { JumpClock } from './jump-clock.ts';

export interface HollowCluster extends AsyncDisposable {
  readonly client: Client;
  readonly clock: JumpClock;
  /** Resolves with the first state of the pod that fits; rejects when it is deleted before. */
  podUntil(name: string, fits: (pod: Pod) => boolean): Promise<Pod>;
  /** All states of the pod until it is gone. */
  statesUntilGone(name: string): Promise<readonly Pod[]>;
  /** Other hollow nodes, as another process has them. Stopped with the cluster. */
  startNodes(options: Partial<HollowNodesOptions>): { stop(): Promise<void> };
}

export interface HollowClusterOptions extends Partial<Omit<HollowNodesOptions, 'stages'>> {
  /** The content of a file. */
  readonly stages?: string;
}

export async function startHollowCluster({
  stages = '',
  ...options
}: HollowClusterOptions = {}): Promise<HollowCluster> {
  const controlPlane = await createControlPlane({ controllers: false });
  const client = createClient(await parseClientConfig(controlPlane.kubeconfig), { qps: 0 });
  const clock = new JumpClock();
  const begin = Date.now() - clock.now();
  const time = { clock, wallTime: () => begin + clock.now(), random: () => 0 };
  const stops: (() => Promise<void>)[] = [];
  const startNodes: HollowCluster['startNodes'] = (more) => {
    const hollow = createHollowNodes({ client, count: 2, ...time, ...more });
    hollow.start();
    stops.push(() => hollow.stop());
    return hollow;
  };
  startNodes({ stages: parseStages(stages), ...options });
  const watchOf = (name: string) => client.core.v1.pods.watch({ fieldSelector: `metadata.name=${name}` });
  return {
    client,
    clock,
    startNodes,
    async podUntil(name, fits) {
      for await (const { type, object } of watchOf(name)) {
        if (type === 'DELETED') throw new Error(`pod ${name} was deleted: ${JSON.stringify(object.status)}`);
        if (fits(object)) return object;
      }
      throw new Error('the watch ended');
    },
    async statesUntilGone(name) {
      const states: Pod[] = [];
      for await (const { type, object } of watchOf(name)) {
        states.push(object);
        if (type === 'DELETED') return states;
      }
      throw new Error('the watch ended');
    },
    async [Symbol.asyncDispose]() {
      for (const stop of stops) await stop();
      await client.close();
      await controlPlane.close();
    },
  };
}

export interface PodOptions {
  readonly name: string;
  readonly nodeName?: string;
  readonly metadata?: Pod['metadata'];
  readonly spec?: Partial<Pod['spec']>;
}

export const pod = ({ name, nodeName = 'hollow-node-0', metadata, spec }: PodOptions): Pod =>
  ({
    metadata: { name, namespace: 'default', ...metadata },
    spec: { nodeName, containers: [{ name: 'main', image: 'registry.example/app:1' }], ...spec },
  }) as Pod;

export const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

export const mainOf = ({ status }: Pod) => status.containerStatuses?.[0];
