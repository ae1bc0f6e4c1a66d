/** Warnings repeat what the client sent, and go into headers. */
import { once } from 'node:events';
import http2 from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createControlPlane, type ControlPlane } from '../../../src/index.ts';
import { ApiClient, credentials } from '../../support/api-client.ts';

const configMaps = '/api/v1/namespaces/default/configmaps?dryRun=All&fieldValidation=Warn';

let controlPlane: ControlPlane;
let client: ApiClient;
beforeAll(async () => {
  controlPlane = await createControlPlane({ controllers: false });
  client = new ApiClient(controlPlane.kubeconfig);
});
afterAll(async () => {
  client[Symbol.dispose]();
  await controlPlane.close();
});

const text = (header: unknown): string => Buffer.from(String(header), 'latin1').toString('utf8');
const withField = (...names: string[]): object => ({
  metadata: { name: 'x' },
  ...Object.fromEntries(names.map((name) => [name, 1])),
});

describe('a field that is not known', () => {
  test.each([
    { name: 'in another script', field: 'größe-尺寸-😀', warning: 'größe-尺寸-😀' },
    { name: 'with quotes', field: 'a"b\\c', warning: 'a\\\\\\"b\\\\\\\\c' },
    { name: 'that would end the header', field: 'a\r\nx-evil: 1', warning: 'a\\\\r\\\\nx-evil: 1' },
  ])('A field that is not known: $name is warned about', async ({ field, warning }) => {
    const answer = await client.send('POST', configMaps, withField(field));
    expect(answer.status).toBe(201);
    expect(text(answer.headers['warning'])).toBe(`299 - "unknown field \\"${warning}\\""`);
    expect(answer.headers['x-evil']).toBeUndefined();
  });

  test('A field that is not known in another script is warned about over HTTP/2', async () => {
    const session = http2.connect(controlPlane.url, credentials(controlPlane.kubeconfig));
    const stream = session.request({ ':method': 'POST', ':path': configMaps, 'content-type': 'application/json' });
    stream.end(JSON.stringify(withField('尺寸')));
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(201);
    expect(text(headers['warning'])).toBe('299 - "unknown field \\"尺寸\\""');
    stream.resume();
    await once(stream, 'close');
    session.close();
  });
});

test('Warnings that are too long together are shortened', async () => {
  const answer = await client.send(
    'POST',
    configMaps,
    withField(...Array.from({ length: 90 }, (_, i) => `${'尺'.repeat(1000)}${i}`)),
  );
  expect(answer.status).toBe(201);
  const items = text(answer.headers['warning']).split(', ');
  expect(items).toHaveLength(16);
  expect(items[0]).toBe(`299 - "unknown field \\"${'尺'.repeat(241)}"`);
});
