/** Asks one webhook about one request: whether it is to be asked at all, the calls, and what its answer adds. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentSpan, inNewSpan, type Span } from '../../../base/span.ts';
import { KubeconfigError } from '../../../client/kubeconfig/fields.ts';
import type { HttpAnswer } from '../../../client/transport.ts';
import { isQualifiedName } from '../../../machinery/formats/names.ts';
import { badRequest, forbidden, internalError, isStatusError, timeout } from '../../../machinery/status.ts';
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import type { Candidate } from '../matching/match-index.ts';
import type { VersionedObjects } from '../matching/versioned-objects.ts';
import { failureText, isSuccess, retryDelayMs } from './answer-status.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { CallFailure, Denial } from './failures.ts';
import type { CallType, ObserveWebhook } from './observations.ts';
import { readReview, reviewBody, type ReviewVersion, type Verdict, verdictOf } from './review.ts';

export interface Invocation extends Candidate<CompiledWebhook> {
  readonly attributes: AdmissionAttributes;
  readonly objects: VersionedObjects;
}

const maxRetries = 10;

/** Selectors and conditions. Throws 403 where a condition fails and the webhook may not be passed over. */
export async function isWanted(invocation: Invocation, type: CallType, observe: ObserveWebhook): Promise<boolean> {
  const { entry, form, attributes, objects } = invocation;
  if (!(await entry.selects(attributes))) return false;
  if (entry.conditions === undefined) return true;
  const begin = performance.now();
  const result = await entry.conditions.evaluate({ attributes, form, objects }).catch((error: unknown) => {
    throw isStatusError(error) ? error : internalError((error as Error).message, { cause: error });
  });
  const isError = result.error !== undefined;
  if (!isError && result.matches) return true;
  observe({
    what: 'conditions',
    name: entry.name,
    type,
    operation: attributes.operation,
    excluded: !isError || entry.ignoresFailures,
    failed: result.failed,
    seconds: (performance.now() - begin) / 1000,
  });
  if (isError && !entry.ignoresFailures) throw forbidden(attributes.resource, attributes.name, result.error);
  return false;
}

/**
 * The verdict of the webhook. Its warnings and notes are told, also of a denial.
 * @throws CallFailure without an answer that counts
 * @throws Denial
 */
export async function ask(invocation: Invocation, mutating: boolean): Promise<Verdict> {
  const { entry, attributes } = invocation;
  const verdict = await verdictFrom(invocation, mutating);
  for (const [key, value] of Object.entries(verdict.auditAnnotations ?? {})) {
    const own = `${entry.name}/${key}`;
    if (isNoteKey(own)) attributes.annotate(own, value);
  }
  for (const warning of verdict.warnings ?? []) if (isHeaderText(warning)) attributes.warn(warning);
  if (!verdict.allowed) throw new Denial(entry.name, verdict.status);
  return verdict;
}

const isNoteKey = (key: string): boolean => key.split('/').length === 2 && isQualifiedName(key).length === 0;

/** What no header can carry is left out, as upstream does it. */
const isHeaderText = (text: string): boolean => [...text].every((char) => char >= ' ' && char !== '\u007f');

async function verdictFrom(invocation: Invocation, mutating: boolean): Promise<Verdict> {
  const { entry, attributes } = invocation;
  const failure: Failure = (why, code, cause) => new CallFailure(entry.name, why, code, { cause });
  if (attributes.dryRun && !entry.allowsDryRun)
    throw badRequest(`admission webhook "${entry.name}" does not support dry run`);
  const version = entry.reviewVersion;
  if (version === undefined)
    throw failure('could not create admission objects: webhook does not accept known AdmissionReview versions', 400);
  if (entry.clientProblem !== undefined) throw failure(`could not get REST client: ${entry.clientProblem}`, 500);
  const uid = randomUUID();
  const parent = currentSpan();
  const asking = (): Promise<Verdict> => answerOf(invocation, { uid, version, mutating }, failure);
  return parent === undefined ? asking() : inNewSpan(callSpan(parent, invocation, { uid, mutating }), asking);
}

const callSpan = (
  parent: Span,
  { entry, attributes: { operation, subresource }, form: { resource } }: Invocation,
  { uid, mutating }: { readonly uid: string; readonly mutating: boolean },
): Span =>
  parent.child(mutating ? 'Call mutating webhook' : 'Call validating webhook', {
    configuration: entry.configuration,
    webhook: entry.name,
    resource: `${resource.group}/${resource.version}, Resource=${resource.resource}`,
    subresource,
    operation,
    UID: uid,
  });

type Failure = (why: string, code: number, cause?: unknown) => CallFailure;

async function answerOf(
  invocation: Invocation,
  asked: { readonly uid: string; readonly version: ReviewVersion; readonly mutating: boolean },
  failure: Failure,
): Promise<Verdict> {
  const { attributes } = invocation;
  const { version, uid } = asked;
  const body = await reviewBody(invocation, version, uid).catch((error: unknown) => {
    throw isStatusError(error) ? error : internalError((error as Error).message, { cause: error });
  });
  let answer: HttpAnswer;
  try {
    answer = await call(invocation, body);
  } catch (error) {
    // The time of the call and that of the request end together: what counts is the request's.
    checkNotOver(attributes);
    if (error instanceof KubeconfigError) throw failure(`could not get REST client: ${error.message}`, 500, error);
    throw failure(`failed to call webhook: ${(error as Error).message}`, 400, error);
  }
  if (answer.text === undefined) throw failure('failed to call webhook: the answer is too long', 400);
  if (!isSuccess(answer.status)) throw failure(`failed to call webhook: ${failureText(answer)}`, answer.status);
  const review = readOr(failure, 'failed to call webhook', 400, () => readReview(answer, version));
  return readOr(failure, 'received invalid webhook response', 503, () => verdictOf(review, asked));
}

function readOr<T>(
  failure: (why: string, code: number, cause: unknown) => CallFailure,
  what: string,
  code: number,
  read: () => T,
): T {
  try {
    return read();
  } catch (error) {
    throw failure(`${what}: ${(error as Error).message}`, code, error);
  }
}

/** Again where the webhook says when, within the time that it has and that the request has. */
async function call({ entry, attributes }: Invocation, body: Buffer): Promise<HttpAnswer> {
  const { deadline = Infinity, signal } = attributes;
  const end = Math.min(deadline, performance.now() + entry.timeoutMs);
  const toldMs = end - performance.now();
  for (let retry = 0; ; retry++) {
    const answer = await entry.client.call(body, { timeoutMs: end - performance.now(), toldMs, signal });
    const delayMs = retryDelayMs(answer);
    if (delayMs === undefined || retry >= maxRetries) return answer;
    const left = Math.max(0, end - performance.now());
    await sleep(Math.min(delayMs, left), undefined, { ref: false, ...(signal === undefined ? {} : { signal }) });
  }
}

/** Timers end that much too early. */
const timerErrorMs = 1;

/** Nothing more is done for a request that is over. Throws 504. */
export function checkNotOver({ signal, deadline = Infinity }: AdmissionAttributes): void {
  if (signal?.aborted === true || performance.now() >= deadline - timerErrorMs)
    throw timeout('request did not complete within requested timeout');
}
