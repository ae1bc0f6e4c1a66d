/** Plays a recorded case against a server and says where the answers differ. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, PlainRequest } from './client.ts';
import { comparable } from './comparable.ts';
import { differences } from './compare.ts';
import { withListVersions } from './list-versions.ts';
import { Placeholders } from './placeholders.ts';
import { EventStream } from './event-stream.ts';
import { bodyBytes, readBody } from './bodies.ts';
import type { RecordedCase, RecordedRequest, RecordedResponse, RecordedStep } from './recording.ts';

export interface ReplayTarget {
  readonly client: Pick<Client, 'send' | 'open'>;
  /** Drops history below the current revision. */
  readonly compact: () => Promise<void>;
}

const tokens: Readonly<Record<string, string>> = { admin: 'admintoken', alice: 'usertoken', invalid: 'nonsense-token' };

/** Headers that are compared; flow control's come with flow control. */
const comparedHeaders = new Set([
  'content-type',
  'warning',
  'retry-after',
  'location',
  'vary',
  'cache-control',
  'content-encoding',
  'allow',
  'etag',
]);

let serial = 0;

export async function replay(recorded: RecordedCase, target: ReplayTarget): Promise<string[]> {
  const own = `u${(serial++).toString(36).padStart(6, '0')}`;
  const run = new Run(new Placeholders(own), recorded, target);
  return run.play();
}

class Run {
  readonly #placeholders: Placeholders;
  readonly #recorded: RecordedCase;
  readonly #target: ReplayTarget;
  readonly #answers: unknown[] = [];
  readonly #created: string[] = [];

  constructor(placeholders: Placeholders, recorded: RecordedCase, target: ReplayTarget) {
    this.#placeholders = placeholders;
    this.#recorded = recorded;
    this.#target = target;
  }

  async play(): Promise<string[]> {
    for (const namespace of this.#recorded.namespaces) await this.#makeNamespace(this.#placeholders.fill(namespace));
    const found: string[] = [];
    for (const [i, step] of this.#recorded.steps.entries()) {
      if (typeof step === 'string' || step.request.method.startsWith('(')) await this.#target.compact();
      else
        found.push(
          ...(await this.#step(withListVersions(step))).map(
            (text) => `step ${i} ${step.request.method} ${step.request.path}: ${text}`,
          ),
        );
    }
    // Cases of kinds number versions by appearance, those of the protocol by size.
    const disorder = this.#recorded.servedVersion === 'protocol' ? this.#placeholders.disorder() : undefined;
    if (disorder !== undefined) found.push(disorder);
    await this.#cleanUp();
    return found;
  }

  async #step(step: RecordedStep): Promise<string[]> {
    if (step.request.delay !== undefined) await sleep(Math.min(step.request.delay, 1) * 1000);
    if (step.response.events !== undefined) return this.#watch(step);
    const request = this.#request(step.request);
    const after = step.response.body as { metadata?: { deletionTimestamp?: string } } | undefined;
    const isGoing = after?.metadata?.deletionTimestamp !== undefined;
    if (request.method === 'PATCH' && isGoing) await this.#going(request.path);
    // The server itself writes what became of a deletion; the recording read it when it had.
    const mayBeEarly = step.request.repeatedUntil !== undefined || (request.method === 'GET' && isGoing);
    let response = await this.#target.client.send(request);
    for (let attempt = 0; mayBeEarly && attempt < 200 && !this.#isReached(step, response.body); attempt++) {
      await sleep(50);
      response = await this.#target.client.send(request);
    }
    const body = readBody(response.headers['content-type'], response.body, step.response.body);
    this.#answers.push(body);
    if (request.method === 'POST' && response.status === 201) this.#remember(request.path, body);
    if (step.setup === true)
      return response.status < 300
        ? []
        : [`setup was refused: ${response.status} ${response.body.toString().slice(0, 400)}`];
    return this.#compare(step.response, response.status, response.headers, body);
  }

  /** Compares with a copy: what an answer before its time would bind is not what the case is about. */
  #isReached({ response }: RecordedStep, body: Buffer): boolean {
    return (
      differences(response.body, readBody('application/json', body, response.body), this.#placeholders.copy())
        .length === 0
    );
  }

