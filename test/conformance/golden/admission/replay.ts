/** Plays a recorded case of admission: requests, what webhooks were asked meanwhile, and what audit says. */
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyBytes, readBody } from '../bodies.ts';
import type { PlainResponse } from '../client.ts';
import { differences } from '../compare.ts';
import { Placeholders } from '../placeholders.ts';
import { deviatingSteps } from './deviations.ts';
import type { AdmissionServer } from './server.ts';
import type { Behaviour, PlayedReview } from './webhook-play.ts';

export interface AdmissionRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly body?: unknown;
  readonly onlyLines?: string;
  readonly repeatedUntil?: { readonly path: string; readonly is: unknown };
}

export interface AdmissionStep {
  readonly request: AdmissionRequest;
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string | string[]>>;
    readonly body?: unknown;
    readonly lines?: readonly string[];
    readonly auditAnnotations?: Readonly<Record<string, string>>;
  };
  readonly reviews?: readonly PlayedReview[];
}

export interface AdmissionCase {
  readonly id: string;
  readonly namespaces?: readonly string[];
  readonly hooks?: Readonly<Record<string, Behaviour>>;
  /** By whole paths, which a configuration of the server names. */
  readonly fixedHooks?: Readonly<Record<string, Behaviour>>;
  readonly steps: readonly AdmissionStep[];
}

const comparedHeaders = new Set(['content-type', 'warning', 'retry-after', 'cache-control', 'allow']);
const tokens: Readonly<Record<string, string>> = { admin: 'admin-token', alice: 'alice-token' };
const configurations = '/apis/admissionregistration.k8s.io/v1';

let serial = 0;

/** A line for each difference. */
export function replay(recorded: AdmissionCase, server: AdmissionServer): Promise<string[]> {
  return new Run(recorded, server, `u${(serial++).toString(36).padStart(6, '0')}`).play();
}

class Run {
  readonly #recorded: AdmissionCase;
  readonly #server: AdmissionServer;
  readonly #own: string;
  readonly #placeholders: Placeholders;
  readonly #made: string[] = [];
  /** First parts of the paths of its webhooks. */
  readonly #hookNames: string[];
  /** Of all objects that were answered. */
  #newest = 0;

  constructor(recorded: AdmissionCase, server: AdmissionServer, own: string) {
    this.#recorded = recorded;
    this.#server = server;
    this.#own = own;
    this.#hookNames = [own];
    this.#placeholders = new Placeholders(own);
  }

  async play(): Promise<string[]> {
    const { namespaces = [], hooks = {}, fixedHooks = {}, steps } = this.#recorded;
    this.#server.play.behave(this.#own, hooks);
    for (const [path, behaviour] of Object.entries(fixedHooks)) {
      const [, name = '', ...rest] = path.split('/');
      this.#hookNames.push(name);
      this.#server.play.behave(name, { [`/${rest.join('/')}`]: behaviour });
    }
    for (const namespace of namespaces)
      await this.#admin('POST', '/api/v1/namespaces', { metadata: { name: this.#placeholders.fill(namespace) } });
    const found: string[] = [];
    for (const [i, step] of steps.entries()) {
      const different = await this.#step(step);
      if (deviatingSteps[`${this.#recorded.id} ${i}`] !== undefined) continue;
      found.push(...different.map((text) => `step ${i} ${step.request.method} ${step.request.path}: ${text}`));
    }
    const disorder = this.#placeholders.disorder();
    if (disorder !== undefined) found.push(disorder);
    for (const path of this.#made.reverse()) await this.#admin('DELETE', path, undefined);
    return found;
  }

  async #step(step: AdmissionStep): Promise<string[]> {
    if (step.request.method === '(wait)') {
      await this.#inEffect();
      return [];
    }
    const response = await this.#answer(step.request);
    const body = readBody(response.headers['content-type'], response.body, step.response.body);
    this.#remember(step.request, response.status, body);
    return [...this.#compare(step, response, body), ...(await this.#compareAnnotations(step, response))];
  }

  async #answer({ repeatedUntil, ...request }: AdmissionRequest): Promise<PlainResponse> {
    for (let attempt = 0; ; attempt++) {
      const response = await this.#send(request);
      if (repeatedUntil === undefined || attempt > 200 || this.#isReached(response, repeatedUntil)) return response;
      await sleep(20);
    }
  }

  #isReached({ body }: PlainResponse, { path, is }: NonNullable<AdmissionRequest['repeatedUntil']>): boolean {
    const value = path
      .split('.')
      .reduce<unknown>(
        (at, key) => (at as Record<string, unknown> | undefined)?.[key],
        readBody('application/json', body, {}),
      );
    return value === is;
  }

