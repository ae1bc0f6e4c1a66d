/**
 * Plain JSON requests to an API server. The client library is not used here: what is under test would judge itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { JsonValue } from '../../../src/machinery/value.ts';
import { pathOf } from './resources.ts';

/** An object as it is read: every member may be there. */
export interface ReadObject {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [member: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: ReadObject;
}

export class Api implements AsyncDisposable {
  readonly #url: string;
  readonly #token: string;
  readonly #agent: Agent;
  readonly #ended = new AbortController();

  /** @param ca PEM */
  constructor(url: string, ca: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.#agent = new Agent({ connect: { ca }, bodyTimeout: 0, headersTimeout: 60_000 });
  }

  async send(method: string, path: string, body?: JsonValue, contentType = 'application/json'): Promise<Answer> {
    const { statusCode, body: answer } = await request(`${this.#url}${path}`, {
      dispatcher: this.#agent,
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    try {
      return { status: statusCode, body: JSON.parse(text) as unknown };
    } catch {
      return { status: statusCode, body: { message: text } };
    }
  }

  /** Throws when the answer is no success. */
  async must(method: string, path: string, body?: JsonValue, contentType?: string): Promise<unknown> {
    const answer = await this.send(method, path, body, contentType);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${(answer.body as { message?: string }).message}`);
    return answer.body;
  }

  async list(resource: string, namespace?: string): Promise<ReadObject[]> {
    const { items } = (await this.must('GET', pathOf(resource, namespace))) as { items: ReadObject[] | null };
    return items ?? [];
  }

  /** @param name of an object without a namespace */
  async remove(resource: string, name: string): Promise<void> {
    await this.send('DELETE', `${pathOf(resource)}/${name}`);
  }

  /**
   * Calls back for each change of a resource from now on, until this is closed. Resolves when it is open. Breaks are
   * resumed at the last version.
   */
  async watch(resource: string, onChange: (change: Change) => void): Promise<void> {
    const list = (await this.must('GET', `${pathOf(resource)}?limit=1`)) as { metadata: { resourceVersion: string } };
    void this.#follow(pathOf(resource), list.metadata.resourceVersion, onChange);
  }

  async #follow(path: string, from: string, onChange: (change: Change) => void): Promise<void> {
    let version = from;
    const take = (line: string): void => {
      const change = JSON.parse(line) as Change;
      if (change.type === 'ERROR') throw new Error(`watch of ${path}: ${JSON.stringify(change.object)}`);
      version = change.object.metadata.resourceVersion;
      if (change.type !== 'BOOKMARK') onChange(change);
    };
    while (!this.#ended.signal.aborted) {
      try {
        await this.#lines(`${path}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`, take);
      } catch (error) {
        if (!this.#ended.signal.aborted) console.warn(`the watch of ${path} is opened again:`, error);
      }
      if (!this.#ended.signal.aborted) await sleep(100);
    }
  }

  async #lines(path: string, take: (line: string) => void): Promise<void> {
    const { body } = await request(`${this.#url}${path}`, {
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#token}`, accept: 'application/json' },
      signal: this.#ended.signal,
    });
    body.setEncoding('utf8');
    let rest = '';
    for await (const chunk of body) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop()!;
      lines.forEach(take);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#agent.destroy();
  }
}