  #compare(
    expected: RecordedResponse,
    status: number,
    headers: Readonly<Record<string, string | string[]>>,
    body: unknown,
  ): string[] {
    const found =
      status === expected.status
        ? []
        : [
            `status: expected ${expected.status}, got ${status} ` +
              (typeof body === 'object' ? JSON.stringify(body) : String(body)).slice(0, 500),
          ];
    for (const [name, value] of Object.entries(expected.headers ?? {})) {
      if (comparedHeaders.has(name))
        found.push(
          ...differences(
            value === '<present>'
              ? (headers[name] ?? '')
              : name === 'warning' || Array.isArray(value)
                ? [value].flat()
                : value,
            Array.isArray(value) ? [headers[name] ?? []].flat() : headers[name],
            this.#placeholders,
            `header ${name}`,
          ),
        );
    }
    if (this.#recorded.servedVersion === 'kinds' || expected.headers !== undefined) {
      const wanted = expected.warnings ?? [expected.headers?.['warning'] ?? []].flat();
      const got = [headers['warning'] ?? []].flat();
      found.push(...differences(wanted.map(bareWarning), got.map(bareWarning), this.#placeholders, 'warnings'));
    }
    // A status that differs says enough.
    return found.length > 0 && status !== expected.status
      ? found
      : [
          ...found,
          ...('body' in expected ? differences(comparable(expected.body), comparable(body), this.#placeholders) : []),
        ];
  }

  async #watch(step: RecordedStep): Promise<string[]> {
    const expected = step.response.events!;
    const request = this.#request(step.request);
    const isProtobuf = (request.headers['accept'] ?? '').includes('protobuf');
    const stream = new EventStream(isProtobuf);
    if (request.path.includes('sendInitialEvents=true')) await this.#cached(request.path);
    const opened = await this.#target.client.open(
      request,
      (chunk) => stream.push(chunk),
      () => stream.end(),
    );
    const found: string[] = [];
    for (const during of step.request.during ?? []) found.push(...(await this.#step(during)));
    await stream.settle(step.response.ended === 'client' ? expected.length : undefined, 8000);
    opened.close();
    this.#answers.push(undefined);
    if (opened.status !== step.response.status)
      return [
        ...found,
        `status: expected ${step.response.status}, got ${opened.status} ${stream.text().slice(0, 300)}`,
      ];
    return [
      ...found,
      ...differences(
        expected,
        step.response.ended === 'client' ? stream.events().slice(0, expected.length) : stream.events(),
        this.#placeholders,
        'events',
      ),
    ];
  }

  #request(recorded: RecordedRequest): PlainRequest {
    const path = encodeURI(this.#refer(this.#placeholders.fill(recorded.path)) as string).replaceAll('%25', '%');
    const headers: Record<string, string> = Object.fromEntries(
      Object.entries(recorded.headers ?? {}).map(([name, value]) => [
        name.toLowerCase(),
        this.#placeholders.fill(value),
      ]),
    );
    const token = tokens[recorded.user ?? 'admin'];
    if (token !== undefined && headers['authorization'] === undefined) headers['authorization'] = `Bearer ${token}`;
    if (this.#recorded.servedVersion === 'kinds') {
      headers['user-agent'] = 'golden';
      if (recorded.accept !== undefined) headers['accept'] = recorded.accept;
    }
    const body =
      recorded.body === undefined ? undefined : bodyBytes(this.#refer(this.#placeholders.fillValue(recorded.body)));
    if (body !== undefined && headers['content-type'] === undefined) {
      headers['content-type'] =
        recorded.contentType ??
        (recorded.method === 'PATCH' && this.#recorded.servedVersion === 'kinds'
          ? 'application/merge-patch+json'
          : 'application/json');
    }
    return { method: recorded.method, path, headers, ...(body === undefined ? {} : { body }) };
  }

  /** `$(0.metadata.uid)` and `$(repeat b 1000)` in requests of recordings `kinds-*`. */
  #refer(value: unknown): unknown {
    if (typeof value === 'string') {
      return value
        .replace(/\$\(repeat (.) (\d+)\)/g, (_, char: string, count: string) => char.repeat(Number(count)))
        .replace(/\$\((\d+)\.([^)]+)\)/g, (_, step: string, path: string) =>
          String(
            path
              .split('.')
              .reduce<unknown>(
                (at, key) => (at as Record<string, unknown> | undefined)?.[key],
                this.#answers[Number(step)],
              ),
          ),
        );
    }
    if (Array.isArray(value)) return value.map((item) => this.#refer(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.#refer(key) as string, this.#refer(item)]),
    );
  }

  async #makeNamespace(name: string): Promise<void> {
    await this.#admin('POST', '/api/v1/namespaces', { metadata: { name } });
  }

  #remember(path: string, body: unknown): void {
    const name = (body as { metadata?: { name?: string } } | undefined)?.metadata?.name;
    const [bare = ''] = path.split('?');
    // Discovery shows what a definition left behind.
    const isLeft = this.#recorded.servedVersion === 'kinds' || bare.endsWith('/customresourcedefinitions');
    if (name !== undefined && isLeft && !path.includes('dryRun')) this.#created.push(`${bare}/${name}`);
  }

  async #cleanUp(): Promise<void> {
    for (const path of this.#created.reverse()) {
      await this.#admin('PATCH', path, { metadata: { finalizers: null } });
      await this.#admin('DELETE', `${path}?gracePeriodSeconds=0&propagationPolicy=Background`, undefined);
      if (path.includes('/customresourcedefinitions/')) await this.#gone(path);
      if (path.startsWith('/api/v1/namespaces/') && path.split('/').length === 5)
        await this.#admin('PUT', `${path}/finalize`, { metadata: { name: path.split('/')[4]! }, spec: {} });
    }
  }

  /** An object that the server's own controllers had begun to delete when the patch was recorded. */
  async #going(path: string): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const { status, body } = await this.#admin('GET', path, undefined);
      if (
        status !== 200 ||
        (JSON.parse(body.toString()) as { metadata?: { deletionTimestamp?: string } }).metadata?.deletionTimestamp !==
          undefined
      )
        return;
      await sleep(20);
    }
  }

  /**
   * Which objects a watch begins with is a matter of what the cache has heard of: all that the case has written, when
   * it was recorded.
   */
  async #cached(path: string): Promise<void> {
    const newest = this.#placeholders.newestVersion();
    if (newest !== undefined)
      await this.#admin(
        'GET',
        `${path.split('?')[0]!}?resourceVersion=${newest}&resourceVersionMatch=NotOlderThan`,
        undefined,
      );
  }

  /** The next case makes a definition of the same name. */
  async #gone(path: string): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt++) {
      if ((await this.#admin('GET', path, undefined)).status === 404) return;
      await sleep(20);
    }
    throw new Error(`${path} does not go`);
  }

  async #admin(
    method: string,
    path: string,
    body: unknown,
  ): Promise<{ readonly status: number; readonly body: Buffer }> {
    return this.#target.client.send({
      method,
      path,
      headers: {
        authorization: 'Bearer admintoken',
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
  }
}

/** The kinds' recordings hold the text of a warning alone, quoted as in the header. */
const bareWarning = (text: string): string => (/^299 \S+ "([\s\S]*)"$/.exec(text)?.[1] ?? text).replaceAll('\\"', '"');