  #send({ method, path, headers, user = 'admin', body }: AdmissionRequest): Promise<PlainResponse> {
    const own: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers ?? {})) own[name.toLowerCase()] = this.#placeholders.fill(value);
    const token = tokens[user];
    if (token === undefined) own['authorization'] = 'Bearer admin-token';
    else own['authorization'] = `Bearer ${token}`;
    if (token === undefined) own['impersonate-user'] = this.#placeholders.fill(user);
    return this.#server.client.send({
      method,
      path: encodeURI(this.#placeholders.fill(path)).replaceAll('%25', '%'),
      headers: own,
      ...(body === undefined ? {} : { body: bodyBytes(this.#placeholders.fillValue(body)) }),
    });
  }

  #remember({ method, path }: AdmissionRequest, status: number, body: unknown): void {
    const { name, resourceVersion } =
      (body as { readonly metadata?: { readonly name?: string; readonly resourceVersion?: string } } | undefined)
        ?.metadata ?? {};
    this.#newest = Math.max(this.#newest, Number(resourceVersion ?? 0) || 0);
    if (method !== 'POST' || status !== 201 || path.includes('/namespaces/')) return;
    this.#made.push(`${this.#placeholders.fill(path.split('?')[0]!)}/${name}`);
  }

  #compare(step: AdmissionStep, { status, headers, body: bytes }: PlainResponse, body: unknown): string[] {
    const expected = step.response;
    const reviews = this.#compareReviews(step.reviews ?? []);
    if (status !== expected.status)
      return [...reviews, `status: expected ${expected.status}, got ${status} ${bytes.toString().slice(0, 500)}`];
    const found = Object.entries(expected.headers ?? {}).flatMap(([name, value]) =>
      comparedHeaders.has(name)
        ? differences([value].flat(), [headers[name] ?? []].flat(), this.#placeholders, `header ${name}`)
        : [],
    );
    if (expected.headers?.['warning'] === undefined && headers['warning'] !== undefined)
      found.push(`header warning: ${String(headers['warning'])}`);
    if (expected.lines !== undefined) found.push(...this.#compareLines(step, bytes.toString()));
    else if ('body' in expected)
      found.push(...differences(expected.body, withoutUnrecorded(body, expected.body), this.#placeholders));
    return [...reviews, ...found];
  }

  #compareLines({ request, response }: AdmissionStep, text: string): string[] {
    const wanted = new RegExp(this.#placeholders.fill(request.onlyLines!));
    const lines = text
      .split('\n')
      .filter((line) => wanted.test(line) && !line.includes('_bucket{'))
      .map((line) => (line.includes('_sum{') ? line.slice(0, line.indexOf('}') + 1) : line))
      .map(sortedLabels);
    return differences(response.lines!.toSorted(), lines.toSorted(), this.#placeholders, 'lines');
  }

  /** Mutating webhooks are asked one after the other; those that validate have paths that begin with `v`. */
  #compareReviews(expected: readonly PlayedReview[]): string[] {
    const isValidating = ({ path }: PlayedReview): boolean => path.split('/')[2]!.startsWith('v');
    const all = this.#hookNames.flatMap((name) => this.#server.play.take(name));
    const played = [
      ...all.filter((review) => !isValidating(review)),
      ...all.filter(isValidating).toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    ].map(withHeaders(expected));
    const found = played
      .slice(expected.length)
      .map(({ path, body }) => `asked too: ${path} ${JSON.stringify(body).slice(0, 300)}`);
    const left = [...played];
    for (const [i, review] of expected.entries()) {
      // Several questions to one webhook are in no order of their own.
      const fits = left.findIndex(
        (other) => other.path === played[i]?.path && differences(review, other, this.#placeholders.copy()).length === 0,
      );
      const [other] = left.splice(Math.max(0, fits), 1);
      found.push(
        ...(other === undefined
          ? [`not asked: ${review.path}`]
          : differences(review, other, this.#placeholders, `reviews[${i}]`)),
      );
    }
    return found;
  }

  async #compareAnnotations(
    { response: { auditAnnotations } }: AdmissionStep,
    { headers }: PlainResponse,
  ): Promise<string[]> {
    if (auditAnnotations === undefined) return [];
    const annotations = await this.#server.annotations(headers['audit-id'] as string);
    return differences(auditAnnotations, annotations, this.#placeholders, 'auditAnnotations');
  }

  /** What was written is in effect when the caches that admission reads have it. */
  async #inEffect(): Promise<void> {
    const newest = `resourceVersion=${this.#newest}&resourceVersionMatch=NotOlderThan&limit=500`;
    for (const path of [
      `${configurations}/mutatingwebhookconfigurations`,
      `${configurations}/validatingwebhookconfigurations`,
      `${configurations}/validatingadmissionpolicies`,
      `${configurations}/validatingadmissionpolicybindings`,
      `${configurations}alpha1/mutatingadmissionpolicies`,
      `${configurations}alpha1/mutatingadmissionpolicybindings`,
      '/api/v1/configmaps',
      '/api/v1/namespaces',
    ])
      await this.#admin('GET', `${path}?${newest}`, undefined);
  }

  #admin(method: string, path: string, body: unknown): Promise<PlainResponse> {
    return this.#server.client.send({
      method,
      path,
      headers: { authorization: 'Bearer admin-token', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
  }
}

/** Only the headers that were recorded are compared. */
const withHeaders =
  ([first]: readonly PlayedReview[]) =>
  (review: PlayedReview): PlayedReview => ({
    ...review,
    headers: Object.fromEntries(Object.keys(first?.headers ?? {}).map((name) => [name, review.headers[name] ?? ''])),
  });

/** Of some answers the managed fields were left out of the recording. */
function withoutUnrecorded(body: unknown, expected: unknown): unknown {
  const metadataOf = (value: unknown): object | undefined => (value as { metadata?: object } | undefined)?.metadata;
  const [metadata, recorded] = [metadataOf(body), metadataOf(expected)];
  if (metadata === undefined || recorded === undefined || 'managedFields' in recorded) return body;
  const { managedFields: _, ...rest } = metadata as { readonly managedFields?: unknown };
  return { ...(body as object), metadata: rest };
}

/** Labels of metrics are in no order. */
const sortedLabels = (line: string): string =>
  line.replace(
    /\{(.*)\}/,
    (_, labels: string) =>
      `{${labels
        .split(/,(?=[a-z_]+=")/)
        .sort()
        .join(',')}}`,
  );
