/** How long the admission of a pod by one webhook on loopback takes, beside a bare call of the same length. */
import { alwaysAllow } from '../../src/auth/authorization/always-allow.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { createTransport } from '../../src/client/transport.ts';
import { createAdmissionChain, type ObjectForms } from '../../src/registry/admission.ts';
import { codecs } from '../../src/api/codecs.ts';
import { attributesFor, objectsOf, plainForms } from '../../src/apiserver/admission/testing/attributes.ts';
import { configurationOf, webhookNamed } from '../../src/apiserver/admission/testing/webhooks.ts';
import { WebhookConfigurations } from '../../src/apiserver/admission/webhooks/configurations.ts';
import { createValidatingWebhooks } from '../../src/apiserver/admission/webhooks/validating.ts';
import { WebhookClients } from '../../src/apiserver/webhooks/webhook-clients.ts';
import { AdmissionWebhook } from '../../test/support/admission-webhook.ts';
import { benchPod } from '../pod.ts';
import { median } from '../report.ts';

const callsPerRound = 500;
/** Until the engine has compiled what runs. */
const warmUpCalls = 3000;

/** Microseconds for each call, as a clock shows them, and of CPU for both ends. */
export interface CallTimes {
  readonly wall: number;
  readonly cpu: number;
}

/** Medians of rounds in turns. */
export async function webhookTimes(rounds: number): Promise<{ readonly bare: CallTimes; readonly asked: CallTimes }> {
  await using webhook = await AdmissionWebhook.start();
  const clientConfig = { url: `https://127.0.0.1:${webhook.port}/`, caBundle: webhook.caBundle };
  const observer = { begins: () => ({ answered: () => undefined, ended: () => undefined }) };
  const clients = new WebhookClients({ resolve: () => Promise.reject(new Error('no services here')), observer });
  const configurations = new WebhookConfigurations({ clients, authorizer: alwaysAllow, objects: objectsOf({}) });
  configurations.set([configurationOf('c', [webhookNamed('one', { clientConfig })])]);
  const source = { current: () => configurations.index };
  const chain = createAdmissionChain([
    createValidatingWebhooks({ source, observe: () => undefined, log: silentLogger }),
  ]);
  const codec = codecs.of('core/v1.Pod');
  // As the server writes a pod.
  const typeMeta = { kind: 'Pod', apiVersion: 'v1' };
  const forms: ObjectForms = {
    ...plainForms,
    write: (object) => Promise.resolve(codec.toJson(object as never, { typeMeta })),
  };
  const pod = attributesFor('pods', benchPod(0) as never, { forms });
  const admit = (): Promise<void> => chain.validate(pod);
  await admit();
  const body = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: webhook.asked[0],
  });
  const transport = createTransport({
    url: clientConfig.url,
    ca: Buffer.from(webhook.caBundle, 'base64').toString(),
    serverName: undefined,
    skipVerify: false,
    certificate: undefined,
    key: undefined,
    authorization: () => Promise.resolve(undefined),
  });
  const call = (): Promise<unknown> => transport.post(body, { maxAnswerBytes: 1 << 20 });
  for (const each of [call, admit]) await timed(each, warmUpCalls);
  const [bare, asked]: [CallTimes[], CallTimes[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    bare.push(await timed(call, callsPerRound));
    asked.push(await timed(admit, callsPerRound));
    webhook.asked.length = 0;
  }
  await transport.destroy();
  return { bare: medians(bare), asked: medians(asked) };
}

function medians(all: readonly CallTimes[]): CallTimes {
  const middle = (of: keyof CallTimes): number => median(all.map((times) => times[of]).sort((a, b) => a - b));
  return { wall: middle('wall'), cpu: middle('cpu') };
}

/** One after the other. */
async function timed(call: () => Promise<unknown>, calls: number): Promise<CallTimes> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) {
    const start = performance.now();
    await call();
    times.push((performance.now() - start) * 1000);
  }
  const { user, system } = process.cpuUsage(before);
  return { wall: median(times.sort((a, b) => a - b)), cpu: (user + system) / calls };
}
