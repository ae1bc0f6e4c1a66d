/**
 * Admission webhooks. @see {@link
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ | Dynamic Admission
 * Control}
 */
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../gen/types/admissionregistration-v1.ts';
import { duplicate, invalid, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isEqual } from '../../machinery/equal.ts';
import { isDns1035Label } from '../../machinery/formats/names.ts';
import { goStrings } from '../../machinery/go-quote.ts';
import { checkEnum, checkFormat } from '../meta/checks.ts';
import { checkFullyQualifiedName } from '../meta/domains.ts';
import { checkLabelSelector, hasInvalidSelectorValue } from '../meta/label-selector.ts';
import { subdomainName } from '../meta/name-rules.ts';
import { validateBuiltInMeta } from '../meta/object-meta.ts';
import { checkWebhookTarget, setServiceTargetDefaults } from '../meta/webhook-client.ts';
import { checkMatchConditions } from './match-conditions.ts';
import { checkRule, setRuleDefaults } from './rules.ts';

export type Webhook = ValidatingWebhook | MutatingWebhook;
export type WebhookConfiguration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

export const failurePolicies = ['Fail', 'Ignore'];
export const matchPolicies = ['Equivalent', 'Exact'];
export const reinvocationPolicies = ['IfNeeded', 'Never'];
const withoutSideEffects = ['None', 'NoneOnDryRun'];
const allSideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
/** Versions of AdmissionReview that this server sends. */
const reviewVersions = ['v1', 'v1beta1'];
const maxTimeoutSeconds = 30;

export function setWebhookDefaults(configuration: WebhookConfiguration): void {
  for (const webhook of configuration.webhooks ?? []) {
    webhook.failurePolicy ??= 'Fail';
    webhook.matchPolicy ??= 'Equivalent';
    webhook.namespaceSelector ??= {};
    webhook.objectSelector ??= {};
    webhook.timeoutSeconds ??= 10;
    webhook.rules?.forEach(setRuleDefaults);
    setServiceTargetDefaults(webhook.clientConfig.service);
  }
}

export function setMutatingWebhookDefaults(configuration: MutatingWebhookConfiguration): void {
  setWebhookDefaults(configuration);
  for (const webhook of configuration.webhooks ?? []) webhook.reinvocationPolicy ??= 'Never';
}

/** What a stored configuration does not keep to, its next version need not either. */
interface WebhookRules {
  readonly uniqueNames: boolean;
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly allowInvalidSelectorValues: boolean;
  readonly skipConditions: boolean;
  readonly storedExpressions: ReadonlySet<string>;
}

const strict: WebhookRules = {
  uniqueNames: true,
  noSideEffects: true,
  knownReviewVersion: true,
  allowInvalidSelectorValues: false,
  skipConditions: false,
  storedExpressions: new Set(),
};

function rulesFor(configuration: WebhookConfiguration, { webhooks = [] }: WebhookConfiguration): WebhookRules {
  return {
    uniqueNames: new Set(webhooks.map(({ name }) => name)).size === webhooks.length,
    noSideEffects: webhooks.every(({ sideEffects }) => withoutSideEffects.includes(sideEffects ?? '')),
    knownReviewVersion: webhooks.every(
      ({ admissionReviewVersions = [] }) =>
        admissionReviewVersions.length === 0 || hasKnownVersion(admissionReviewVersions),
    ),
    allowInvalidSelectorValues: webhooks.some(
      ({ namespaceSelector, objectSelector }) =>
        hasInvalidSelectorValue(namespaceSelector) || hasInvalidSelectorValue(objectSelector),
    ),
    storedExpressions: new Set(
      (webhooks as readonly Webhook[]).flatMap(conditionsOf).map(({ expression = '' }) => expression),
    ),
    skipConditions: isEqual(
      (configuration.webhooks ?? []).map(conditionsOf),
      (webhooks as readonly Webhook[]).map(conditionsOf),
    ),
  };
}

const conditionsOf = ({ matchConditions = [] }: Webhook): NonNullable<Webhook['matchConditions']> => matchConditions;

