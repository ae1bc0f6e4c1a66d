/** APIServices of custom resources, which come and go with their definitions. */
import { expect, test } from 'vitest';
import type { APIService } from '../../../src/api/gen/types/apiregistration-v1.ts';
import { openEmbeddedStore } from '../../../src/storage/embedded/open.ts';
import { customDefinition, definitionsPath } from '../../support/definitions.ts';
import { apiServicesPath, localService } from '../../support/extension-backend.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

const label = 'kube-aggregator.kubernetes.io/automanaged';
const pathOf = (version: string): string => `${apiServicesPath}/${version}.example.com`;
const patch = (server: TestServer, path: string, body: object) =>
  server.send('PATCH', path, { body, headers: { 'content-type': 'application/merge-patch+json' } });

async function until(
  server: TestServer,
  path: string,
  isSo: (service: APIService | undefined) => boolean,
): Promise<APIService> {
  for (;;) {
    const answer = await server.send('GET', path);
    const service = answer.status === 200 ? answer.json<APIService>() : undefined;
    if (isSo(service)) return service!;
  }
}

const isThere = (service: APIService | undefined): boolean => service !== undefined;
const isGone = (service: APIService | undefined): boolean => service === undefined;

test('Each served version has an APIService that is available and has the priorities of custom resources', async () => {
  await using server = await startTestServer();
  await server.send('POST', definitionsPath, { body: customDefinition({ versions: [{}, {}, { served: false }] }) });
  for (const version of ['v1', 'v2']) {
    expect(await until(server, pathOf(version), isThere)).toMatchObject({
      metadata: { labels: { [label]: 'true' } },
      spec: { group: 'example.com', version, groupPriorityMinimum: 1000, versionPriority: 100 },
      status: {
        conditions: [
          { type: 'Available', status: 'True', reason: 'Local', message: 'Local APIServices are always available' },
        ],
      },
    });
  }
  expect((await server.send('GET', pathOf('v3'))).status).toBe(404);
  await patch(server, `${definitionsPath}/widgets.example.com`, {
    spec: {
      versions: (customDefinition({ versions: [{}, { served: false }, {}] }) as { spec: { versions: object[] } }).spec
        .versions,
    },
  });
  await until(server, pathOf('v2'), isGone);
  await until(server, pathOf('v3'), isThere);
  await server.send('DELETE', `${definitionsPath}/widgets.example.com`);
  for (const version of ['v1', 'v3']) await until(server, pathOf(version), isGone);
});

test('A deleted or changed APIService is restored; one without the label is left to its owner', async () => {
  await using server = await startTestServer();
  await server.send('POST', definitionsPath, { body: customDefinition() });
  const {
    metadata: { uid },
  } = await until(server, pathOf('v1'), isThere);
  await server.send('DELETE', pathOf('v1'));
  await until(server, pathOf('v1'), (service) => service !== undefined && service.metadata.uid !== uid);
  await patch(server, pathOf('v1'), { spec: { versionPriority: 7 } });
  await until(server, pathOf('v1'), (service) => service?.spec.versionPriority === 100);
  await patch(server, pathOf('v1'), { metadata: { labels: { [label]: null } }, spec: { versionPriority: 7 } });
  await server.send('DELETE', `${definitionsPath}/widgets.example.com`);
  // Something that comes later, to know that the server has been through it.
  await server.send('POST', definitionsPath, {
    body: {
      ...customDefinition({ spec: { group: 'later.example.com' } }),
      metadata: { name: 'widgets.later.example.com' },
    },
  });
  await until(server, `${apiServicesPath}/v1.later.example.com`, isThere);
  expect((await server.send('GET', pathOf('v1'))).json<APIService>().spec.versionPriority).toBe(7);
});

test('A labelled APIService without a definition is removed, and an unlabelled one survives a restart', async () => {
  await using store = await openEmbeddedStore();
  const left = (version: string, labels: object) => ({
    metadata: { name: `${version}.example.com`, labels },
    spec: { group: 'example.com', version, groupPriorityMinimum: 1000, versionPriority: 100 },
  });
  {
    await using server = await startTestServer({
      store,
      settled: true,
      flags: ['--runtime-config=apiextensions.k8s.io/v1=false'],
    });
    await server.send('POST', apiServicesPath, { body: left('v1', {}) });
    await server.send('POST', apiServicesPath, { body: left('v2', { [label]: 'true' }) });
    await until(server, pathOf('v2'), isGone);
  }
  await using second = await startTestServer({ store, settled: true });
  expect((await second.send('GET', pathOf('v1'))).status).toBe(200);
});

test('An APIService with a service replaces custom resources until it is deleted', async () => {
  await using server = await startTestServer();
  const list = '/apis/example.com/v1/namespaces/default/widgets';
  await server.send('POST', definitionsPath, { body: customDefinition() });
  await until(server, pathOf('v1'), isThere);
  await server.send('POST', '/api/v1/namespaces/default/services', { body: localService });
  // The label goes in the same write, or the server would put it right.
  await patch(server, pathOf('v1'), {
    metadata: { labels: { [label]: null } },
    spec: { service: { name: 'agg', namespace: 'default', port: 1 }, insecureSkipTLSVerify: true },
  });
  while ((await server.send('GET', list)).status !== 503);
  await server.send('DELETE', pathOf('v1'));
  while ((await server.send('GET', list)).status !== 200);
  expect((await until(server, pathOf('v1'), isThere)).metadata.labels).toEqual({ [label]: 'true' });
});
