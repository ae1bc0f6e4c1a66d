/** A control plane with a scheduler in the process of the test, and makers of the objects that it works with. */
import type { Node, Pod, PodSpec } from '../../../src/api/gen/types/core-v1.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { parseClientConfig } from '../../../src/client/kubeconfig/load.ts';
import type { Input } from '../../../src/client/resources/typed-resources.ts';
import { createControlPlane } from '../../../src/index.ts';
import { createScheduler, type SchedulerOptions } from '../../../src/scheduler/scheduler.ts';

export interface ScheduledCluster extends AsyncDisposable {
  readonly client: Client;
  addNode(name: string, options?: NodeOptions): Promise<Node>;
  addPod(name: string, spec?: Input<PodSpec>, labels?: Record<string, string>): Promise<Pod>;
  /** Waits until the pod is as wanted. */
  pod(name: string, isWanted: (pod: Pod) => boolean): Promise<Pod>;
  /** The node that the pod is given. */
  nodeOf(name: string): Promise<string>;
  /** What the condition PodScheduled says once it is False. */
  refusalOf(name: string, isWanted?: (message: string) => boolean): Promise<string>;
  /** `type reason message` of the events about the pod. */
  eventsOf(name: string): Promise<string[]>;
}

export interface NodeOptions {
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly labels?: Record<string, string>;
  readonly spec?: Input<Node['spec']>;
}

export async function startScheduledCluster(
  options: Partial<Omit<SchedulerOptions, 'client'>> = {},
  flags: readonly string[] = [],
): Promise<ScheduledCluster> {
  const controlPlane = await createControlPlane({ controllers: false, flags });
  const client = createClient(await parseClientConfig(controlPlane.kubeconfig), { qps: 0 });
  const scheduler = createScheduler({ client, ...options });
  await scheduler.start();
  const pods = client.core.v1.pods.namespace('default');
  const pod = async (name: string, isWanted: (pod: Pod) => boolean): Promise<Pod> => {
    const signal = AbortSignal.timeout(20_000);
    for await (const { object } of pods.watch({ fieldSelector: `metadata.name=${name}`, signal }))
      if (isWanted(object)) return object;
    throw new Error(`pod ${name} did not become what the test waits for`);
  };
  const refusal = ({ status }: Pod): string | undefined =>
    status.conditions?.find((condition) => condition.type === 'PodScheduled' && condition.status === 'False')?.message;
  return {
    client,
    async addNode(name, options) {
      const made = node(name, options);
      await client.core.v1.nodes.create(made);
      // Admission adds the taint not-ready, which a controller would remove.
      return client.core.v1.nodes.patch(name, { merge: { spec: { taints: options?.spec?.taints ?? null } } });
    },
    addPod: (name, spec, labels = {}) =>
      pods.create({
        metadata: { name, labels },
        spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
      }),
    pod,
    nodeOf: async (name) => (await pod(name, ({ spec }) => (spec.nodeName ?? '') !== '')).spec.nodeName!,
    async refusalOf(name, isWanted = () => true) {
      const found = await pod(name, (each) => refusal(each) !== undefined && isWanted(refusal(each)!));
      return refusal(found)!;
    },
    async eventsOf(name) {
      const { items } = await client.events.v1.events.namespace('default').list();
      return (items ?? [])
        .filter(({ regarding }) => regarding.name === name)
        .map(({ type = '', reason = '', note = '' }) => `${type} ${reason} ${note}`);
    },
    async [Symbol.asyncDispose]() {
      await scheduler.stop();
      await client.close();
      await controlPlane.close();
    },
  };
}

export function node(name: string, { cpu = '4', memory = '8Gi', pods = '110', labels, spec }: NodeOptions = {}) {
  const amounts = { cpu, memory, pods };
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { ...spec },
    status: { capacity: amounts, allocatable: amounts },
  };
}

export const asking = (cpu: string): Input<PodSpec> => ({
  containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu } } }],
});
