/** A webhook of a configuration, as requests use it: made when the configuration changes. */
import { X509Certificate } from 'node:crypto';
import type { MutatingWebhook, ValidatingWebhook } from '../../../api/gen/types/admissionregistration-v1.ts';
import type { Authorizer } from '../../../auth/authorization/authorizer.ts';
import type { CachedObjects } from '../../loopback/cached-objects.ts';
import type { CredentialsSource, HeldWebhookClient, WebhookClients } from '../../webhooks/webhook-clients.ts';
import type { MatchCriteria } from '../matching/match-index.ts';
import { createMatchConditions, type MatchConditions } from '../matching/match-conditions.ts';
import { createSelectorMatch, type SelectorMatch } from '../matching/selectors.ts';
import { type ReviewVersion, reviewVersionOf } from './review.ts';

export interface CompiledWebhook extends MatchCriteria {
  readonly name: string;
  readonly configuration: string;
  /** Among all webhooks of its kind, in the order in which they are asked. */
  readonly index: number;
  readonly ignoresFailures: boolean;
  readonly reinvokes: boolean;
  /** Whether it may be asked about a dry run. */
  readonly allowsDryRun: boolean;
  readonly timeoutMs: number;
  /** Undefined where it knows none that this server speaks. */
  readonly reviewVersion: ReviewVersion | undefined;
  readonly selects: SelectorMatch;
  readonly conditions: MatchConditions | undefined;
  readonly client: HeldWebhookClient;
  /** Why no connection can be opened. */
  readonly clientProblem: string | undefined;
}

export interface WebhookParts {
  readonly clients: Pick<WebhookClients, 'hold'>;
  readonly objects: Pick<CachedObjects, 'find' | 'findFresh'>;
  readonly authorizer: Authorizer;
  /** Without it webhooks are shown none. */
  readonly credentials?: CredentialsSource | undefined;
}

/**
 * A patch of an object that is as long as a request may be, in base64, and as much again for all else. A longer answer
 * is a failure of the webhook.
 */
export const maxAnswerBytes = 8 * 1024 * 1024;

/** What stored configurations without a timeout get. */
const usualTimeoutSeconds = 10;

type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

export function compileWebhook(
  webhook: Webhook,
  { configuration, index }: { readonly configuration: string; readonly index: number },
  { clients, objects, authorizer, credentials }: WebhookParts,
): CompiledWebhook {
  const timeoutMs = (webhook.timeoutSeconds ?? usualTimeoutSeconds) * 1000;
  const settings = { timeoutMs, timeoutInQuery: true, retryDelaysMs: [], maxAnswerBytes };
  return {
    name: webhook.name ?? '',
    configuration,
    index,
    rules: webhook.rules ?? [],
    matchPolicy: webhook.matchPolicy,
    ignoresFailures: webhook.failurePolicy === 'Ignore',
    reinvokes: webhook.reinvocationPolicy === 'IfNeeded',
    allowsDryRun: webhook.sideEffects === 'None' || webhook.sideEffects === 'NoneOnDryRun',
    timeoutMs,
    reviewVersion: reviewVersionOf(webhook.admissionReviewVersions),
    selects: createSelectorMatch(webhook, objects),
    conditions: createMatchConditions(webhook.matchConditions, { authorizer }),
    client: clients.hold(webhook.clientConfig, settings, credentials),
    clientProblem: bundleProblem(webhook.clientConfig.caBundle),
  };
}

function bundleProblem(caBundle: string | undefined): string | undefined {
  if (caBundle === undefined || caBundle === '') return undefined;
  try {
    void new X509Certificate(Buffer.from(caBundle, 'base64'));
    return undefined;
  } catch {
    return 'unable to load root certificates: unable to parse bytes as PEM block';
  }
}
