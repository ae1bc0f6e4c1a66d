/** What the parts create, and how they wait for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pod } from '../../src/api/gen/types/core-v1.ts';
import type { Client } from '../../src/client/client.ts';
import type { Input } from '../../src/client/resources/typed-resources.ts';

/** As large as container specifications with an environment and resources are. */
export const podSpec = (image: string): Input<Pod['spec']> => ({
  containers: [
    {
      name: 'main',
      image,
      env: [{ name: 'MODE', value: 'bench' }],
      resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    },
  ],
});

export async function createDeployment(client: Client, namespace: string, replicas: number): Promise<void> {
  await client.apps.v1.deployments.namespace(namespace).create({
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podSpec('registry.example/web:1') },
    },
  });
}

/** Runs `create` for each number below `count`, 16 at once. */
export async function createMany(count: number, create: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await create(next++);
  };
  await Promise.all(Array.from({ length: 16 }, caller));
}

/** Runs `part` in a namespace of its own, which is gone when this resolves. */
export async function inNamespace<T>(
  client: Client,
  name: string,
  signal: AbortSignal,
  part: () => Promise<T>,
): Promise<T> {
  await client.core.v1.namespaces.create({ metadata: { name } });
  try {
    await untilAccount(client, name, signal);
    return await part();
  } finally {
    await deleteNamespace(client, name, signal);
  }
}

/** Resolves when the namespace is gone. */
export async function deleteNamespace(client: Client, name: string, signal: AbortSignal): Promise<void> {
  await client.core.v1.namespaces.delete(name);
  await until(signal, async () => {
    const { items } = await client.core.v1.namespaces.list({ fieldSelector: `metadata.name=${name}` });
    return items.length === 0;
  });
}

/** Pods are refused before that. */
const untilAccount = (client: Client, namespace: string, signal: AbortSignal): Promise<void> =>
  until(signal, async () => (await client.core.v1.serviceaccounts.namespace(namespace).list()).items.length > 0);

export async function until(signal: AbortSignal, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20, undefined, { signal });
}

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

export const isBound = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';

/**
 * Watches the pods of a namespace.
 * @returns for each of `states` the seconds from `since` (`performance.now()`) until `count` pods were in it
 */
export async function secondsUntilPods(
  client: Client,
  { namespace, count, since, signal }: { namespace: string; count: number; since: number; signal: AbortSignal },
  states: readonly ((pod: Pod) => boolean)[],
): Promise<number[]> {
  const inState = states.map(() => new Set<string>());
  const seconds: (number | undefined)[] = states.map(() => undefined);
  // A server ends watches after minutes; the next one begins with all pods there are.
  while (!signal.aborted)
    for await (const { type, object } of client.core.v1.pods.namespace(namespace).watch({ signal })) {
      states.forEach((isInState, index) => {
        const names = inState[index]!;
        const { name = '' } = object.metadata;
        if (type !== 'DELETED' && isInState(object)) names.add(name);
        else names.delete(name);
        if (names.size >= count) seconds[index] ??= (performance.now() - since) / 1000;
      });
      if (seconds.every((value) => value !== undefined)) return seconds as number[];
    }
  throw signal.reason;
}
