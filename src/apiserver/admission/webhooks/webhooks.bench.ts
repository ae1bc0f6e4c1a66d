/**
 * What admission webhooks cost: a request that no configuration is for, and one webhook on loopback beside
 * a bare call of the same length to the same server.
 */
import { bench, describe } from 'vitest';
import { AdmissionWebhook } from '../../../../test/support/admission-webhook.ts';
import { createTransport } from '../../../client/transport.ts';
import { silentLogger } from '../../../base/logger.ts';
import { alwaysAllow } from '../../../auth/authorization/always-allow.ts';
import { createAdmissionChain } from '../../../registry/admission.ts';
import { WebhookClients } from '../../webhooks/webhook-clients.ts';
import { attributesFor, objectsOf } from '../testing/attributes.ts';
import { configurationOf, webhookNamed } from '../testing/webhooks.ts';
import { WebhookConfigurations } from './configurations.ts';
import { createMutatingWebhooks } from './mutating.ts';
import { createValidatingWebhooks } from './validating.ts';

const observer = { begins: () => ({ answered: () => undefined, ended: () => undefined }) };
const clients = new WebhookClients({ resolve: () => Promise.reject(new Error('no services here')), observer });
const parts = { clients, authorizer: alwaysAllow, objects: objectsOf({}) };
const pod = () =>
  attributesFor('pods', {
    metadata: { name: 'p', labels: { a: 'b' } },
    spec: { containers: [{ name: 'c' }] },
  } as never);

function chainOf(configurations: WebhookConfigurations) {
  const options = { source: { current: () => configurations.index }, observe: () => undefined, log: silentLogger };
  return createAdmissionChain([createMutatingWebhooks(options), createValidatingWebhooks(options)]);
}

async function pass(chain: ReturnType<typeof createAdmissionChain>): Promise<void> {
  const attributes = pod();
  await chain.admit(attributes);
  await chain.validate(attributes);
}

describe('a request that no webhook is for', () => {
  const none = chainOf(new WebhookConfigurations(parts));
  const others = new WebhookConfigurations(parts);
  others.set([
    configurationOf(
      'c',
      Array.from({ length: 1000 }, (_, i) =>
        webhookNamed(`w${i}`, {
          rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['nodes'] }],
        }),
      ),
    ),
  ]);
  const thousand = chainOf(others);
  bench('no configurations', () => pass(none));
  bench('1,000 webhooks for other resources', () => pass(thousand));
});

const hooks = await AdmissionWebhook.start();
const clientConfig = { url: `https://127.0.0.1:${hooks.port}/`, caBundle: hooks.caBundle };
const one = new WebhookConfigurations(parts);
one.set([configurationOf('c', [webhookNamed('one', { clientConfig })])]);
const asking = chainOf(one);
await asking.validate(pod());
const body = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: hooks.asked[0],
});
const transport = createTransport({
  url: clientConfig.url,
  ca: Buffer.from(hooks.caBundle, 'base64').toString(),
  serverName: undefined,
  skipVerify: false,
  certificate: undefined,
  key: undefined,
  authorization: () => Promise.resolve(undefined),
});

describe('one webhook on loopback', () => {
  bench('the bare call', async () => {
    await transport.post(body, { maxAnswerBytes: 1 << 20 });
  });
  bench('admission', () => asking.validate(pod()));
});
