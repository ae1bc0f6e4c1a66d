/** The part of a node agent: pods become ready, for tests of the controllers that wait for that. */
import type { Client } from '../../../src/client/client.ts';

/** Marks all pods of the namespace as running and ready, until it is disposed. */
export function keepPodsReady(client: Client, namespace: string): AsyncDisposable {
  const abort = new AbortController();
  const pods = client.core.v1.pods.namespace(namespace);
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
  const run = async (): Promise<void> => {
    for await (const { type, object } of pods.watch({ signal: abort.signal }))
      if (type === 'ADDED')
        await pods.status
          .patch(object.metadata.name!, { strategic: { status: { phase: 'Running', conditions: [ready] } } })
          .catch(() => undefined);
  };
  const running = run().catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      abort.abort();
      await running;
    },
  };
}
