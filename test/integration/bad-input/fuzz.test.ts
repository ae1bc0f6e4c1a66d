/**
 * Mutated bodies, patches, selectors, tokens and stored values through the public entry: whatever they are, they are
 * answered, and never by a fault of the server's own.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { codecs } from '../../../src/api/codecs.ts';
import { groupVersions, type ResourceInfo } from '../../../src/api/resources.ts';
import { schemas } from '../../../src/api/schemas.ts';
import { jsonToYaml } from '../../../src/machinery/json/yaml.ts';
import type { JsonObject } from '../../../src/machinery/value.ts';
import { openEmbeddedStore } from '../../../src/storage/embedded/open.ts';
import type { Store } from '../../../src/storage/interface.ts';
import type { ApiAnswer } from '../../support/api-client.ts';
import { mutate } from '../../support/mutate.ts';
import { pick, randomInt, randomSource, type RandomSource } from '../../support/random.ts';
import { ValueGenerator } from '../../support/random-values.ts';
import { startOnStore, type StoreServer } from '../../support/store-server.ts';

let store: Store;
let server: StoreServer;
beforeAll(async () => {
  store = await openEmbeddedStore();
  server = await startOnStore(store);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});
afterEach(async () => {
  expect((await server.client.send('GET', '/readyz')).body.toString()).toBe('ok');
});

const resources: readonly ResourceInfo[] = groupVersions
  .filter(({ enabledByDefault }) => enabledByDefault)
  .flatMap((info) => info.resources)
  .filter(({ verbs }) => verbs.includes('create'));

const pathOf = ({ apiVersion, name, namespaced }: ResourceInfo): string =>
  `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}${namespaced ? '/namespaces/default' : ''}/${name}`;

/** Upstream's bare errors have code 500 and no reason; a fault of ours has one. */
function expectAnswered(answer: ApiAnswer, what: string): void {
  const { status, object } = answer;
  expect(status >= 500 && object['reason'] !== undefined ? `${what}: ${status} ${answer.body.toString()}` : '').toBe(
    '',
  );
  if (status >= 400) expect(object, what).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
}

const inTurn = async (count: number, run: (random: RandomSource, i: number) => Promise<void>): Promise<void> => {
  for (let i = 0; i < count; i++) await run(randomSource(i + 1), i);
};

function randomObject(random: RandomSource, info: ResourceInfo): JsonObject {
  const generator = new ValueGenerator(schemas, random, (id) => codecs.of(id).empty());
  const object = generator.struct(info.type, 3);
  if (random() < 0.7) object['metadata'] = { name: `fuzz-${randomInt(random, 20)}` };
  return object;
}

const servedVersions = [
  {
    name: 'JSON',
    contentType: 'application/json',
    encode: (object: JsonObject, info: ResourceInfo) => codecs.of(info.type).toJson(object, { typeMeta: info }),
  },
  {
    name: 'YAML',
    contentType: 'application/yaml',
    encode: (object: JsonObject, info: ResourceInfo) =>
      jsonToYaml(codecs.of(info.type).toJson(object, { typeMeta: info })),
  },
  {
    name: 'protobuf',
    contentType: 'application/vnd.kubernetes.protobuf',
    encode: (object: JsonObject, info: ResourceInfo) => codecs.of(info.type).encodeEnvelope(object, info),
  },
];

describe.each(servedVersions)('bodies in $name', ({ contentType, encode }) => {
  test.each(resources.map((info) => ({ name: `${info.apiVersion} ${info.name}`, info })))(
    'Fuzzed bodies of $name',
    async ({ info }) => {
      await inTurn(12, async (random, i) => {
        const whole = encode(randomObject(random, info), info);
        const body = i % 4 === 0 ? whole : mutate(random, whole);
        const answer = await server.client.send(
          'POST',
          `${pathOf(info)}?fieldValidation=${pick(random, ['Strict', 'Warn', 'Ignore'])}&dryRun=All`,
          body,
          { contentType },
        );
        expectAnswered(answer, `${info.name} ${body.toString('base64')}`);
      });
    },
  );
});

const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const;

