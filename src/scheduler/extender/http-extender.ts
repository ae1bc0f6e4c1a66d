/** One extender: a service over HTTP that takes part in the choice of nodes. */
import { readFileSync } from 'node:fs';
import type { Agent } from 'undici';
import { stringifyJson } from '../../machinery/json/writer.ts';
import type { JsonValue } from '../../machinery/value.ts';
import type { ExtenderConfig } from '../config/types.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { checkServerIdentity } from '../../pki/server-identity.ts';
import {
  bindRequest,
  type FilterAnswer,
  filterRequest,
  preemptRequest,
  readBindAnswer,
  readFilterAnswer,
  readPreemptAnswer,
  readScores,
  type VictimsOnNode,
} from './wire.ts';

/** Of an answer. One with all nodes of a large cluster has some ten. */
const maxAnswerBytes = 128 * 1024 * 1024;

export class HttpExtender {
  readonly config: ExtenderConfig;
  readonly #tls: object;
  /** Made for the first call: most schedulers have no extender, and do not load its library. */
  #agent: Promise<Agent> | undefined;
  readonly #resources: ReadonlySet<string>;

  /** Throws for files that cannot be read. */
  constructor(config: ExtenderConfig) {
    this.config = config;
    this.#tls = tlsOptions(config);
    this.#resources = new Set(config.managedResources.map(({ name }) => name));
  }

  get name(): string {
    return this.config.urlPrefix;
  }

  /** It is asked about pods that ask for one of its resources, or about all when it names none. */
  isInterestedIn({ pod }: PodInfo): boolean {
    if (this.#resources.size === 0) return true;
    const { containers = [], initContainers = [] } = pod.spec;
    return [...containers, ...initContainers].some(({ resources }) =>
      [resources.requests, resources.limits].some((amounts) =>
        Object.keys(amounts ?? {}).some((name) => this.#resources.has(name)),
      ),
    );
  }

  async filter(pod: PodInfo, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<FilterAnswer> {
    const { filterVerb, nodeCacheCapable } = this.config;
    const answer = await this.#post(filterVerb, filterRequest(pod, nodes, nodeCacheCapable), signal);
    return readFilterAnswer(answer, nodeCacheCapable);
  }

  async prioritize(
    pod: PodInfo,
    nodes: readonly NodeInfo[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const { prioritizeVerb, nodeCacheCapable } = this.config;
    return readScores(await this.#post(prioritizeVerb, filterRequest(pod, nodes, nodeCacheCapable), signal));
  }

  async preempt(
    pod: PodInfo,
    victims: readonly VictimsOnNode[],
    signal: AbortSignal,
  ): Promise<ReturnType<typeof readPreemptAnswer>> {
    const { preemptVerb, nodeCacheCapable } = this.config;
    return readPreemptAnswer(await this.#post(preemptVerb, preemptRequest(pod, victims, nodeCacheCapable), signal));
  }

  async bind(pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<void> {
    readBindAnswer(await this.#post(this.config.bindVerb, bindRequest(pod, nodeName), signal));
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  async #post(verb: string, body: object, signal: AbortSignal): Promise<unknown> {
    const { urlPrefix, timeoutMs } = this.config;
    const url = `${urlPrefix.replace(/\/+$/, '')}/${verb}`;
    const { Agent, request } = (await import('undici')).default;
    this.#agent ??= Promise.resolve(new Agent({ connect: this.#tls }));
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: stringifyJson(body as JsonValue),
      dispatcher: await this.#agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await readBounded(answer.body);
    if (answer.statusCode !== 200)
      throw new Error(`failed ${verb} with extender at URL ${url}, code ${answer.statusCode}`);
    return JSON.parse(text) as unknown;
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error(`the answer of an extender has more than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Data in the document wins over the file of the same name. Throws for parts that contradict each other. */
function tlsOptions({ tls, enableHttps }: ExtenderConfig): object {
  const pem = (data: string | undefined, file: string | undefined): Buffer | undefined => {
    if (data !== undefined && data !== '') return Buffer.from(data, 'base64');
    return file === undefined || file === '' ? undefined : readFileSync(file);
  };
  const ca = pem(tls.caData, tls.caFile);
  const cert = pem(tls.certData, tls.certFile);
  const key = pem(tls.keyData, tls.keyFile);
  if (ca !== undefined && tls.insecure === true)
    throw new Error('specifying a root certificates file with the insecure flag is not allowed');
  if ((cert === undefined) !== (key === undefined))
    throw new Error('a client certificate of an extender needs both certificate and key');
  const isUnverified = tls.insecure === true || (enableHttps && ca === undefined);
  const servername = tls.serverName === '' ? undefined : tls.serverName;
  const rejectUnauthorized = isUnverified ? false : undefined;
  const options = { ca, cert, key, servername, rejectUnauthorized, checkServerIdentity };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
