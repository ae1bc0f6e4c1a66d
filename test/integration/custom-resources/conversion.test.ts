/** Objects that a webhook converts, over TLS. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestCertificates, type TestCertificates } from '../../support/certificates.ts';
import { type Converted, convertedVersions, ConversionWebhook } from '../../support/conversion-webhook.ts';
import { customDefinition, definitionsPath, establish } from '../../support/definitions.ts';
import { type Replica, startReplica } from '../../support/replica.ts';

let certificates: TestCertificates;
let webhook: ConversionWebhook;
let replica: Replica;
beforeAll(async () => {
  certificates = await createTestCertificates();
  const { certFile, keyFile } = certificates.server;
  webhook = await ConversionWebhook.start({
    certificate: await readFile(certFile, 'utf8'),
    key: await readFile(keyFile, 'utf8'),
  });
  replica = await startReplica();
  const url = `https://127.0.0.1:${webhook.port}/convert`;
  const caBundle = (await readFile(certificates.caFile)).toString('base64');
  await establish(
    replica,
    customDefinition({
      versions: convertedVersions,
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] },
        },
      },
    }),
  );
});
afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await webhook[Symbol.asyncDispose]();
  await certificates[Symbol.asyncDispose]();
});

const v1 = '/apis/example.com/v1/namespaces/default/widgets';
const v2 = '/apis/example.com/v2/namespaces/default/widgets';
const body = (name: string, version: string, spec: object): object => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name },
  spec,
});

describe('a definition with a conversion webhook', () => {
  test('Objects of a definition with a conversion webhook are read and written in each version', async () => {
    expect((await replica.send<Converted>('POST', v1, body('a', 'v1', { address: 'one:80' }))).status).toBe(201);
    expect((await replica.send<Converted>('GET', `${v2}/a`)).body).toMatchObject({
      apiVersion: 'example.com/v2',
      spec: { host: 'one', port: '80' },
    });
    expect(
      (await replica.send<Converted>('POST', v2, body('b', 'v2', { host: 'two', port: '81' }))).body,
    ).toMatchObject({ apiVersion: 'example.com/v2', spec: { host: 'two', port: '81' } });
    expect((await replica.send<Converted>('GET', `${v1}/b`)).body.spec).toEqual({ address: 'two:81' });
    const patched = await replica.send<Converted>(
      'PATCH',
      `${v2}/a`,
      { spec: { port: '90' } },
      'application/merge-patch+json',
    );
    expect(patched.body.spec).toEqual({ host: 'one', port: '90' });
    expect((await replica.send<Converted>('GET', `${v1}/a`)).body.spec).toEqual({ address: 'one:90' });
    expect(
      (
        await replica.send<{ message: string }>(
          'PATCH',
          `${v2}/a`,
          { spec: { port: 'x' } },
          'application/merge-patch+json',
        )
      ).body.message,
    ).toContain('spec.port in body should match');
  });

  test('A list is converted in one review, and once', async () => {
    for (let i = 0; i < 30; i++) await replica.send('POST', v1, body(`l-${i}`, 'v1', { address: `l:${i}` }));
    const before = webhook.reviews;
    const list = await replica.send<{ items: Converted[] }>('GET', v2);
    expect(
      list.body.items.filter(({ metadata }) => metadata.name.startsWith('l-')).map(({ spec }) => spec['host']),
    ).toEqual(Array.from({ length: 30 }, () => 'l'));
    expect(webhook.reviews - before).toBe(1);
    await replica.send('GET', v2);
    expect(webhook.reviews - before).toBe(1);
    const { body: metrics } = await replica.send<string>('GET', '/metrics');
    expect(metrics).toContain(
      `rest_client_requests_total{code="200",host="127.0.0.1:${webhook.port}",` + `method="POST"} ${webhook.reviews}\n`,
    );
  });

  test('Watches of a definition with a conversion webhook show the version that was asked for', async () => {
    const watch = await replica.watch(`${v2}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dw`);
    await replica.send('POST', v1, body('w', 'v1', { address: 'watched:1' }));
    expect(await watch.events).toContain('"spec":{"host":"watched","port":"1"}');
  });

  test('A manager that owns fields in one version owns them in the other', async () => {
    await replica.send(
      'PATCH',
      `${v1}/s?fieldManager=one`,
      body('s', 'v1', { address: 'a:1' }),
      'application/apply-patch+yaml',
    );
    const conflict = await replica.send<{ message: string }>(
      'PATCH',
      `${v2}/s?fieldManager=two`,
      body('s', 'v2', { host: 'b' }),
      'application/apply-patch+yaml',
    );
    expect(conflict).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "one": .spec.address' },
    });
  });

  test('What the webhook refuses is not answered, and nothing else suffers', async () => {
    await replica.send('POST', v1, body('r', 'v1', { address: 'r:1' }));
    webhook.failure = 'not today';
    try {
      expect(await replica.send<{ message: string }>('GET', `${v2}/r`)).toMatchObject({
        status: 500,
        body: { message: 'conversion webhook for example.com/v1, Kind=Widget failed: not today' },
      });
      expect((await replica.send('GET', `${v1}/r`)).status).toBe(200);
    } finally {
      webhook.failure = '';
    }
    expect((await replica.send('GET', `${v2}/r`)).status).toBe(200);
  });

  test('Objects stay as they are stored when the storage version changes, and are read in any', async () => {
    await replica.send('POST', v1, body('old', 'v1', { address: 'old:1' }));
    await replica.send(
      'PATCH',
      `${definitionsPath}/widgets.example.com`,
      [
        { op: 'replace', path: '/spec/versions/0/storage', value: false },
        { op: 'replace', path: '/spec/versions/1/storage', value: true },
      ],
      'application/json-patch+json',
    );
    await replica.until<{ status: { storedVersions: string[] } }>(
      `${definitionsPath}/widgets.example.com`,
      ({ body: definition }) => definition.status.storedVersions.length === 2,
    );
    expect((await replica.send<Converted>('GET', `${v1}/old`)).body.spec).toEqual({ address: 'old:1' });
    expect((await replica.send<Converted>('GET', `${v2}/old`)).body.spec).toEqual({ host: 'old', port: '1' });
    expect(
      (
        await replica.send<Converted>(
          'PATCH',
          `${v1}/old`,
          { spec: { address: 'new:2' } },
          'application/merge-patch+json',
        )
      ).body.spec,
    ).toEqual({ address: 'new:2' });
    expect((await replica.send('DELETE', `${v1}/old`)).status).toBe(200);
  });
});
