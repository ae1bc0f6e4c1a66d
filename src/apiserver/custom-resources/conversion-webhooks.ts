/** The connection to a conversion webhook: a URL, or a service of the cluster. */
import type { CustomResourceConversion } from '../../api/gen/types/apiextensions-v1.ts';
import type { Service } from '../../api/gen/types/core-v1.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import { type Converter, renaming } from '../../registry/custom/conversion.ts';
import { WebhookConverter } from '../../registry/custom/webhook-conversion.ts';
import { createWebhookClient, type WebhookClient } from '../webhooks/client.ts';
import type { CallObserver } from '../webhooks/metrics.ts';
import type { WebhookConnection } from '../webhooks/connection-file.ts';

const timeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024 * 1024;

/** The converters of one server, and what they have open. */
export class ConversionWebhooks {
  readonly #registry: RegistryCatalog;
  readonly #calls: CallObserver;
  readonly #clients = new Map<string, WebhookClient>();

  constructor(registry: RegistryCatalog, calls: CallObserver) {
    this.#registry = registry;
    this.#calls = calls;
  }

  converterOf(conversion: CustomResourceConversion | undefined): Converter {
    const webhook = conversion?.strategy === 'Webhook' ? conversion.webhook : undefined;
    if (webhook?.clientConfig === undefined) return renaming;
    const { clientConfig } = webhook;
    return new WebhookConverter({
      reviewVersions: webhook.conversionReviewVersions ?? [],
      post: async (review) => this.#clientOf(await this.#connection(clientConfig)).post(review),
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }

  #clientOf(connection: WebhookConnection): WebhookClient {
    const { url, ca, serverName } = connection;
    const key = JSON.stringify([url, ca, serverName]);
    let client = this.#clients.get(key);
    if (client === undefined)
      this.#clients.set(
        key,
        (client = createWebhookClient({
          connection,
          timeoutMs,
          retryDelaysMs: [],
          maxAnswerBytes,
          observer: this.#calls,
        })),
      );
    return client;
  }

  async #connection({
    url,
    service,
    caBundle,
  }: NonNullable<NonNullable<CustomResourceConversion['webhook']>['clientConfig']>): Promise<WebhookConnection> {
    const common = {
      ca: caBundle === undefined ? undefined : Buffer.from(caBundle, 'base64').toString(),
      skipVerify: false,
      certificate: undefined,
      key: undefined,
      authorization: () => Promise.resolve(undefined),
    };
    if (url !== undefined) return { ...common, url, serverName: undefined };
    const { name = '', namespace = '', path = '/', port = 443 } = service ?? {};
    // Service addresses are reached without DNS; the certificate is that of the service's name.
    const serverName = `${name}.${namespace}.svc`;
    return {
      ...common,
      url: `https://${bracketed(await this.#addressOf(namespace, name))}:${port}/${path.replace(/^\//, '')}`,
      host: `${serverName}:${port}`,
      serverName,
    };
  }

  async #addressOf(namespace: string, name: string): Promise<string> {
    const services = this.#registry.storeOf('', 'services');
    const stored = await services?.find(namespace, name, { match: 'any' });
    if (stored === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
    const { clusterIP = '', externalName = '', type } = (services!.decode(stored) as Service).spec;
    const address = type === 'ExternalName' ? externalName : clusterIP;
    if (address === '' || address === 'None') throw new Error(`service ${JSON.stringify(name)} has no address`);
    return address;
  }
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);
