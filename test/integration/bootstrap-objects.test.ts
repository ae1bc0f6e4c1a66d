/** Objects that the server keeps: those of flow control, and APIServices. */
import { describe, expect, test } from 'vitest';
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from '../../src/api/flowcontrol/mandatory.ts';
import { suggestedFlowSchemas, suggestedPriorityLevels } from '../../src/api/flowcontrol/suggested.ts';
import type { APIService } from '../../src/api/gen/types/apiregistration-v1.ts';
import type { FlowSchema } from '../../src/api/gen/types/flowcontrol-v1.ts';
import type { KubeObject } from '../../src/machinery/object-meta.ts';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
const schemas = `${flowControl}/flowschemas`;
const levels = `${flowControl}/prioritylevelconfigurations`;
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const services = '/api/v1/namespaces/default/services';
const endpoints = '/api/v1/namespaces/default/endpoints';

const read = async <T>(server: TestServer, path: string): Promise<T> => (await server.send('GET', path)).json<T>();
const namesAt = async (server: TestServer, path: string): Promise<string[]> =>
  (await read<{ items: KubeObject[] }>(server, path)).items.map(({ metadata }) => metadata!.name!);
const patch = (server: TestServer, path: string, body: object) =>
  server.send('PATCH', path, { body, headers: { 'content-type': 'application/merge-patch+json' } });

/** Asks again until the object is so. */
async function until<T>(server: TestServer, path: string, isSo: (object: T) => boolean): Promise<T> {
  for (;;) {
    const object = await read<T>(server, path);
    if (isSo(object)) return object;
  }
}

describe('objects of flow control', () => {
  const created = (name: string, level: string) => ({
    metadata: { name },
    spec: { priorityLevelConfiguration: { name: level }, matchingPrecedence: 700 },
  });
  const dangling = ({ status }: FlowSchema): string | undefined =>
    status.conditions?.find(({ type }) => type === 'Dangling')?.status;

  test('All of them are there, and no schema is dangling; a table shows schemas in the order of matching', async () => {
    await using server = await startTestServer({ settled: true });
    expect(await namesAt(server, levels)).toEqual(
      [...mandatoryPriorityLevels.keys(), ...suggestedPriorityLevels.keys()].sort(),
    );
    const { items } = await read<{ items: FlowSchema[] }>(server, schemas);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(
      [...mandatoryFlowSchemas.keys(), ...suggestedFlowSchemas.keys()].sort(),
    );
    expect(new Set(items.map(dangling))).toEqual(new Set(['False']));
    const table = await server.send('GET', schemas, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const rows = table.json<{ rows: { cells: unknown[] }[] }>().rows.map(({ cells }) => cells[0]);
    expect(rows).toEqual([
      'exempt',
      'probes',
      'system-leader-election',
      'endpoint-controller',
      'workload-leader-election',
      'system-node-high',
      'system-nodes',
      'kube-controller-manager',
      'kube-scheduler',
      'kube-system-service-accounts',
      'service-accounts',
      'global-default',
      'catch-all',
    ]);
  });

  test('A schema is dangling while its level is not there', async () => {
    await using server = await startTestServer({ settled: true });
    await server.send('POST', schemas, { body: created('mine', 'my-level') });
    await until<FlowSchema>(server, `${schemas}/mine`, (schema) => dangling(schema) === 'True');
    await server.send('POST', levels, {
      body: {
        metadata: { name: 'my-level' },
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
      },
    });
    const { status } = await until<FlowSchema>(server, `${schemas}/mine`, (schema) => dangling(schema) === 'False');
    expect(status.conditions![0]).toMatchObject({
      reason: 'Found',
      message: 'This FlowSchema references the PriorityLevelConfiguration object named "my-level" and it exists',
    });
  });

  test('What was deleted or changed comes back, but for what an operator has taken over', async () => {
    await using store = await openEmbeddedStore();
    await using first = await startTestServer({ store, settled: true });
    await first.send('DELETE', `${schemas}/catch-all`);
    await first.send('DELETE', `${levels}/workload-low`);
    await patch(first, `${schemas}/probes`, { spec: { matchingPrecedence: 3 } });
    await patch(first, `${schemas}/global-default`, {
      metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } },
      spec: { matchingPrecedence: 9800 },
    });
    await patch(first, `${schemas}/service-accounts`, {
      metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': null } },
      spec: { matchingPrecedence: 8900 },
    });
    await patch(first, `${levels}/exempt`, { spec: { exempt: { nominalConcurrencyShares: 5 } } });
    await first.send('POST', schemas, {
      body: {
        ...created('old', 'exempt'),
        metadata: { name: 'old', annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' } },
      },
    });
    await using second = await startTestServer({ store, settled: true });
    const precedences = Object.fromEntries(
      (await read<{ items: FlowSchema[] }>(second, schemas)).items.map(({ metadata, spec }) => [
        metadata.name,
        spec.matchingPrecedence,
      ]),
    );
    expect(precedences).toMatchObject({
      'catch-all': 10000,
      probes: 2,
      'global-default': 9800,
      'service-accounts': 8900,
    });
    expect(precedences).not.toHaveProperty('old');
    expect(await namesAt(second, levels)).toContain('workload-low');
    expect((await read<{ spec: object }>(second, `${levels}/exempt`)).spec).toMatchObject({
      exempt: { nominalConcurrencyShares: 5 },
    });
    expect((await read<FlowSchema>(second, `${schemas}/service-accounts`)).metadata.annotations).toEqual({
      'apf.kubernetes.io/autoupdate-spec': 'false',
    });
  });

  test('A cluster that does not serve the group has none', async () => {
    await using server = await startTestServer({
      settled: true,
      flags: ['--runtime-config=flowcontrol.apiserver.k8s.io/v1=false'],
    });
    expect((await server.send('GET', schemas)).status).toBe(404);
  });
});

