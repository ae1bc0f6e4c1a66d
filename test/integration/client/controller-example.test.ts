/** The controller of the README. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { createClient, type KubeObject, parseClientConfig } from '../../../src/client/index.ts';
import { createControlPlane } from '../../../src/index.ts';

interface Greeting extends KubeObject {
  spec: { name: string };
  status?: { text: string };
}

test('The controller of the README keeps a config map and a status for each custom resource', async () => {
  await using controlPlane = await createControlPlane();
  await using client = createClient(await parseClientConfig(controlPlane.kubeconfig), { qps: 0 });
  const definition = await readFile(new URL('greetings.json', import.meta.url), 'utf8');
  await client.apiextensions.v1.customresourcedefinitions.create(JSON.parse(definition) as object);
  const all = client.dynamic<Greeting>({ group: 'example.com', version: 'v1', resource: 'greetings' });
  const greetings = all.namespace('default');
  const greeting = {
    apiVersion: 'example.com/v1',
    kind: 'Greeting',
    metadata: { name: 'first' },
    spec: { name: 'world' },
  };
  await vi.waitFor(() => greetings.create(greeting), { timeout: 10_000 });

  vi.stubEnv('KUBECONFIG', controlPlane.kubeconfigPath);
  const { stop } = await import('./controller-example.ts');
  try {
    const textOf = async (wanted: string): Promise<void> => {
      for await (const { object } of greetings.watch()) if (object.status?.text === wanted) return;
    };
    await textOf('Hello, world!');
    await greetings.patch('first', { merge: { spec: { name: 'reader' } } });
    await textOf('Hello, reader!');
    const map = await client.core.v1.configmaps.namespace('default').get('first');
    expect(map.data).toEqual({ text: 'Hello, reader!' });
    expect(map.metadata.managedFields).toMatchObject([{ manager: 'greeter', operation: 'Apply' }]);
  } finally {
    await stop();
    vi.unstubAllEnvs();
  }
});

test('The package exports the client as orch/client', async () => {
  const run = promisify(execFile);
  await run(process.execPath, ['hack/build.mjs']);
  const program = "import { createClient } from 'orch/client'; console.log(typeof createClient)";
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('function\n');
});