/** Patches that mean something for a Deployment or a Pod, before they are mutated. */
const patches: Readonly<Record<(typeof patchTypes)[number], readonly string[]>> = {
  'application/json-patch+json': [
    '[{"op":"add","path":"/metadata/labels/x","value":"y"},{"op":"test","path":"/spec/replicas","value":1}]',
    '[{"op":"copy","from":"/spec/template","path":"/spec/template/metadata/x"}]',
    '[{"op":"move","from":"/spec/template/spec/containers/0","path":"/spec/template/spec/containers/-"},' +
      '{"op":"remove","path":"/spec/template/spec/containers/0/image"}]',
    '[{"op":"replace","path":"","value":{"a":[1,2]}}]',
  ],
  'application/merge-patch+json': [
    '{"spec":{"replicas":3,"template":{"spec":{"containers":null}}}}',
    '{"metadata":{"labels":null,"annotations":{"a":"b"}},"status":{"replicas":5}}',
    '{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}',
  ],
  'application/strategic-merge-patch+json': [
    '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"d"}],' +
      '"containers":[{"name":"d","image":"i"},{"name":"c","$patch":"delete"}]}}}}',
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["b"]},' +
      '"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}',
    '{"spec":{"template":{"spec":{"containers":[{"$patch":"replace"},{"name":"x","image":"y"}]}}}}',
  ],
  'application/apply-patch+yaml': [
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2,' +
      '"template":{"spec":{"containers":[{"name":"c","image":"j","ports":[{"containerPort":80}]}]}}}}',
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  labels: &l {a: b}\nspec:\n  selector: {matchLabels: ' +
      '*l}\n  template:\n    metadata: {labels: *l}\n',
  ],
};

