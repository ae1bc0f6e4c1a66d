/**
 * The webhooks of one kind, out of all configurations: by the names of configurations, then as they stand in them. An
 * index of them is made when a configuration changes; webhooks of the others are taken over.
 */
import type { MutatingWebhookConfiguration } from '../../../api/gen/types/admissionregistration-v1.ts';
import { MatchIndex } from '../matching/match-index.ts';
import { type CompiledWebhook, compileWebhook, type WebhookParts } from './compiled-webhook.ts';

/** A validating one has nothing that this one has not. */
export type WebhookConfiguration = MutatingWebhookConfiguration;

interface Known {
  readonly version: string;
  readonly webhooks: readonly CompiledWebhook[];
}

export class WebhookConfigurations {
  readonly #parts: WebhookParts;
  #known = new Map<string, Known>();
  #index = new MatchIndex<CompiledWebhook>([]);

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  get index(): MatchIndex<CompiledWebhook> {
    return this.#index;
  }

  /** Replaces all configurations. Nothing is made where none has changed. */
  set(configurations: readonly WebhookConfiguration[]): void {
    const wanted = configurations.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    if (
      wanted.length === this.#known.size &&
      wanted.every((configuration) => this.#known.get(nameOf(configuration))?.version === versionOf(configuration))
    )
      return;
    const before = this.#known;
    this.#known = new Map();
    let index = 0;
    for (const configuration of wanted) {
      const webhooks = this.#webhooksOf(configuration, before, index);
      this.#known.set(nameOf(configuration), { version: versionOf(configuration), webhooks });
      index += webhooks.length;
    }
    this.#index = new MatchIndex([...this.#known.values()].flatMap(({ webhooks }) => webhooks));
    for (const { webhooks } of before.values()) for (const { client } of webhooks) client.release();
  }

  /** Takes over what is the same out of `before`. */
  #webhooksOf(
    configuration: WebhookConfiguration,
    before: Map<string, Known>,
    index: number,
  ): readonly CompiledWebhook[] {
    const name = nameOf(configuration);
    const known = before.get(name);
    if (known?.version === versionOf(configuration)) {
      before.delete(name);
      return known.webhooks.map((webhook, i) => ({ ...webhook, index: index + i }));
    }
    return (configuration.webhooks ?? []).map((webhook, i) =>
      compileWebhook(webhook, { configuration: name, index: index + i }, this.#parts),
    );
  }
}

const nameOf = ({ metadata }: WebhookConfiguration): string => metadata.name ?? '';

const versionOf = ({ metadata: { uid = '', resourceVersion = '' } }: WebhookConfiguration): string =>
  `${uid} ${resourceVersion}`;
