/** Custom objects in etcd: what kube-apiserver keeps there, and what other servers find. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { customDefinition, definitionsPath, establish, objectSchema } from '../../support/definitions.ts';
import { EtcdServer } from '../../support/etcd.ts';
import { type Replica, startReplica } from '../../support/replica.ts';

const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const v2 = '/apis/example.com/v2/namespaces/default/widgets';
const schema = objectSchema({ a: { type: 'string' }, b: { type: 'string', default: 'filled' } });

let etcd: EtcdServer;
let store: EtcdStore;
beforeAll(async () => {
  etcd = await EtcdServer.start();
  store = new EtcdStore({ endpoints: [etcd.url] });
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await etcd[Symbol.asyncDispose]();
});

const valueAt = async (key: string): Promise<string> => (await store.get(key)).kv!.value.toString();

describe('custom objects in etcd', () => {
  let replica: Replica;
  beforeAll(async () => {
    replica = await startReplica(etcd.url);
    await establish(replica, customDefinition({ versions: [{ schema }, { schema }] }));
  });
  afterAll(() => replica[Symbol.asyncDispose]());

  test('Custom objects in etcd are sorted JSON of the storage version, without resourceVersion', async () => {
    await replica.send('POST', v2, {
      apiVersion: 'example.com/v2',
      kind: 'Widget',
      metadata: { name: 'one' },
      spec: { a: 'x' },
    });
    const text = await valueAt('/registry/example.com/widgets/default/one');
    const time = /"creationTimestamp":"([^"]+)"/.exec(text)![1]!;
    const uid = /"uid":"([^"]+)"/.exec(text)![1]!;
    expect(text).toBe(
      `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"creationTimestamp":"${time}","generation":1,` +
        '"managedFields":[{"apiVersion":"example.com/v2","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},' +
        `"f:a":{},"f:b":{}}},"manager":"unknown","operation":"Update","time":"${time}"}],"name":"one",` +
        `"namespace":"default","uid":"${uid}"},"spec":{"a":"x","b":"filled"}}\n`,
    );
  });

  test('What another server wrote is read with the defaults and without what the schema does not know', async () => {
    await store.create(
      '/registry/example.com/widgets/default/other',
      Buffer.from(
        '{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"other","namespace":"default",' +
          '"uid":"u","odd":1,"labels":{"a":"b"}},"spec":{"a":"x","odd":1}}\n',
      ),
    );
    const { body } = await replica.send<{ metadata: object; spec: object }>('GET', `${widgets}/other`);
    expect(body).toMatchObject({
      apiVersion: 'example.com/v1',
      metadata: { labels: { a: 'b' } },
      spec: { a: 'x', b: 'filled' },
    });
    expect(body.metadata).not.toHaveProperty('odd');
    expect(body.spec).not.toHaveProperty('odd');
  });

  test('A second server and the next start serve them at once', async () => {
    await using second = await startReplica(etcd.url);
    expect((await second.send('GET', `${widgets}/one`)).status).toBe(200);
    await second.send(
      'PATCH',
      `${definitionsPath}/widgets.example.com`,
      [
        {
          op: 'add',
          path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/c',
          value: { type: 'string', default: 'new' },
        },
      ],
      'application/json-patch+json',
    );
    const seen = await replica.until<{ spec: { c?: string } }>(`${widgets}/one`, ({ body }) => body.spec.c === 'new');
    expect(seen.status).toBe(200);
  });
});

test('With several servers a definition is established when all have heard of it', async () => {
  await using replica = await startReplica(etcd.url, '--apiserver-count=2');
  await replica.send('POST', definitionsPath, customDefinition({ plural: 'laters', kind: 'Later' }));
  const path = `${definitionsPath}/laters.example.com`;
  await replica.until<{ status: { conditions?: { reason: string }[] } }>(
    path,
    ({ body }) => body.status.conditions?.[1]?.reason === 'Installing',
  );
  await replica.until<{ status: { conditions: { reason: string }[] } }>(
    path,
    ({ body }) => body.status.conditions[1]!.reason === 'InitialNamesAccepted',
  );
});
