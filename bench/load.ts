/** One server under load: its client, and a namespace there that exists as long as the load does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { contents, kinds } from './content.ts';
import type { Content, ContentType, Kind } from './content.ts';
import type { Answer, RequestOptions } from './http-client.ts';
import { HttpClient, HttpError } from './http-client.ts';
import type { ServerAddress } from './server-address.ts';

/** How much load. */
export interface LoadSizes {
  readonly objects: number;
  readonly gets: number;
  readonly lists: number;
  readonly concurrency: number;
  readonly watchers: number;
  readonly events: number;
}

export interface LoadOptions {
  readonly address: ServerAddress;
  readonly contentType: ContentType;
  readonly gzip: boolean;
  readonly sessions: number;
  readonly signal: AbortSignal;
}

export class Load implements AsyncDisposable {
  readonly content: Content;
  readonly pids: readonly number[];
  readonly signal: AbortSignal;
  readonly client: HttpClient;
  readonly #options: LoadOptions;
  /** A name that earlier runs have not used: theirs may still be there, on its way out. */
  readonly #namespace = `/api/v1/namespaces/bench-${process.pid}-${Date.now().toString(36)}`;

  private constructor(options: LoadOptions, client: HttpClient) {
    this.#options = options;
    this.client = client;
    this.content = contents[options.contentType];
    this.pids = options.address.pids;
    this.signal = options.signal;
    // What waits for an answer fails at once, and a phase ends with it.
    this.signal.addEventListener('abort', () => client[Symbol.dispose]());
  }

  static async open(options: LoadOptions): Promise<Load> {
    const load = new Load(options, await connect(options));
    try {
      await load.#createNamespace();
      return load;
    } catch (error) {
      await load[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** @param resource `pods`, `pods/NAME`, `pods/NAME/status`, each with its query */
  path(resource: string): string {
    return `${this.#namespace}/${resource}`;
  }

  get(resource: string): Promise<Answer> {
    return this.client.request({ method: 'GET', path: this.path(resource) });
  }

  send(
    method: RequestOptions['method'],
    resource: string,
    body: Buffer,
    contentType = this.content.mediaType,
  ): Promise<Answer> {
    return this.client.request({ method, path: this.path(resource), body, contentType });
  }

  async read(kind: Kind, resource: string) {
    return this.content.decode(kind, (await this.get(resource)).body());
  }

  /** With its own client, because the first one ends when the user interrupts the run. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    try {
      using client = await connect(this.#options);
      const now = {
        body: this.content.encode(kinds.deleteOptions, { gracePeriodSeconds: 0 }),
        contentType: this.content.mediaType,
      };
      for (const path of [this.path('pods'), this.path('configmaps'), this.path('serviceaccounts'), this.#namespace]) {
        await client.request({ method: 'DELETE', path, ...now }).catch(unlessStatus(404));
      }
    } catch (error) {
      console.error(
        `${this.#namespace} could not be removed from ${this.#options.address.url.origin}: ${String(error)}`,
      );
    }
  }

  /** With the service account that pods need where a server insists on one; a controller may be quicker. */
  async #createNamespace(): Promise<void> {
    const name = this.#namespace.slice(this.#namespace.lastIndexOf('/') + 1);
    const create = (kind: Kind, path: string, name: string) =>
      this.client
        .request({
          method: 'POST',
          path,
          body: this.content.encode(kind, { metadata: { name } }),
          contentType: this.content.mediaType,
        })
        .catch(unlessStatus(409));
    await create(kinds.namespace, '/api/v1/namespaces', name);
    await create(kinds.serviceAccount, this.path('serviceaccounts'), 'default');
  }
}

const connect = ({ address, contentType, gzip, sessions }: LoadOptions): Promise<HttpClient> =>
  HttpClient.connect({ address, accept: contents[contentType].mediaType, gzip, sessions });

const unlessStatus =
  (status: number) =>
  (error: unknown): void => {
    if (!(error instanceof HttpError) || error.status !== status) throw error;
  };

/** Asks again until the answer is yes. Throws after ten seconds, or when the signal says so. */
export async function until(what: string, isTrue: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`gave up waiting until ${what}`);
    await sleep(50, undefined, { signal });
  }
}
