/**
 * Conversion by a webhook (strategy Webhook). Objects that are requested in the same tick go in one ConversionReview.
 *
 * Responses are cached for a moment, by the text of the request: a caller that waited repeats its work and finds them.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-request-and-response
 *   | Webhook request and response}
 */
import { randomUUID } from 'node:crypto';
import { textBytes } from '../../base/bounded-cache.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { stringifyJson } from '../../machinery/json/writer.ts';
import { asJson, type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { plainError, type StatusError } from '../../machinery/status.ts';
import { copyValue } from '../../machinery/structural/defaults.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { Pending } from '../generic/pending.ts';
import type { Converter } from './conversion.ts';
import { ConversionAnswers } from './conversion-answers.ts';

export interface WebhookConversionOptions {
  /** `spec.conversion.webhook.conversionReviewVersions`, the preferred one first. */
  readonly reviewVersions: readonly string[];
  /** Posts a ConversionReview. Rejects with what went wrong. */
  readonly post: (review: object) => Promise<unknown>;
  /** Nothing is posted any more. */
  readonly release?: () => void;
  readonly clock?: Clock;
}

interface Question {
  readonly object: JsonObject;
  readonly key: string;
}

type Answer = { readonly object: JsonObject } | { readonly error: StatusError };

/** This server speaks these. */
const reviewVersions = ['v1', 'v1beta1'];

export class WebhookConverter implements Converter {
  readonly asks = true;
  readonly #options: WebhookConversionOptions;
  readonly #answers: ConversionAnswers<Answer>;
  readonly #asked = new Map<string, Promise<void>>();
  /** What goes with the next review, by the version that is wanted. */
  readonly #next = new Map<string, Question[]>();

  constructor(options: WebhookConversionOptions) {
    this.#options = options;
    this.#answers = new ConversionAnswers(options.clock ?? systemClock);
  }

  convert(object: KubeObject, apiVersion: string): KubeObject {
    if (asJson(object)['apiVersion'] === apiVersion) return object;
    const key = `${apiVersion} ${stringifyJson(asJson(object))}`;
    const answer = this.#answers.get(key);
    if (answer === undefined) throw new Pending(this.#ask({ object: asJson(object), key }, apiVersion));
    if ('object' in answer) return copyValue(answer.object) as KubeObject;
    // A later attempt asks the webhook again.
    this.#answers.delete(key);
    throw answer.error;
  }

  close(): void {
    this.#options.release?.();
  }

  #ask(question: Question, apiVersion: string): Promise<void> {
    const known = this.#asked.get(question.key);
    if (known !== undefined) return known;
    let questions = this.#next.get(apiVersion);
    const isFirst = questions === undefined;
    if (questions === undefined) this.#next.set(apiVersion, (questions = []));
    questions.push({ ...question, object: copyValue(question.object) as JsonObject });
    const done = isFirst ? this.#review(apiVersion) : this.#asked.get(questions[0]!.key)!;
    this.#asked.set(question.key, done);
    return done;
  }

  async #review(apiVersion: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const questions = this.#next.get(apiVersion)!;
    this.#next.delete(apiVersion);
    const answers = await this.#convertAll(
      questions.map(({ object }) => object),
      apiVersion,
    );
    for (const [i, { key }] of questions.entries()) {
      this.#asked.delete(key);
      // The object that came is about as large as the one that was sent.
      this.#answers.set(key, answers[i]!, 4 * textBytes(key));
    }
  }

  /** All are converted or none is. */
  async #convertAll(objects: readonly JsonObject[], apiVersion: string): Promise<readonly Answer[]> {
    try {
      return (await this.#post(objects, apiVersion)).map((object) => ({ object }));
    } catch (cause) {
      const { apiVersion: from, kind } = objects[0]!;
      const error = plainError(
        `conversion webhook for ${from as string}, Kind=${kind as string} failed: ${(cause as Error).message}`,
      );
      return objects.map(() => ({ error }));
    }
  }

  async #post(objects: readonly JsonObject[], desiredAPIVersion: string): Promise<JsonObject[]> {
    const version = this.#options.reviewVersions.find((each) => reviewVersions.includes(each)) ?? 'v1';
    const uid = randomUUID();
    const apiVersion = `apiextensions.k8s.io/${version}`;
    const answer = await this.#options.post({
      kind: 'ConversionReview',
      apiVersion,
      request: { uid, desiredAPIVersion, objects: objects.map(plainJson) },
    });
    const converted = responseObjects(answer, { apiVersion, uid: version === 'v1' ? uid : undefined });
    if (converted.length !== objects.length)
      throw new Error(`returned ${converted.length} objects, expected ${objects.length}`);
    return objects.map((original, i) => checked(original, converted[i]!, desiredAPIVersion, i));
  }
}

/** As JSON.stringify writes it; what an object carries is opened. */
const plainJson = (object: JsonObject): unknown => JSON.parse(stringifyJson(object)) as unknown;

function responseObjects(
  answer: unknown,
  expected: { readonly apiVersion: string; readonly uid: string | undefined },
): JsonValue[] {
  const review = answer as {
    kind?: unknown;
    apiVersion?: unknown;
    response?: {
      uid?: unknown;
      result?: { status?: unknown; message?: unknown; reason?: unknown };
      convertedObjects?: unknown;
    };
  };
  if (review.kind !== 'ConversionReview' || review.apiVersion !== expected.apiVersion)
    throw new Error(
      `expected response of kind ${expected.apiVersion}, Kind=ConversionReview, ` +
        `got ${String(review.apiVersion)}, Kind=${String(review.kind)}`,
    );
  const { response } = review;
  if (response === undefined) throw new Error('no response provided');
  if (expected.uid !== undefined && response.uid !== expected.uid)
    throw new Error(`expected response.uid=${JSON.stringify(expected.uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  const { status = '', message = '', reason = '' } = response.result ?? {};
  if (status !== 'Success')
    throw new Error(
      String(message) || String(reason) || `response.result.status was '${String(status)}', not 'Success'`,
    );
  return Array.isArray(response.convertedObjects) ? (response.convertedObjects as JsonValue[]) : [];
}

/**
 * A webhook may change the fields of an object, its labels and its annotations, and nothing that identifies it.
 */
function checked(original: JsonObject, converted: JsonValue, apiVersion: string, i: number): JsonObject {
  const refuse = (why: string): never => {
    throw new Error(`returned invalid converted object at index ${i}: ${why}`);
  };
  if (!isObject(converted)) return refuse('it is no object');
  if (converted['apiVersion'] !== apiVersion)
    return refuse(`invalid apiVersion (expected ${apiVersion}, received ${String(converted['apiVersion'])})`);
  if (converted['kind'] !== original['kind'])
    return refuse(`invalid kind (expected ${String(original['kind'])}, received ${String(converted['kind'])})`);
  if (!isObject(converted['metadata'])) return refuse('missing metadata');
  const [before, after] = [metaOf(original as KubeObject), metaOf(converted as KubeObject)];
  for (const member of ['name', 'namespace', 'uid'] as const) {
    if ((before[member] ?? '') !== (after[member] ?? ''))
      return refuse(`must have the same ${member}: ${before[member] ?? ''} != ${after[member] ?? ''}`);
  }
  const metadata: JsonObject = { ...(before as JsonObject) };
  for (const member of ['labels', 'annotations'] as const) {
    delete metadata[member];
    if (after[member] !== undefined) metadata[member] = after[member];
  }
  return { ...converted, metadata };
}
