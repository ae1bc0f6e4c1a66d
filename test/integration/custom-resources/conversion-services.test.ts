/** Conversion webhooks behind services of the cluster, and those whose authority is another one by now. */
import { networkInterfaces } from 'node:os';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { caSubject, createAuthority, createServing, type KeyPair } from '../../../src/pki/pki.ts';
import { ConversionWebhook, type Converted, convertedVersions } from '../../support/conversion-webhook.ts';
import { customDefinition, definitionsPath, establish } from '../../support/definitions.ts';
import { type Answer, type Replica, startReplica } from '../../support/replica.ts';

const now = new Date();
const newAuthority = (): KeyPair => createAuthority(caSubject, now);
const bundleOf = (...authorities: readonly KeyPair[]): string =>
  Buffer.from(authorities.map(({ certificate }) => certificate).join('')).toString('base64');
/** Valid for the name of the service and for no address. */
const servingOf = (ca: KeyPair) => createServing(ca, { dnsNames: ['hook.default.svc'], ipAddresses: [] }, now);
/** An address of this machine that endpoints may have. */
const endpointAddress = Object.values(networkInterfaces())
  .flat()
  .find((entry) => entry?.family === 'IPv4' && !entry.internal && !entry.address.startsWith('169.254.'))?.address;
// All of this network is this machine: services have addresses that can be reached without a proxy on the node.
const clusterIp = '127.9.1.77';
const clusterIpFlag = '--service-cluster-ip-range=127.9.1.0/24';

const services = '/api/v1/namespaces/default/services';
const v1 = '/apis/example.com/v1/namespaces/default/widgets';
const v2 = '/apis/example.com/v2/namespaces/default/widgets';

async function create(replica: Replica, path: string, body: object): Promise<void> {
  const { status, body: answer } = await replica.send('POST', path, body);
  if (status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`);
}

function definition(clientConfig: object): object {
  return customDefinition({
    versions: convertedVersions,
    spec: {
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    },
  });
}

/** Creates an object of v1 and reads it as v2, which no answer from before serves for. */
async function convertNew(replica: Replica, name: string): Promise<Answer<Converted>> {
  await create(replica, v1, {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { address: `${name}:80` },
  });
  return replica.send<Converted>('GET', `${v2}/${name}`);
}

describe('a conversion webhook behind a service', () => {
  test.skipIf(endpointAddress === undefined)(
    'A conversion webhook is asked at an endpoint with --enable-aggregator-routing',
    async () => {
      const ca = newAuthority();
      await using webhook = await ConversionWebhook.start({ ...servingOf(ca), host: endpointAddress! });
      await using replica = await startReplica(undefined, clusterIpFlag, '--enable-aggregator-routing=true');
      await create(replica, services, {
        metadata: { name: 'hook' },
        spec: {
          ports: [
            { name: 'metrics', port: 80 },
            { name: 'convert', port: 8443, targetPort: 'convert' },
          ],
        },
      });
      await create(replica, '/api/v1/namespaces/default/endpoints', {
        metadata: { name: 'hook' },
        subsets: [
          {
            notReadyAddresses: [{ ip: '192.0.2.1' }],
            addresses: [{ ip: endpointAddress! }],
            ports: [
              { name: 'metrics', port: 1 },
              { name: 'convert', port: webhook.port },
            ],
          },
        ],
      });
      await establish(
        replica,
        definition({
          service: { namespace: 'default', name: 'hook', port: 8443, path: '/convert' },
          caBundle: bundleOf(ca),
        }),
      );
      expect(await convertNew(replica, 'a')).toMatchObject({ status: 200, body: { spec: { host: 'a', port: '80' } } });
      const { body: metrics } = await replica.send<string>('GET', '/metrics');
      expect(metrics).toContain(
        'rest_client_requests_total{code="200",host="hook.default.svc:8443",method="POST"} 1\n',
      );
    },
  );

  test('A conversion webhook is asked at the cluster IP otherwise, on the port of the service', async () => {
    const ca = newAuthority();
    await using webhook = await ConversionWebhook.start({ ...servingOf(ca), host: clusterIp });
    await using replica = await startReplica(undefined, clusterIpFlag);
    await create(replica, services, {
      metadata: { name: 'hook' },
      spec: { clusterIP: clusterIp, ports: [{ port: webhook.port, targetPort: 1 }] },
    });
    await establish(
      replica,
      definition({ service: { namespace: 'default', name: 'hook', port: webhook.port }, caBundle: bundleOf(ca) }),
    );
    expect(await convertNew(replica, 'a')).toMatchObject({ status: 200, body: { spec: { host: 'a', port: '80' } } });
  });

  test('A conversion webhook behind a service is not asked on a port that the service does not have', async () => {
    const ca = newAuthority();
    await using webhook = await ConversionWebhook.start({ ...servingOf(ca), host: clusterIp });
    await using replica = await startReplica(undefined, clusterIpFlag);
    await create(replica, services, {
      metadata: { name: 'hook' },
      spec: { clusterIP: clusterIp, ports: [{ port: 8443 }] },
    });
    await establish(
      replica,
      definition({ service: { namespace: 'default', name: 'hook', port: webhook.port }, caBundle: bundleOf(ca) }),
    );
    const { status, body } = await convertNew(replica, 'a');
    expect([status, (body as unknown as { message: string }).message]).toEqual([
      500,
      'conversion webhook for example.com/v1, Kind=Widget failed: ' +
        `Post "https://hook.default.svc:${webhook.port}/?timeout=30s": ` +
        `no service port ${webhook.port} found for service "hook"`,
    ]);
    expect(webhook.connections).toEqual([]);
  });
});

describe('a conversion webhook whose authorities are replaced', () => {
  const rotate = (replica: Replica, caBundle: string): Promise<Answer<unknown>> =>
    replica.send(
      'PATCH',
      `${definitionsPath}/widgets.example.com`,
      [{ op: 'replace', path: '/spec/conversion/webhook/clientConfig/caBundle', value: caBundle }],
      'application/json-patch+json',
    );

  test('A conversion webhook with replaced authorities is asked over a new connection', async () => {
    const [ca, next] = [newAuthority(), newAuthority()];
    await using webhook = await ConversionWebhook.start({ ...servingOf(ca), host: clusterIp });
    await using replica = await startReplica(undefined, clusterIpFlag);
    await create(replica, services, {
      metadata: { name: 'hook' },
      spec: { clusterIP: clusterIp, ports: [{ port: webhook.port }] },
    });
    const service = { namespace: 'default', name: 'hook', port: webhook.port };
    await establish(replica, definition({ service, caBundle: bundleOf(ca) }));
    expect((await convertNew(replica, 'a')).status).toBe(200);
    const watch = await replica.watch(`${v2}?watch=1&timeoutSeconds=600`);
    const [before] = webhook.connections;
    const closed = once(before!, 'close');
    expect((await rotate(replica, bundleOf(ca, next))).status).toBe(200);
    await closed;
    expect(await watch.events).toContain('"host":"a"');
    expect((await convertNew(replica, 'b')).status).toBe(200);
    expect(webhook.connections).toHaveLength(2);
    // An authority that did not sign the certificate is not enough, whatever an earlier one did.
    const closedAgain = once(webhook.connections[1]!, 'close');
    expect((await rotate(replica, bundleOf(next))).status).toBe(200);
    await closedAgain;
    expect(await convertNew(replica, 'c')).toMatchObject({ status: 500 });
  });
});
