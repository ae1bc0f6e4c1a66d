/** Every resource that can be stored, those of alpha and beta versions too, through both media types. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codecs } from '../../src/api/codecs.ts';
import { groupVersions, type ResourceInfo } from '../../src/api/resources.ts';
import { readEnvelope, writeEnvelope } from '../../src/machinery/codec/envelope.ts';
import type { KubeObject } from '../../src/machinery/object-meta.ts';
import type { JsonObject } from '../../src/machinery/value.ts';
import { minimalNames, minimalObjects } from '../fixtures/minimal-objects.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    flags: ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true'],
    settled: true,
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const keyOf = ({ group, name }: ResourceInfo): string => `${group}/${name}`;
const pathOf = ({ apiVersion, group, namespaced, name }: ResourceInfo): string =>
  `${group === '' ? '/api' : '/apis'}/${apiVersion}/${namespaced ? 'namespaces/default/' : ''}${name}`;
const stored = groupVersions.flatMap(({ resources }) => resources).filter(({ storage }) => storage !== undefined);

function objectOf(info: ResourceInfo): KubeObject {
  // The same object is served in several versions: each has its own.
  const name = minimalNames[keyOf(info)] ?? `minimal-${info.version}`;
  const metadata = { name, ...(info.namespaced ? { namespace: 'default' } : {}) };
  return { apiVersion: info.apiVersion, kind: info.kind, metadata, ...structuredClone(minimalObjects[keyOf(info)]) };
}

interface WatchedEvent {
  readonly type: string;
  readonly object: KubeObject;
}

/** All changes since a version: the watch ends by itself. */
async function eventsSince(path: string, resourceVersion: string): Promise<string[]> {
  const { status, text } = await server.send(
    'GET',
    `${path}?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=1`,
  );
  expect(status).toBe(200);
  return text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as WatchedEvent)
    .map(({ type, object }) => `${type} ${object.metadata!.name}`);
}

/** Namespaces wait for a controller to empty them; an object with a finalizer waits for the client that set it. */
async function removeForGood(info: ResourceInfo, path: string): Promise<void> {
  const { status } = await server.send('DELETE', `${path}?gracePeriodSeconds=0`);
  expect([200, 202]).toContain(status);
  const left = await server.send('GET', path);
  if (left.status === 404) return;
  const object = left.json<KubeObject & { spec?: { finalizers?: string[] } }>();
  if (info.name === 'namespaces') {
    delete object.spec!.finalizers;
    await server.send('PUT', `${path}/finalize`, { body: object });
  } else
    await server.send('PATCH', path, {
      body: { metadata: { finalizers: null } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
  expect((await server.send('GET', path)).status).toBe(404);
}

test('The table has every resource', () => {
  expect([...new Set(stored.map(keyOf))].sort()).toEqual(Object.keys(minimalObjects).sort());
  expect(stored.length).toBeGreaterThan(65);
});

describe.concurrent.each(stored.map((info) => ({ name: `${info.apiVersion} ${info.name}`, info })))(
  '$name',
  ({ info }) => {
    const path = pathOf(info);

    test('An object is created, read, listed, watched and deleted in JSON and in protobuf', async () => {
      const object = objectOf(info);
      const { name } = object.metadata!;
      const before = (await server.send('GET', `${path}?limit=1`)).json<{ metadata: { resourceVersion: string } }>()
        .metadata.resourceVersion;

      const created = await server.send('POST', path, { body: object });
      expect(created.status, created.text).toBe(201);
      const one = await server.send('GET', `${path}/${name}`);
      expect(one.json<KubeObject>()).toMatchObject({
        apiVersion: info.apiVersion,
        kind: info.kind,
        metadata: { name },
      });
      expect(
        (await server.send('GET', path)).json<{ items: KubeObject[] }>().items.map(({ metadata }) => metadata!.name),
      ).toContain(name);
      await removeForGood(info, `${path}/${name}`);

      const codec = codecs.of(info.type);
      const body = writeEnvelope(
        info.apiVersion,
        info.kind,
        codec.encode(codec.normalize(object as unknown as JsonObject).value as JsonObject),
      );
      const again = await server.send('POST', path, { body, headers: { 'content-type': protobuf, accept: protobuf } });
      expect(again.status).toBe(201);
      const read = await server.send('GET', `${path}/${name}`, { headers: { accept: protobuf } });
      expect(read.headers['content-type']).toBe(protobuf);
      const envelope = readEnvelope(read.bytes);
      expect([envelope.apiVersion, envelope.kind]).toEqual([info.apiVersion, info.kind]);
      expect((codec.decode(envelope.raw) as KubeObject).metadata!.name).toBe(name);
      await removeForGood(info, `${path}/${name}`);

      const events = (await eventsSince(path, before)).filter((event) => event.endsWith(` ${name}`));
      expect([
        events.filter((event) => event.startsWith('ADDED')).length,
        events.filter((event) => event.startsWith('DELETED')).length,
      ]).toEqual([2, 2]);
    });
  },
);