describe('patches', () => {
  const path = '/apis/apps/v1/namespaces/default/deployments/web';
  beforeAll(async () => {
    const spec = {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    expect(
      (
        await server.client.send('POST', '/apis/apps/v1/namespaces/default/deployments', {
          metadata: { name: 'web' },
          spec,
        })
      ).status,
    ).toBe(201);
  });

  test.each(patchTypes)('Fuzzed patches: %s', async (contentType) => {
    await inTurn(400, async (random) => {
      const body = mutate(random, Buffer.from(pick(random, patches[contentType])));
      const query =
        `fieldManager=fuzz&dryRun=${random() < 0.5 ? 'All' : ''}&` +
        `fieldValidation=${pick(random, ['Strict', 'Warn', 'Ignore'])}` +
        (contentType.includes('apply') && random() < 0.5 ? '&force=true' : '');
      expectAnswered(
        await server.client.send(
          'PATCH',
          `${path}${pick(random, ['', '', '', '/status', '/scale'])}?${query.replace('dryRun=&', '')}`,
          body,
          { contentType },
        ),
        body.toString('base64'),
      );
    });
  });
});

describe('queries', () => {
  const alphabet = [
    'a',
    'app',
    'in',
    'notin',
    'exists',
    '(',
    ')',
    ',',
    '=',
    '==',
    '!=',
    '!',
    ' ',
    '\t',
    '\u0000',
    'é',
    '😀',
    '\\',
    '"',
    '>',
    '<',
    '1',
    '-',
    '.',
    '/',
    'metadata.name',
    'spec.nodeName',
    'x'.repeat(64),
  ];

  test.each([
    'labelSelector',
    'fieldSelector',
    'limit',
    'resourceVersion',
    'resourceVersionMatch',
    'timeoutSeconds',
    'timeout',
    'pretty',
    'dryRun',
    'gracePeriodSeconds',
    'propagationPolicy',
  ])('Fuzzed query parameters: %s', async (parameter) => {
    await inTurn(60, async (random) => {
      const value = Array.from({ length: 1 + randomInt(random, 6) }, () => pick(random, alphabet)).join('');
      const method = pick(random, ['GET', 'GET', 'DELETE']);
      const target = `/api/v1/namespaces/default/${pick(random, ['pods', 'events', 'pods/none'])}`;
      const answer = await server.client.send(method, `${target}?${parameter}=${encodeURIComponent(value)}`);
      expectAnswered(answer, `${method} ${target} ${parameter}=${value}`);
    });
  });

  test('Random continue tokens are answered without a server error', async () => {
    for (const name of ['a', 'b', 'c'])
      await server.client.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
    const collection = '/api/v1/namespaces/default/configmaps?limit=1';
    const token = (await server.client.send('GET', collection)).object.metadata!.continue!;
    const inside = Buffer.from(token, 'base64url');
    await inTurn(400, async (random, i) => {
      const changed =
        i % 2 === 0
          ? mutate(random, inside).toString('base64url')
          : mutate(random, Buffer.from(token)).toString('latin1');
      const answer = await server.client.send('GET', `${collection}&continue=${encodeURIComponent(changed)}`);
      expectAnswered(answer, changed);
      // Whatever the token says, it does not lead out of the collection.
      if (answer.status === 200)
        expect(
          (answer.object['items'] as { metadata: { namespace: string } }[]).every(
            ({ metadata }) => metadata.namespace === 'default',
          ),
        ).toBe(true);
    });
  });
});

describe('paths', () => {
  test('The root tells what there is', async () => {
    const { status, object } = await server.client.send('GET', '/');
    expect(status).toBe(200);
    expect(object['paths']).toEqual(
      expect.arrayContaining(['/api/v1', '/apis/apps/v1', '/healthz/ping', '/readyz/informer-sync', '/version']),
    );
  });

  const parts = [
    'api',
    'apis',
    'v1',
    'apps',
    'namespaces',
    'default',
    'pods',
    'deployments',
    'watch',
    'proxy',
    '..',
    '.',
    '',
    '%2e',
    '%2f',
    '%00',
    '%ff',
    '%',
    '__proto__',
    'constructor',
    'status',
    'log',
    'exec',
    'openapi',
    'v2',
    'v3',
    'healthz',
    'x'.repeat(2_000),
    '😀',
  ];

  test('Random paths are answered without a server error', async () => {
    await inTurn(600, async (random) => {
      const path = `/${Array.from({ length: 1 + randomInt(random, 7) }, () => pick(random, parts)).join('/')}`;
      if (path.includes('watch')) return;
      const method = pick(random, ['GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']);
      const { status } = await server.client.send(method, encodeURI(path).replaceAll('%25', '%'));
      // 501 and 503 are honest answers of subresources that lead to a node.
      expect(status < 500 ? '' : `${method} ${path}: ${status}`).toBe('');
    });
  });
});

describe('values in the store', () => {
  test('Values in the store that cannot be decoded break neither reads of other objects nor the server', async () => {
    const info =
      groupVersions[0]!.resources.find(({ name }) => name === 'configmaps') ??
      resources.find(({ name }) => name === 'configmaps')!;
    const codec = codecs.of(info.type);
    const before = server.faults.length;
    await inTurn(300, async (random, i) => {
      const whole = codec.encodeEnvelope(
        {
          metadata: { name: `stored-${i}`, namespace: 'default' },
          data: { key: 'value'.repeat(randomInt(random, 20)) },
        },
        info,
      );
      const key = `/registry/configmaps/default/stored-${i}`;
      await store.create(key, mutate(random, whole));
      const path = `/api/v1/namespaces/default/configmaps`;
      const list = await server.client.send('GET', path, undefined, {
        headers: {
          accept: pick(random, ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml']),
        },
      });
      expect([200, 500]).toContain(list.status);
      expect([200, 404, 500]).toContain((await server.client.send('GET', `${path}/stored-${i}`)).status);
      expect((await server.client.send('GET', `${path}/a`)).status).toBe(200);
      await store.delete(key, (await store.get(key)).kv!.modRevision);
    });
    expect((await server.client.send('GET', '/api/v1/namespaces/default/configmaps')).status).toBe(200);
    server.faults.splice(before);
  });
});

test('Nothing of all this was a fault of the server', () => {
  const own = server.faults.filter(({ error }) => (error as Error | undefined)?.name !== 'StatusError');
  expect(
    own.map(({ error, message }) => `${message}: ${String((error as Error | undefined)?.stack ?? error)}`),
  ).toEqual([]);
});
