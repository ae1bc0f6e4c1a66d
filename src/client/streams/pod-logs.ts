/** What containers have written: `log` of pods. */
import type { RequestOptions } from '../resources/options.ts';
import { pathOf, withQuery } from '../resources/paths.ts';
import type { Requests } from '../resources/requests.ts';
import type { ResourceTarget } from '../resources/resource-client.ts';
import { readBytes } from '../status-answer.ts';

/** @see PodLogOptions of core/v1 */
export interface LogOptions extends RequestOptions {
  /** The only one of the pod, or the one that its annotation names, when absent. */
  readonly container?: string;
  /** Of the instance before the last start. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339 */
  readonly sinceTime?: string;
  /** So many lines from the end. */
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Each line begins with its time. */
  readonly timestamps?: boolean;
  /** The node's certificate is not verified: what is read can be forged. */
  readonly insecureSkipTLSVerifyBackend?: boolean;
}

/** `client.core.v1.pods.namespace('default').log` */
export class PodLogs {
  readonly #target: ResourceTarget;
  readonly #requests: Requests;

  constructor(target: ResourceTarget, requests: Requests) {
    this.#target = target;
    this.#requests = requests;
  }

  /** The whole log in memory; `limitBytes` bounds it. Rejects with `StatusError` where the server refuses. */
  async read(name: string, options: LogOptions = {}): Promise<string> {
    const answer = await this.#open(name, options, false);
    try {
      return (await readBytes(answer)).toString();
    } finally {
      answer.end();
    }
  }

  /**
   * The log in pieces as they come, and what is written until the container ends. Leaving the loop ends the request;
   * the time limit is for the beginning alone.
   */
  async *follow(name: string, options: LogOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const answer = await this.#open(name, options, true);
    try {
      answer.release();
      yield* answer.body;
    } finally {
      answer.end();
    }
  }

  #open(name: string, { signal, timeoutMs, ...options }: LogOptions, follow: boolean): ReturnType<Requests['open']> {
    const path = withQuery(pathOf({ ...this.#target, name, subresource: 'log' }), { ...options, follow });
    return this.#requests.open({
      method: 'GET',
      path,
      accept: 'application/json, */*',
      ...(signal === undefined ? {} : { signal }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }
}
