/**
 * `--authorization-mode=Webhook`: a service of the operator decides, asked with a SubjectAccessReview; its answers hold
 * for a time.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/webhook/ | Webhook Mode}
 */
import { textBytes } from '../../../base/bounded-cache.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Program } from '../../../cel/index.ts';
import type { ReviewClient } from '../../review-client.ts';
import {
  type AuthorizationAttributes,
  type AuthorizationDecision,
  type Authorizer,
  joinErrors,
  noOpinion,
  noRules,
} from '../authorizer.ts';
import { AnswerCache } from './answer-cache.ts';
import { evaluateConditions } from './match-conditions.ts';
import { type ReviewSpec, reviewSpec } from './review.ts';

export interface WebhookAuthorizerOptions {
  readonly client: ReviewClient;
  /** `v1` or `v1beta1`, of the reviews that are exchanged. */
  readonly version: string;
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** What it means that the service could not be asked, or a condition not be judged. */
  readonly onFailure: 'noOpinion' | 'deny';
  /** All of them must hold for a request to be asked about. */
  readonly conditions: readonly Program[];
  /** Feature gate AuthorizeWithSelectors. */
  readonly withSelectors: boolean;
  readonly observer: WebhookObserver;
  readonly clock?: Clock;
}

/** For metrics. */
export interface WebhookObserver {
  called(result: 'success' | 'timeout' | 'error', seconds: number, failedOpen: boolean): void;
  conditionsJudged(seconds: number, result: 'match' | 'excluded' | 'error'): void;
}

interface Status {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

/** Longer requests are not cached: a client must not be able to fill the memory. */
const maxCachedLength = 10_000;

export function createWebhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const cache = new AnswerCache<Status>(({ reason }) => textBytes(reason), options.clock);
  return {
    authorize(attributes) {
      const spec = reviewSpec(attributes, options.withSelectors);
      const excluded = judgeConditions(options, spec);
      if (excluded !== undefined) return excluded;
      const key = JSON.stringify(spec);
      const known = cache.get(key);
      return known === undefined ? ask(options, cache, key, spec, attributes) : decisionOf(known);
    },
    rulesFor: () => ({
      ...noRules,
      incomplete: true,
      error: 'webhook authorizer does not support user rule resolution',
    }),
  };
}

/** The decision where the service is not to be asked; undefined where it is. */
function judgeConditions(
  { conditions, onFailure, observer }: WebhookAuthorizerOptions,
  spec: ReviewSpec,
): AuthorizationDecision | undefined {
  if (conditions.length === 0) return undefined;
  const startedAt = performance.now();
  const outcome = evaluateConditions(conditions, spec);
  observer.conditionsJudged(
    (performance.now() - startedAt) / 1000,
    outcome.errors !== undefined ? 'error' : outcome.matches ? 'match' : 'excluded',
  );
  if (outcome.errors !== undefined) return { decision: onFailure, reason: '', error: joinErrors(outcome.errors) };
  return outcome.matches ? undefined : noOpinion;
}

async function ask(
  { client, version, authorizedTtlMs, unauthorizedTtlMs, onFailure, observer }: WebhookAuthorizerOptions,
  cache: AnswerCache<Status>,
  key: string,
  spec: ReviewSpec,
  attributes: AuthorizationAttributes,
): Promise<AuthorizationDecision> {
  const startedAt = performance.now();
  const took = (): number => (performance.now() - startedAt) / 1000;
  let status: Status;
  try {
    status = readStatus(await client.post(reviewOf(version, spec)), version);
  } catch (error) {
    observer.called(isTimeout(error) ? 'timeout' : 'error', took(), onFailure === 'noOpinion');
    return { decision: onFailure, reason: '', error: (error as Error).message };
  }
  observer.called('success', took(), false);
  if (lengthOf(attributes) < maxCachedLength)
    cache.set(key, status, status.allowed ? authorizedTtlMs : unauthorizedTtlMs);
  return decisionOf(status);
}

function reviewOf(version: string, spec: ReviewSpec): object {
  const { groups, ...rest } = spec;
  // The member was called otherwise before it was stable.
  const own = groups === undefined ? spec : { ...rest, [version === 'v1' ? 'groups' : 'group']: groups };
  return {
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: { creationTimestamp: null },
    spec: own,
    status: { allowed: false },
  };
}

function readStatus(answer: unknown, version: string): Status {
  const { apiVersion, status } = (answer ?? {}) as {
    readonly apiVersion?: unknown;
    readonly status?: Readonly<Record<string, unknown>>;
  };
  if (apiVersion !== `authorization.k8s.io/${version}`)
    throw new Error(
      `the webhook answered with something else than a SubjectAccessReview of authorization.k8s.io/${version}`,
    );
  const reason = status?.['reason'];
  return {
    allowed: status?.['allowed'] === true,
    denied: status?.['denied'] === true,
    reason: typeof reason === 'string' ? reason : '',
  };
}

function decisionOf({ allowed, denied, reason }: Status): AuthorizationDecision {
  if (allowed && denied)
    return { decision: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' };
  return { decision: denied ? 'deny' : allowed ? 'allow' : 'noOpinion', reason };
}

const isTimeout = (error: unknown): boolean => (error as Error).name === 'TimeoutError';

const lengthOf = ({
  namespace,
  verb,
  group,
  version,
  resource,
  subresource,
  name,
  path,
}: AuthorizationAttributes): number =>
  namespace.length +
  verb.length +
  group.length +
  version.length +
  resource.length +
  subresource.length +
  name.length +
  path.length;
