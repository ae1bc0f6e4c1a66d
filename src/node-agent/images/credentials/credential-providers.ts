/**
 * Credentials of registries that programs on the node provide. What a program says is kept as long as it says, for the
 * image, for its registry or for all; a program that is asked the same twice at once runs once. One that fails has no
 * credentials, and does not hold up the others.
 */
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { ImageObserver } from '../../metrics/image-metrics.ts';
import type { AuthConfig } from '../../runtime/gen/cri.ts';
import type { CacheKeyType, ProvidedCredentials } from './exec-provider.ts';
import { fitsImage, registryOf, repositoryOf } from './match-image.ts';
import type { CredentialProvider } from './provider-config.ts';

export interface CredentialProvidersOptions {
  readonly providers: readonly CredentialProvider[];
  /** Rejects when the program fails. */
  readonly ask: (provider: CredentialProvider, repository: string) => Promise<ProvidedCredentials>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: Pick<ImageObserver, 'askedProvider'> | undefined;
}

interface Entry {
  readonly untilMs: number;
  readonly auth: ProvidedCredentials['auth'];
}

/** More are not kept: each is asked for again when it is needed. */
const mostEntries = 1000;

export class CredentialProviders {
  readonly #options: CredentialProvidersOptions;
  /** By provider, and by what the credentials are for. */
  readonly #kept = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<ProvidedCredentials['auth']>>();

  constructor(options: CredentialProvidersOptions) {
    this.#options = options;
  }

  /** The most exact ones first. */
  async credentialsFor(image: string): Promise<AuthConfig[]> {
    const repository = repositoryOf(image);
    const { providers, log } = this.#options;
    const asked = providers
      .filter(({ matchImages }) => matchImages.some((pattern) => fitsImage(pattern, repository)))
      .map(async (provider) => {
        try {
          return [...(await this.#authOf(provider, repository))];
        } catch (error) {
          log.warn({ err: error, provider: provider.name, image }, 'a provider of credentials failed');
          return [];
        }
      });
    return (await Promise.all(asked))
      .flat()
      .filter(([pattern]) => fitsImage(pattern, repository))
      .sort(([a], [b]) => b.length - a.length)
      .map(([, auth]) => auth);
  }

  async #authOf(provider: CredentialProvider, repository: string): Promise<ProvidedCredentials['auth']> {
    const known = this.#find(provider, repository);
    if (known !== undefined) return known;
    const key = `${provider.name} ${repository}`;
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = this.#ask(provider, repository).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  #find({ name }: CredentialProvider, repository: string): ProvidedCredentials['auth'] | undefined {
    const now = this.#options.clock.now();
    for (const type of ['Image', 'Registry', 'Global'] as const) {
      const key = keyOf(name, type, repository);
      const entry = this.#kept.get(key);
      if (entry === undefined) continue;
      if (now < entry.untilMs) return entry.auth;
      this.#kept.delete(key);
    }
    return undefined;
  }

  async #ask(provider: CredentialProvider, repository: string): Promise<ProvidedCredentials['auth']> {
    const { clock } = this.#options;
    const { cacheKeyType, cacheMs = provider.defaultCacheMs, auth } = await this.#run(provider, repository);
    if (cacheMs > 0) {
      if (this.#kept.size >= mostEntries) this.#kept.delete(this.#kept.keys().next().value!);
      this.#kept.set(keyOf(provider.name, cacheKeyType, repository), { untilMs: clock.now() + cacheMs, auth });
    }
    return auth;
  }

  async #run(provider: CredentialProvider, repository: string): Promise<ProvidedCredentials> {
    const { ask, clock, observer } = this.#options;
    const begunAt = clock.now();
    let isError = true;
    try {
      const provided = await ask(provider, repository);
      isError = false;
      return provided;
    } finally {
      observer?.askedProvider(provider.name, (clock.now() - begunAt) / 1000, isError);
    }
  }
}

function keyOf(provider: string, type: CacheKeyType, repository: string): string {
  const what = { Image: repository, Registry: registryOf(repository), Global: '' }[type];
  return `${provider} ${type} ${what}`;
}
