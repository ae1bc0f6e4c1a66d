/** A second API server of ours behind the first: custom resources there, asked for here. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectl } from '../../support/orch-process.ts';
import { startApiUsers, type Answer, type ApiUsers } from '../../support/api-users.ts';
import { customDefinition, definitionsPath, isEstablished, objectSchema } from '../../support/definitions.ts';
import {
  apiService,
  apiServicesPath,
  createFrontProxyFiles,
  type FrontProxyFiles,
  localService,
} from '../../support/extension-backend.ts';

const group = 'example.com';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const serviceName = `v1.${group}`;
const v2 = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };

let files: FrontProxyFiles;
let behind: ApiUsers;
let front: ApiUsers;

const startBehind = async (): Promise<ApiUsers> =>
  startApiUsers({}, [
    `--tls-cert-file=${await files.write('serving.crt', files.serving.certificate + files.ca.certificate)}`,
    `--tls-private-key-file=${await files.write('serving.key', files.serving.key)}`,
    `--requestheader-client-ca-file=${await files.write('front-proxy-ca.crt', files.frontProxyCa.certificate)}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--feature-gates=RemoteRequestHeaderUID=true',
    '--requestheader-uid-headers=X-Remote-Uid',
    '--authorization-mode=RBAC',
  ]);

beforeAll(async () => {
  files = await createFrontProxyFiles();
  behind = await startBehind();
  const schema = objectSchema({ size: { type: 'integer', description: 'How large it is.' } });
  await behind.create(
    definitionsPath,
    customDefinition({ versions: [{ schema, subresources: { status: {} } } as object] }),
  );
  await behind.until('admin', 'GET', `${definitionsPath}/widgets.example.com`, ({ body }) => isEstablished(body));
  front = await startApiUsers({ alice: ['devs'] }, [
    '--authorization-mode=AlwaysAllow',
    '--feature-gates=RemoteRequestHeaderUID=true',
    ...files.flags,
  ]);
  await front.create('/api/v1/namespaces/default/services', localService);
  await front.create(
    apiServicesPath,
    apiService({
      group,
      port: Number(new URL(behind.url).port),
      spec: { caBundle: files.caBundle, groupPriorityMinimum: 17_720, versionPriority: 15 },
    }),
  );
  await front.until(
    'admin',
    'GET',
    `${apiServicesPath}/${serviceName}`,
    (answer) => available(answer)?.reason === 'Passed',
  );
  await front.until('admin', 'GET', '/apis/example.com/v1', ({ status }) => status === 200);
});
afterAll(async () => {
  await front[Symbol.asyncDispose]();
  await behind[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
});

const available = ({ body }: Answer) =>
  (body.status?.conditions as { type: string; status: string; reason: string; message: string }[] | undefined)?.find(
    ({ type }) => type === 'Available',
  );
const discovered = ({ body }: Answer) =>
  (
    body.items as {
      metadata: { name: string };
      versions: { version: string; freshness: string; resources?: { resource: string }[] }[];
    }[]
  ).find(({ metadata }) => metadata.name === group)?.versions;

describe('objects of the server behind', () => {
  test('Objects of an aggregated server are created, read and listed as if they were here', async () => {
    const created = await front.call('admin', 'POST', widgets, {
      body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size: 1 } },
    });
    expect([created.status, created.body.metadata.name]).toEqual([201, 'a']);
    expect((await behind.call('admin', 'GET', `${widgets}/a`)).body).toEqual(
      (await front.call('admin', 'GET', `${widgets}/a`)).body,
    );
    const patched = await front.call('admin', 'PATCH', `${widgets}/a`, {
      contentType: 'application/merge-patch+json',
      body: { spec: { size: 2 } },
    });
    expect([patched.status, patched.body.spec.size]).toEqual([200, 2]);
    const table = await front.call('admin', 'GET', widgets, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    expect(table.body).toMatchObject({ kind: 'Table', rows: [{ cells: ['a', expect.any(String)] }] });
  });

  test('Objects of an aggregated server are watched through this server', async () => {
    const outgoing = https.get(`${front.url}${widgets}?watch=1`, {
      rejectUnauthorized: false,
      agent: false,
      headers: { authorization: 'Bearer token-admin' },
    });
    outgoing.on('error', () => undefined);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const pieces = incoming.setEncoding('utf8')[Symbol.asyncIterator]();
    await behind.create(widgets, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'watched' } });
    let text = '';
    while (!text.includes('"watched"')) text += String((await pieces.next()).value);
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toContain('ADDED');
    outgoing.destroy();
  });

  test('Objects of an aggregated server are authorized by it, by the user and groups that it gets', async () => {
    const refused = await front.call('alice', 'GET', widgets);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'widgets.example.com is forbidden: User "alice" cannot list resource "widgets" in API group ' +
        '"example.com" in the namespace "default"',
    ]);
    await behind.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'see' },
      rules: [{ apiGroups: [group], resources: ['widgets'], verbs: ['list'] }],
    });
    await behind.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'see' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'see' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
    });
    expect((await front.until('alice', 'GET', widgets, ({ status }) => status === 200)).body.kind).toBe('WidgetList');
    // The same headers from a client without the certificate of the front proxy have no effect.
    expect(
      (
        await behind.call(undefined, 'GET', widgets, {
          headers: { 'x-remote-user': 'alice', 'x-remote-group': 'devs' },
        })
      ).status,
    ).toBe(403);
  });
});

describe('what clients are told of it', () => {
  test('The group of an aggregated API stands among the others by its priority', async () => {
    const names = ((await front.call('admin', 'GET', '/apis')).body.groups as { name: string }[]).map(
      ({ name }) => name,
    );
    expect(names.slice(0, 4)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io', group]);
    expect((await front.call('admin', 'GET', `/apis/${group}`)).body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: group,
      versions: [{ groupVersion: 'example.com/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
    });
    expect((await front.call('admin', 'GET', '/')).body.paths).toEqual(
      expect.arrayContaining([`/apis/${group}`, `/apis/${group}/v1`]),
    );
  });

  test('Aggregated discovery has the resources of an aggregated API', async () => {
    const versions = discovered(
      await front.until('admin', 'GET', '/apis', (answer) => discovered(answer)?.[0]?.freshness === 'Current', {
        headers: v2,
      }),
    );
    expect(versions).toEqual(discovered(await behind.call('admin', 'GET', '/apis', { headers: v2 })));
    expect(versions![0]!.resources![0]!.resource).toBe('widgets');
  });

  test('OpenAPI version 3 leads to the document of an aggregated API, with its hash', async () => {
    const index = await front.until(
      'admin',
      'GET',
      '/openapi/v3',
      ({ body }) => (JSON.parse(body) as { paths: Record<string, unknown> }).paths['apis/example.com/v1'] !== undefined,
    );
    const { paths } = JSON.parse(index.body) as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(paths)).toContain('apis/apps/v1');
    const document = await front.call('admin', 'GET', paths['apis/example.com/v1']!.serverRelativeURL);
    expect([document.status, document.headers['cache-control']]).toEqual([200, 'public, immutable']);
    expect(JSON.stringify(document.body)).toContain('How large it is.');
  });
});

describe('OpenAPI version 2', () => {
  const documentOf = ({ body }: Answer) =>
    body as {
      paths: Record<string, unknown>;
      definitions: Record<string, { properties: Record<string, { $ref?: string; description?: string }> }>;
    };
  const isMerged = (answer: Answer): boolean =>
    `${widgets.replace('default', '{namespace}')}/{name}` in documentOf(answer).paths;

  test('OpenAPI version 2 has the paths of an aggregated group, and shares definitions', async () => {
    const merged = documentOf(await front.until('admin', 'GET', '/openapi/v2', isMerged));
    const theirs = documentOf(await behind.call('admin', 'GET', '/openapi/v2'));
    const added = Object.keys(merged.paths).filter((path) => path.startsWith('/apis/example.com/'));
    expect(added).toEqual(Object.keys(theirs.paths).filter((path) => path.startsWith('/apis/example.com/')));
    for (const path of added) expect(merged.paths[path]).toEqual(theirs.paths[path]);
    expect(merged.definitions['com.example.v1.Widget']).toEqual(theirs.definitions['com.example.v1.Widget']);
    expect(Object.keys(merged.definitions).filter((name) => name.endsWith('_v2'))).toEqual([]);
    expect(merged.definitions['io.k8s.api.core.v1.Pod']).toBeDefined();
  });

  test('kubectl 1.20, which reads OpenAPI version 2 as protobuf, explains the kind of an aggregated API', async () => {
    await front.until('admin', 'GET', '/openapi/v2', isMerged);
    expect(await kubectl('1.20', front.kubeconfigPath, 'explain', 'widgets.spec.size')).toMatch(
      /KIND: +Widget\nVERSION: +example\.com\/v1\n[\s\S]*FIELD: +size <integer>[\s\S]*How large it is\./,
    );
    expect(await kubectl('1.20', front.kubeconfigPath, 'explain', 'pods.spec')).toContain('containers');
  });

  test('OpenAPI version 2 has what the aggregated server serves, and loses it with the APIService', async () => {
    const etag = (await front.call('admin', 'GET', '/openapi/v2')).headers['etag'];
    await front.call('admin', 'DELETE', `${apiServicesPath}/${serviceName}`);
    await front.until('admin', 'GET', '/openapi/v2', (answer) => !isMerged(answer));
    await behind.create(definitionsPath, customDefinition({ plural: 'gadgets', kind: 'Gadget' }));
    await behind.until('admin', 'GET', `${definitionsPath}/gadgets.example.com`, ({ body }) => isEstablished(body));
    await front.create(
      apiServicesPath,
      apiService({
        group,
        port: Number(new URL(behind.url).port),
        spec: { caBundle: files.caBundle, groupPriorityMinimum: 17_720, versionPriority: 15 },
      }),
    );
    const again = await front.until('admin', 'GET', '/openapi/v2', isMerged);
    expect(Object.keys(documentOf(again).definitions)).toContain('com.example.v1.Gadget');
    expect(again.headers['etag']).not.toBe(etag);
    expect(
      (await front.call('admin', 'GET', '/openapi/v2', { headers: { 'if-none-match': String(again.headers['etag']) } }))
        .status,
    ).toBe(304);
  });
});

describe('an API whose server is there and not there', () => {
  test('An API is available and current with its server, unavailable and stale without it', async () => {
    const name = 'v1.apps.example.org';
    const port = Number(new URL(behind.url).port);
    await front.create('/api/v1/namespaces/default/services', {
      metadata: { name: 'gone' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await front.create(apiServicesPath, {
      ...apiService({
        group: 'apps.example.org',
        port,
        spec: { insecureSkipTLSVerify: true, service: { name: 'gone', namespace: 'default', port } },
      }),
    });
    const refused = available(
      await front.until('admin', 'GET', `${apiServicesPath}/${name}`, (answer) => available(answer) !== undefined),
    );
    expect(refused).toMatchObject({
      status: 'False',
      reason: 'FailedDiscoveryCheck',
      message:
        `failing or missing response from https://localhost:${port}/apis/apps.example.org/v1: bad status from ` +
        `https://localhost:${port}/apis/apps.example.org/v1: 404`,
    });
    await behind.create(definitionsPath, {
      ...customDefinition({ spec: { group: 'apps.example.org' } }),
      metadata: { name: 'widgets.apps.example.org' },
    });
    await front.until('admin', 'GET', `${apiServicesPath}/${name}`, (answer) => available(answer)?.status === 'True');
    await front.until('admin', 'GET', '/apis', ({ body }) => freshness(body, 'apps.example.org') === 'Current', {
      headers: v2,
    });
    const metrics = String((await front.call('admin', 'GET', '/metrics')).body);
    expect(metrics).toContain(`aggregator_unavailable_apiservice{name="${name}"} 0`);
    await front.call('admin', 'DELETE', '/api/v1/namespaces/default/services/gone');
    await front.until(
      'admin',
      'GET',
      `${apiServicesPath}/${name}`,
      (answer) => available(answer)?.reason === 'ServiceNotFound',
    );
    await front.until('admin', 'GET', '/apis', ({ body }) => freshness(body, 'apps.example.org') === 'Stale', {
      headers: v2,
    });
    await front.until('admin', 'GET', '/metrics', ({ body }) =>
      String(body).includes(`aggregator_unavailable_apiservice_total{name="${name}",reason="ServiceNotFound"} 1`),
    );
    expect(
      ((await front.call('admin', 'GET', '/apis')).body.groups as { name: string }[]).map((each) => each.name),
    ).toContain('apps.example.org');
    await front.call('admin', 'DELETE', `${apiServicesPath}/${name}`);
    await front.until('admin', 'GET', '/apis/apps.example.org', ({ status }) => status === 404);
    await front.until(
      'admin',
      'GET',
      '/metrics',
      ({ body }) => !String(body).includes(`aggregator_unavailable_apiservice{name="${name}"}`),
    );
  });
});

const freshness = (
  body: { items: { metadata: { name: string }; versions: { freshness: string }[] }[] },
  name: string,
): string | undefined => body.items.find(({ metadata }) => metadata.name === name)?.versions[0]!.freshness;
