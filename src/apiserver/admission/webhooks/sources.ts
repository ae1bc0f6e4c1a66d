/** Where the webhooks of a kind come from: an informer, or a list for each request where there is no cache. */
import type { Logger } from '../../../base/logger.ts';
import { forbidden } from '../../../machinery/status.ts';
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import type { StoredObject } from '../../../storage/objects.ts';
import { ResourceInformers } from '../../authz/resource-informers.ts';
import type { CachedObjects } from '../../loopback/cached-objects.ts';
import type { MatchIndex } from '../matching/match-index.ts';
import type { CompiledWebhook, WebhookParts } from './compiled-webhook.ts';
import { type WebhookConfiguration, WebhookConfigurations } from './configurations.ts';

export interface WebhookSource {
  /** At once, but while the configurations are read for the first time. Rejects while they cannot be read. */
  current(attributes: AdmissionAttributes): MatchIndex<CompiledWebhook> | Promise<MatchIndex<CompiledWebhook>>;
}

/** @param resource `mutatingwebhookconfigurations`, or those that validate */
export type CreateWebhookSource = (resource: string, parts: WebhookParts) => WebhookSource;

const group = 'admissionregistration.k8s.io';

export interface WatchedSourcesOptions {
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly log: Logger;
}

/** Configurations are watched from the first request on that they could be for. */
export class WatchedSources {
  readonly #options: WatchedSourcesOptions;
  readonly #informers: ResourceInformers[] = [];

  constructor(options: WatchedSourcesOptions) {
    this.#options = options;
  }

  readonly create: CreateWebhookSource = (resource, parts) => {
    const configurations = new WebhookConfigurations(parts);
    const known = new Map<string, WebhookConfiguration>();
    let isStale = false;
    const { registry, log } = this.#options;
    const informers = new ResourceInformers(registry, log, [
      {
        group,
        resource,
        onChange: (before: StoredObject | undefined, after, store) => {
          if (after === undefined) known.delete(before!.attributes.name);
          else known.set(after.attributes.name, store.decode(after) as WebhookConfiguration);
          isStale = true;
        },
      },
    ]);
    this.#informers.push(informers);
    const index = (): MatchIndex<CompiledWebhook> => {
      if (isStale) configurations.set([...known.values()]);
      isStale = false;
      return configurations.index;
    };
    return {
      current: (attributes) => {
        const loading = informers.loading();
        if (loading === undefined) return index();
        return loading.then(index, () => {
          throw notReady(attributes);
        });
      },
    };
  };

  async stop(): Promise<void> {
    await Promise.all(this.#informers.map((informers) => informers.stop()));
  }
}

const notReady = ({ resource, name }: AdmissionAttributes): Error =>
  forbidden(resource, name, 'not yet ready to handle request');

/** Reads all configurations for each request. */
export const listedSources =
  (objects: Pick<CachedObjects, 'list'>): CreateWebhookSource =>
  (resource, parts) => {
    const configurations = new WebhookConfigurations(parts);
    return {
      async current() {
        configurations.set(await objects.list<WebhookConfiguration>(group, resource));
        return configurations.index;
      },
    };
  };
