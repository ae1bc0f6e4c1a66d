/**
 * Plays a recorded case of admission or of fairness: requests, what webhooks were asked meanwhile, what audit says, and
 * by which objects of flow control requests were let run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyBytes, readBody } from '../bodies.ts';
import type { PlainRequest, PlainResponse } from '../client.ts';
import { differences } from '../compare.ts';
import { EventStream } from '../event-stream.ts';
import { Placeholders } from '../placeholders.ts';
import { deviatingSteps } from './deviations.ts';
import { lineDifferences } from './lines.ts';
import type { AdmissionRequest, AdmissionStep, AdmissionCase } from './recorded-case.ts';
import { RecordedFlow } from './recorded-flow.ts';
import type { AdmissionServer } from './server.ts';
import { withoutUnrecorded } from './unrecorded.ts';
import type { PlayedReview } from './webhook-play.ts';

const comparedHeaders = new Set(['content-type', 'warning', 'retry-after', 'cache-control', 'allow']);

const tokens: Readonly<Record<string, string>> = { admin: 'admin-token', alice: 'alice-token' };

const configurations = '/apis/admissionregistration.k8s.io/v1';

const attemptMs = 20;

const mostAttempts = 200;

let serial = 0;

const holds = ({ request }: AdmissionStep): boolean => request.inBackground !== undefined;

/** What is refused meanwhile has to be refused before the seat is free, also on a machine that is busy. */
const heldLonger = (hooks: AdmissionCase['hooks'] & object): AdmissionCase['hooks'] & object =>
  Object.fromEntries(
    Object.entries(hooks).map(([path, hook]) => [
      path,
      hook.delay === undefined ? hook : { ...hook, delay: 2 * hook.delay },
    ]),
  );

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
  readonly #background = new Map<string, { readonly step: AdmissionStep; readonly response: Promise<PlainResponse> }>();
  readonly #flow: RecordedFlow;

  constructor(recorded: AdmissionCase, server: AdmissionServer, own: string) {
    this.#recorded = recorded;
    this.#server = server;
    this.#own = own;
    this.#hookNames = [own];
    this.#placeholders = new Placeholders(own);
    this.#flow = new RecordedFlow(recorded.steps, own, (path) => this.#admin('GET', path, undefined));
  }

  async play(): Promise<string[]> {
    const { namespaces = [], hooks = {}, fixedHooks = {}, steps } = this.#recorded;
    this.#server.play.behave(this.#own, steps.some(holds) ? heldLonger(hooks) : hooks);
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
    const disorder = isUnordered(this.#recorded) ? undefined : this.#placeholders.disorder();
    if (disorder !== undefined) found.push(disorder);
    for (const path of this.#made.reverse()) await this.#admin('DELETE', path, undefined);
    return found;
  }

  async #step(step: AdmissionStep): Promise<string[]> {
    const { request } = step;
    if (request.method === '(wait)') {
      await this.#inEffect();
      return [];
    }
    if (request.method === '(join)') return this.#join(request.name!, step);
    if (request.method.startsWith('(config maps')) return this.#createMany(request);
    if (request.inBackground !== undefined) return this.#begin(request.inBackground, step);
    if (step.response.events !== undefined) return this.#watch(step);
    return this.#compareAnswer(step, await this.#answer(step));
  }

  async #begin(name: string, step: AdmissionStep): Promise<string[]> {
    const before = await this.#flow.requests();
    const asked = this.#server.play.countOf(this.#own);
    this.#background.set(name, { step, response: this.#send(step.request) });
    const isHeldUp = JSON.stringify(step.request.body ?? '').includes('"slow":"yes"');
    // It has reached the webhook that holds it up, or its queue.
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const arrived = isHeldUp ? this.#server.play.countOf(this.#own) > asked : (await this.#flow.requests()) > before;
      if (arrived) return [];
      await sleep(attemptMs);
    }
    throw new Error(`the request ${name} does not arrive`);
  }

  async #join(name: string, { response, reviews }: AdmissionStep): Promise<string[]> {
    const { step, response: answered } = this.#background.get(name)!;
    const { inBackground: _, ...request } = step.request;
    return this.#compareAnswer({ request, response, ...(reviews === undefined ? {} : { reviews }) }, await answered);
  }

  async #createMany({ path, count = 0 }: AdmissionRequest): Promise<string[]> {
    const target = this.#placeholders.fill(path);
    for (let i = 0; i < count; i++)
      await this.#admin('POST', target, { metadata: { name: `f${String(i).padStart(3, '0')}` } });
    await this.#flow.counted('configmaps', count);
    return [];
  }

  async #watch(step: AdmissionStep): Promise<string[]> {
    const events = new EventStream(false);
    const opened = await this.#server.client.open(
      this.#prepared(step.request),
      (chunk) => events.push(chunk),
      () => events.end(),
    );
    const found: string[] = [];
    for (const during of step.request.during ?? [])
      if (during.request.method !== 'WAIT') found.push(...(await this.#step(during)));
    const expected = step.response.events!;
    await events.settle(expected.length, 8000);
    opened.close();
    const answer = { status: opened.status, headers: opened.headers };
    return [
      ...found,
      ...(opened.status === step.response.status ? [] : [`status: got ${opened.status}`]),
      ...differences(expected, events.events().slice(0, expected.length), this.#placeholders, 'events'),
      ...(await this.#flow.compare(step.response, answer.headers, this.#placeholders)),
    ];
  }

  async #compareAnswer(step: AdmissionStep, response: PlainResponse): Promise<string[]> {
    const body = readBody(response.headers['content-type'], response.body, step.response.body);
    this.#remember(step.request, response.status, body);
    return [
      ...this.#compare(step, response, body),
      ...(await this.#compareAnnotations(step, response)),
      ...(await this.#flow.compare(step.response, response.headers, this.#placeholders)),
    ];
  }

  async #answer(step: AdmissionStep): Promise<PlainResponse> {
    const { repeatedUntil: _, ...request } = step.request;
    for (let attempt = 0; ; attempt++) {
      const response = await this.#send(request);
      if (attempt > mostAttempts || (await this.#isFinal(step, response))) return response;
      await sleep(attemptMs);
    }
  }

  /** What the server itself writes comes a moment later; the recording waited for it. */
  async #isFinal(step: AdmissionStep, response: PlainResponse): Promise<boolean> {
    const { repeatedUntil } = step.request;
    if (repeatedUntil !== undefined) return this.#isReached(response, repeatedUntil);
    if (!this.#flow.mayRepeat(step.request)) return true;
    const body = readBody(response.headers['content-type'], response.body, step.response.body);
    return this.#differences(step, response, body, this.#placeholders.copy()).length === 0;
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

  #send(request: AdmissionRequest): Promise<PlainResponse> {
    return this.#server.client.send(this.#prepared(request));
  }

  #prepared({ method, path, headers, user = 'admin', body }: AdmissionRequest): PlainRequest {
    const own: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers ?? {})) own[name.toLowerCase()] = this.#placeholders.fill(value);
    const token = tokens[user];
    if (token === undefined) own['authorization'] = 'Bearer admin-token';
    else own['authorization'] = `Bearer ${token}`;
    if (token === undefined) own['impersonate-user'] = this.#placeholders.fill(user);
    return {
      method,
      path: encodeURI(this.#placeholders.fill(path)).replaceAll('%25', '%'),
      headers: own,
      ...(body === undefined ? {} : { body: bodyBytes(this.#placeholders.fillValue(body)) }),
    };
  }

  #remember({ method, path }: AdmissionRequest, status: number, body: unknown): void {
    const { name, resourceVersion } =
      (body as { readonly metadata?: { readonly name?: string; readonly resourceVersion?: string } } | undefined)
        ?.metadata ?? {};
    this.#newest = Math.max(this.#newest, Number(resourceVersion ?? 0) || 0);
    if (method !== 'POST' || status !== 201 || path.includes('/namespaces/')) return;
    this.#made.push(`${this.#placeholders.fill(path.split('?')[0]!)}/${name}`);
  }

  #compare(step: AdmissionStep, response: PlainResponse, body: unknown): string[] {
    return [
      ...this.#compareReviews(step.reviews ?? []),
      ...this.#differences(step, response, body, this.#placeholders),
    ];
  }

  #differences(
    step: AdmissionStep,
    { status, headers, body: bytes }: PlainResponse,
    body: unknown,
    placeholders: Placeholders,
  ): string[] {
    const expected = step.response;
    if (status !== expected.status)
      return [`status: expected ${expected.status}, got ${status} ${bytes.toString().slice(0, 500)}`];
    const found = Object.entries(expected.headers ?? {}).flatMap(([name, value]) =>
      comparedHeaders.has(name)
        ? differences([value].flat(), [headers[name] ?? []].flat(), placeholders, `header ${name}`)
        : [],
    );
    if (expected.headers?.['warning'] === undefined && headers['warning'] !== undefined)
      found.push(`header warning: ${String(headers['warning'])}`);
    if (expected.lines !== undefined)
      found.push(
        ...lineDifferences(step.request.onlyLines!, expected.lines, bytes.toString(), { own: this.#own, placeholders }),
      );
    else if ('body' in expected)
      found.push(...differences(expected.body, withoutUnrecorded(body, expected.body), placeholders));
    return found;
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
    await this.#flow.inEffect();
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

/** Objects that the server itself has written are in no order. */
const isUnordered = ({ id }: AdmissionCase): boolean => id === 'objects-levels' || id === 'maintenance';

/** Only the headers that were recorded are compared. */
const withHeaders =
  ([first]: readonly PlayedReview[]) =>
  (review: PlayedReview): PlayedReview => ({
    ...review,
    headers: Object.fromEntries(Object.keys(first?.headers ?? {}).map((name) => [name, review.headers[name] ?? ''])),
  });
