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
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import { plainError, type StatusError } from '../../machinery/status.ts';
import { copyValue } from '../../machinery/structural/defaulting.ts';
import type { JsonObject, JsonValue } from '../../machinery/value.ts';
import { Pending } from '../generic/pending.ts';
import type { Converter } from './conversion.ts';
import { ConversionAnswers } from './conversion-answers.ts';
import { checkedObject, ConversionError, kindOf, readResponse } from './conversion-review.ts';

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

  /** Without a usable response none is converted; an object that it must not contain is refused alone. */
  async #convertAll(objects: readonly JsonObject[], apiVersion: string): Promise<readonly Answer[]> {
    try {
      const converted = await this.#post(objects, apiVersion);
      return objects.map((original, i) => answerOf(original, converted[i]!, apiVersion));
    } catch (cause) {
      return objects.map((object) => ({ error: refusal(object, cause) }));
    }
  }

  async #post(objects: readonly JsonObject[], desiredAPIVersion: string): Promise<readonly JsonValue[]> {
    const version = this.#options.reviewVersions.find((each) => reviewVersions.includes(each)) ?? 'v1';
    const uid = randomUUID();
    const apiVersion = `apiextensions.k8s.io/${version}`;
    const answer = await this.#options.post({
      kind: 'ConversionReview',
      apiVersion,
      request: { uid, desiredAPIVersion, objects: objects.map(plainJson) },
    });
    return readResponse(answer, { apiVersion, uid: version === 'v1' ? uid : undefined, count: objects.length });
  }
}

/** As JSON.stringify writes it; what an object carries is opened. */
const plainJson = (object: JsonObject): unknown => JSON.parse(stringifyJson(object)) as unknown;

function answerOf(original: JsonObject, converted: JsonValue, apiVersion: string): Answer {
  try {
    return { object: checkedObject(original, converted, apiVersion) };
  } catch (cause) {
    return { error: refusal(original, cause) };
  }
}

const refusal = (object: JsonObject, cause: unknown): StatusError =>
  plainError(
    `conversion webhook for ${kindOf(object)} ` +
      (cause instanceof ConversionError ? cause.message : `failed: ${(cause as Error).message}`),
  );
