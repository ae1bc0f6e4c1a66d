import { beforeAll, describe, expect, test } from 'vitest';
import {
  server,
  connection,
  configMaps,
  watch,
  admin,
  alice,
  webSocket,
  spdy,
  h2c,
  request,
  startBeforeTests,
} from '../../support/servers/upgrades.ts';

startBeforeTests();

describe('a way into a container', () => {
  const pods = '/api/v1/namespaces/default/pods';
  beforeAll(async () => {
    const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
    for (const body of [{ metadata: { name: 'n1' } }, { metadata: { name: 'n3' }, status: { addresses } }])
      expect((await server.send('POST', '/api/v1/nodes', { body })).status).toBe(201);
    for (const [name, nodeName] of [
      ['p', 'n1'],
      ['near', 'n3'],
      ['lost', 'n2'],
      ['waiting', undefined],
    ] as const) {
      expect(
        (
          await server.send('POST', pods, {
            body: {
              metadata: { name },
              spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
            },
          })
        ).status,
      ).toBe(201);
    }
  });

  const ways: { by: string; headers: readonly string[]; method: string }[] = [
    { by: 'WebSocket', headers: [...webSocket, 'Sec-WebSocket-Protocol: v5.channel.k8s.io'], method: 'GET' },
    {
      by: 'SPDY',
      headers: [...spdy, 'X-Stream-Protocol-Version: v4.channel.k8s.io', 'Content-Length: 0'],
      method: 'POST',
    },
  ];
  test.each(
    ways.flatMap((way) => [
      { ...way, path: 'p/exec?command=ls&stdout=true', status: 500, text: 'no preferred addresses found' },
      { ...way, path: 'p/attach?stdout=true', status: 500, text: 'no preferred addresses found' },
      { ...way, path: 'p/portforward', status: 500, text: 'no preferred addresses found' },
      { ...way, path: 'p/exec?command=ls&container=x', status: 400, text: 'container x is not valid for pod p' },
      { ...way, path: 'p/exec?command=ls&dryRun=All', status: 400, text: 'dryRun is not supported' },
      { ...way, path: 'p/proxy/', status: 400, text: 'address not allowed' },
      { ...way, path: 'lost/exec?command=ls', status: 404, text: 'pods \\"n2\\" not found' },
      { ...way, path: 'waiting/exec?command=ls', status: 400, text: 'pod waiting does not have a host assigned' },
      { ...way, path: 'absent/exec?command=ls', status: 404, text: 'pods \\"absent\\" not found' },
    ]),
  )(
    'Ways into a container: $path by $by is answered $status, as far as is known without the node',
    async ({ path, headers, method, status, text }) => {
      connection.write(request(`${pods}/${path}`, [...headers, admin], { method }));
      expect(await connection.answer()).toMatchObject({ status, body: expect.stringContaining(text) as string });
      expect((await connection.write(request('/version', [admin])).answer()).status).toBe(200);
    },
  );

  test.each(['exec?command=ls', 'attach', 'portforward'])(
    'Ways into a container: %s as plain HTTP is told to ask for another protocol',
    async (path) => {
      connection.write(request(`${pods}/near/${path}`, [admin]));
      expect(await connection.answer()).toMatchObject({
        status: 400,
        body: expect.stringContaining('"message":"Upgrade request required"') as string,
      });
    },
  );

  test('The right to run commands is asked for by the method that was sent', async () => {
    for (const [verb, { headers, method }] of [
      ['get', ways[0]!],
      ['create', ways[1]!],
    ] as const) {
      connection.write(request(`${pods}/p/exec?command=ls`, [...headers, alice], { method }));
      expect(await connection.answer()).toMatchObject({
        status: 403,
        body: expect.stringContaining(`cannot ${verb} resource \\"pods/exec\\"`) as string,
      });
    }
  });
});

describe('behind the opening of a WebSocket', () => {
  test('A second HTTP request on a WebSocket ends the connection with a protocol error and no response', async () => {
    connection.write(request(watch, [...webSocket, admin]) + request(`${configMaps}/first`, [admin]));
    expect((await connection.answer()).status).toBe(101);
    const rest = await connection.rest();
    expect(rest).toContain('\x88\x02\x03\xea');
    expect(rest).not.toContain('HTTP/1.1');
  });

  test('The same behind a refused one is answered by itself, with its own credentials', async () => {
    connection.write(
      request(watch, [...webSocket, admin.replace('admin', 'x')]) +
        request(`${configMaps}/first`, []) +
        request(`${configMaps}/first`, [admin]),
    );
    expect([
      (await connection.answer()).status,
      (await connection.answer()).status,
      (await connection.answer()).status,
    ]).toEqual([401, 403, 200]);
  });

  test('A message longer than any client has to send ends it', async () => {
    connection.write(request(watch, [...webSocket, admin]));
    expect((await connection.answer()).status).toBe(101);
    const frame = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x00, 0x20, 0, 0, 1, 2, 3, 4]);
    expect(await connection.write(frame).rest()).toContain('\x88\x02\x03\xf1');
  });

  test('A message that is not masked ends it', async () => {
    connection.write(request(watch, [...webSocket, admin]));
    expect((await connection.answer()).status).toBe(101);
    expect(await connection.write(Buffer.from([0x81, 0x01, 0x61])).rest()).toContain('\x88\x02\x03\xea');
  });
});

describe('never gets an answer from behind the filters', () => {
  test('A request with more headers than it may have never gets an answer from behind the filters', async () => {
    connection.write(request(watch, [...webSocket, admin, `X-Big: ${'x'.repeat(1_100_000)}`]));
    expect(await connection.rest()).not.toMatch(/101|hidden/);
  });

  test('A length and chunks, of which one must be a lie', async () => {
    connection.write(
      request(watch, [...webSocket, admin, 'Content-Length: 5', 'Transfer-Encoding: chunked'], { body: '0\r\n\r\n' }),
      request('/version', [admin]),
    );
    expect(await connection.rest()).not.toMatch(/101|hidden|gitVersion/);
  });

  test('An expectation that no server knows', async () => {
    connection.write(request('/version', [...h2c, admin, 'Expect: the-best']));
    expect((await connection.answer()).status).toBe(417);
    await connection.closed;
  });

  test('A WebSocket request without a Host header is refused', async () => {
    connection.write(`GET ${watch} HTTP/1.1\r\n${[...webSocket, admin].join('\r\n')}\r\n\r\n`);
    expect(await connection.rest()).toMatch(/^HTTP\/1.1 400 /);
  });
});
