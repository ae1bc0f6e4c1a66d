/** Spellings of paths that are no resources: what the table of routes finds under each. */
import http2 from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settled: true });
});
afterAll(() => server[Symbol.asyncDispose]());

const page = '404 page not found\n';
const noResource = '"message":"the server could not find the requested resource"';
const notAllowed = '"message":"the server does not allow this method on the requested resource"';

describe('a path that is no resource', () => {
  test.each<[request: string, status: number, body: string]>([
    ['GET /', 200, '"/apis/apps/v1"'],
    ['POST /', 200, '"paths"'],
    ['GET //', 404, page],
    ['GET /index.html/', 200, '"paths"'],
    ['GET /version/', 200, '"gitVersion"'],
    ['GET /version//', 404, page],
    ['GET /Version', 404, page],
    ['GET /%76ersion', 200, '"gitVersion"'],
    ['HEAD /version', 405, ''],
    ['POST /version', 405, notAllowed],
    ['GET /api/', 200, '"APIVersions"'],
    ['GET /api//', 404, noResource],
    ['GET /api/v1//', 200, '"APIResourceList"'],
    ['GET /api/v2', 404, noResource],
    ['PUT /api/v1', 405, notAllowed],
    ['GET /apis//', 404, page],
    ['GET /apis/apps/', 200, '"APIGroup"'],
    ['DELETE /apis/apps', 200, '"APIGroup"'],
    ['GET /apis/apps/v7', 404, noResource],
    ['GET /apis/example.com/v1', 404, page],
    ['GET /apis/constructor', 404, page],
    ['PATCH /healthz', 200, 'ok'],
    ['GET /healthz/', 404, page],
    ['GET /livez/ping', 200, 'ok'],
    ['GET /livez/ping/', 404, page],
    ['GET /livez/poststarthook%2Fbootstrap-controller', 200, 'ok'],
    ['GET /livez/%25', 404, page],
    ['GET /livezz', 404, page],
    ['GET /metrics/', 200, 'apiserver_request_total'],
    ['GET /metrics/x', 404, page],
    ['POST /metrics', 405, notAllowed],
    ['GET /openapi/v3/', 200, '"paths"'],
    ['GET /openapi/v3/apis/apps/v1', 200, '"openapi"'],
    ['GET /openapi/v3/apis/apps/v1/', 404, ''],
    ['GET /openapi', 404, page],
    ['GET /*', 404, page],
    ['GET /:path', 404, page],
    ['GET /__proto__', 404, page],
  ])('A path that is no resource: %s is answered with %i', async (request, status, body) => {
    const [method = '', path = ''] = request.split(' ');
    const answer = await server.send(method, path);
    expect(answer.status).toBe(status);
    expect(answer.text.replaceAll('": "', '":"')).toContain(body);
  });

  const aggregated = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  test.each([
    { accept: `application/json;as=Table;v=v1;g=meta.k8s.io,application/json;${aggregated}`, type: 'application/json' },
    { accept: `*/*,application/json;${aggregated};q=0.5,application/json;q=0.1`, type: 'application/json' },
    { accept: `application/yaml;${aggregated},application/json`, type: 'application/yaml' },
    { accept: `*/*;${aggregated}`, type: 'application/json' },
    { accept: `application/vnd.kubernetes.protobuf;${aggregated}`, type: 'application/vnd.kubernetes.protobuf' },
  ])('A list of what the client accepts chooses aggregated discovery: $accept', async ({ accept, type }) => {
    const { headers, bytes } = await server.send('GET', '/apis', { headers: { accept } });
    const { headers: usual } = await server.send('GET', '/apis', {
      headers: { accept: `application/json;${aggregated}` },
    });
    expect(headers).toMatchObject({ 'content-type': `${type};${aggregated}`, vary: 'Accept', etag: usual['etag'] });
    expect(bytes.toString('latin1')).toContain('APIGroupDiscoveryList');
    expect(bytes.toString('latin1')).toContain('deployments');
    const again = await server.send('GET', '/apis', { headers: { accept, 'if-none-match': String(usual['etag']) } });
    expect(again.status).toBe(304);
  });

  test('Aggregated discovery is indented for people', async () => {
    const headers = { accept: `application/json;${aggregated};pretty=1` };
    expect((await server.send('GET', '/api', { headers })).text).toContain('\n  "kind": "APIGroupDiscoveryList"');
  });

  test.each([
    `application/json,application/json;${aggregated}`,
    `application/json;q=0.5,application/json;${aggregated};q=0.1`,
  ])('A list of what the client accepts chooses plain discovery: %s', async (accept) => {
    const { headers } = await server.send('GET', '/apis', { headers: { accept } });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['etag']).toBeUndefined();
  });

  test('A form of discovery that is not whole is not acceptable', async () => {
    const headers = { accept: 'application/json;as=APIGroupDiscoveryList' };
    expect((await server.send('GET', '/apis', { headers })).status).toBe(406);
  });

  // HTTP/1.1 has only the methods that Node's parser knows.
  test.each(['FOO', 'get'])(
    'A path that is no resource is found by method %s over HTTP/2, but not read by it',
    async (method) => {
      const session = http2.connect(server.url, { ca: server.ca });
      const statusOf = (path: string): Promise<number> =>
        new Promise((resolve, reject) => {
          const headers = { ':method': method, ':path': path, authorization: 'Bearer admintoken' };
          const stream = session.request(headers, { endStream: true });
          stream.once('response', (answer) => resolve(answer[':status']!)).once('error', reject);
        });
      try {
        expect(await statusOf('/healthz')).toBe(200);
        expect(await statusOf('/version')).toBe(405);
      } finally {
        session.destroy();
      }
    },
  );
});
