/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openEmbeddedStore } from '../../../src/storage/embedded/open.ts';
import type { Store } from '../../../src/storage/interface.ts';
import type { ApiAnswer } from '../api-client.ts';
import { startOnStore, type StoreServer } from '../store-server.ts';

export const configMaps = '/api/v1/namespaces/default/configmaps';

export const deployments = '/apis/apps/v1/namespaces/default/deployments';

export let store: Store;

export let server: StoreServer;

export function startBeforeTests(): void {
  beforeAll(async () => {
    store = await openEmbeddedStore();
    server = await startOnStore(store);
    await server.client.send('POST', configMaps, { metadata: { name: 'a' }, data: { k: 'v' } });
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    await server.client.send('POST', deployments, { metadata: { name: 'web' }, spec });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  afterEach(async () => {
    expect((await server.client.send('GET', '/readyz')).status).toBe(200);
    expect(server.faults.filter(({ error }) => (error as Error).name !== 'StatusError')).toEqual([]);
  });
}

export const outcome = (answer: ApiAnswer): [number, string] => [answer.status, String(answer.object['message'] ?? '')];