describe('API services', () => {
  const available = ({ status }: APIService) => status.conditions?.find(({ type }) => type === 'Available');
  const reasonIs =
    (reason: string) =>
    (service: APIService): boolean =>
      available(service)?.reason === reason;

  test('There is an API service for each group and version, and it is available', async () => {
    await using server = await startTestServer({ settled: true });
    const { items } = await read<{ items: APIService[] }>(server, apiServices);
    const { groups } = await read<{
      groups: { name: string; versions: { groupVersion: string; version: string }[] }[];
    }>(server, '/apis');
    const served = groups
      .filter(({ name }) => name !== 'apiregistration.k8s.io')
      .flatMap(({ name, versions }) => versions.map(({ version }) => `${version}.${name}`));
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['v1.', ...served].sort());
    expect(new Set(items.map((service) => available(service)?.reason))).toEqual(new Set(['Local']));
    expect(items.find(({ spec }) => spec.group === 'autoscaling' && spec.version === 'v2')).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { groupPriorityMinimum: 17500, versionPriority: 30 },
    });
  });

  test('A later start removes what is no longer served, restores changes, and leaves other objects alone', async () => {
    await using store = await openEmbeddedStore();
    await using first = await startTestServer({ store, settled: true });
    await patch(first, `${apiServices}/v1.apps`, { spec: { versionPriority: 99 } });
    await patch(first, `${apiServices}/v1.policy`, { metadata: { labels: null }, spec: { versionPriority: 99 } });
    await using second = await startTestServer({ store, settled: true, flags: ['--runtime-config=batch/v1=false'] });
    const items = (await read<{ items: APIService[] }>(second, apiServices)).items;
    const priorities = Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.versionPriority]));
    expect(priorities).toMatchObject({ 'v1.apps': 15, 'v1.policy': 99 });
    expect(priorities).not.toHaveProperty('v1.batch');
  });

  test('Of an API service elsewhere it is known what is missing', async () => {
    await using server = await startTestServer({ settled: true });
    const path = `${apiServices}/v1.agg.example.com`;
    const spec = {
      group: 'agg.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { name: 's', namespace: 'default', port: 8443 },
    };
    await server.send('POST', apiServices, { body: { metadata: { name: 'v1.agg.example.com' }, spec } });
    await until(server, path, reasonIs('ServiceNotFound'));
    await server.send('POST', services, {
      body: { metadata: { name: 's' }, spec: { ports: [{ name: 'other', port: 80 }] } },
    });
    expect(available(await until(server, path, reasonIs('ServicePortError')))!.message).toBe(
      'service/s in "default" is not listening on port 8443',
    );
    await patch(server, `${services}/s`, { spec: { ports: [{ name: 'https', port: 8443 }] } });
    await until(server, path, reasonIs('EndpointsNotFound'));
    await server.send('POST', endpoints, {
      body: {
        metadata: { name: 's' },
        subsets: [{ notReadyAddresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 8443 }] }],
      },
    });
    await until(server, path, reasonIs('MissingEndpoints'));
    await patch(server, `${endpoints}/s`, {
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 8443 }] }],
    });
    const last = await until(server, path, reasonIs('FailedDiscoveryCheck'));
    expect(available(last)!.status).toBe('False');
  });
});