const hasKnownVersion = (versions: readonly string[]): boolean =>
  versions.some((version) => reviewVersions.includes(version));

/** Adds what is wrong with a new or changed configuration to `errors`, in the steps of each expression. */
export function* validateWebhookConfiguration(
  configuration: WebhookConfiguration,
  old: WebhookConfiguration | undefined,
  errors: FieldErrors,
): Generator<void, FieldErrors> {
  const { metadata, webhooks = [] } = configuration;
  const rules = old === undefined ? strict : rulesFor(configuration, old);
  errors.push(...validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName }));
  const seen = new Set<string>();
  for (const [i, webhook] of webhooks.entries()) {
    const path = FieldPath.of('webhooks').index(i);
    const { name = '' } = webhook;
    yield* checkWebhook(webhook, path, errors, rules);
    checkReviewVersions(webhook.admissionReviewVersions ?? [], path.child('admissionReviewVersions'), errors, rules);
    if (rules.uniqueNames && name !== '' && seen.has(name)) errors.push(duplicate(path.child('name'), name));
    seen.add(name);
  }
  return errors;
}

function* checkWebhook(
  webhook: Webhook,
  path: FieldPath,
  errors: FieldErrors,
  rules: WebhookRules,
): Generator<void, void> {
  checkFullyQualifiedName(webhook.name ?? '', path.child('name'), errors);
  webhook.rules?.forEach((rule, i) => checkRule(rule, path.child('rules').index(i), errors));
  if (webhook.failurePolicy !== undefined)
    checkEnum(webhook.failurePolicy, failurePolicies, path.child('failurePolicy'), errors);
  if (webhook.matchPolicy !== undefined)
    checkEnum(webhook.matchPolicy, matchPolicies, path.child('matchPolicy'), errors);
  checkSideEffects(webhook.sideEffects, path.child('sideEffects'), errors, rules);
  checkTimeout(webhook.timeoutSeconds, path.child('timeoutSeconds'), errors);
  const selectorRules = { allowInvalidValues: rules.allowInvalidSelectorValues };
  checkLabelSelector(webhook.namespaceSelector, path.child('namespaceSelector'), errors, selectorRules);
  checkLabelSelector(webhook.objectSelector, path.child('objectSelector'), errors, selectorRules);
  if ('reinvocationPolicy' in webhook && webhook.reinvocationPolicy !== undefined)
    checkEnum(webhook.reinvocationPolicy, reinvocationPolicies, path.child('reinvocationPolicy'), errors);
  checkWebhookTarget(webhook.clientConfig, path.child('clientConfig'), errors);
  if (!rules.skipConditions)
    yield* checkMatchConditions(webhook.matchConditions, path.child('matchConditions'), errors, {
      stored: rules.storedExpressions,
    });
}

function checkSideEffects(
  value: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  { noSideEffects }: WebhookRules,
): void {
  const allowed = noSideEffects ? withoutSideEffects : allSideEffects;
  if (value === undefined) errors.push(required(path, `must specify one of ${allowed.join(', ')}`));
  else checkEnum(value, allowed, path, errors);
}

function checkTimeout(seconds: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (seconds !== undefined && (seconds < 1 || seconds > maxTimeoutSeconds))
    errors.push(invalid(path, seconds, 'the timeout value must be between 1 and 30 seconds'));
}

function checkReviewVersions(
  versions: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
  { knownReviewVersion }: WebhookRules,
): void {
  if (versions.length === 0)
    return void errors.push(required(path, `must specify one of ${reviewVersions.join(', ')}`));
  const seen = new Set<string>();
  versions.forEach((version, i) => {
    if (seen.has(version)) errors.push(invalid(path.index(i), version, 'duplicate version'));
    else checkFormat(isDns1035Label, version, path.index(i), errors);
    seen.add(version);
  });
  if (knownReviewVersion && !hasKnownVersion(versions))
    errors.push(invalid(path, goStrings(versions), `must include at least one of ${reviewVersions.join(', ')}`));
}
