/**
 * Webhooks that may refuse. All that a request is for are asked at the same time; the first refusal is the answer.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#validatingadmissionwebhook |
 *   ValidatingAdmissionWebhook}
 */
import type { Logger } from '../../../base/logger.ts';
import { internalError } from '../../../machinery/status.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../registry/admission.ts';
import type { Candidate, MatchIndex } from '../matching/match-index.ts';
import { VersionedObjects } from '../matching/versioned-objects.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { CallFailure } from './failures.ts';
import { ask, checkNotOver, type Invocation, isWanted } from './invocation.ts';
import { observeOutcome } from './observe-outcome.ts';
import type { ObserveWebhook } from './observations.ts';
import type { WebhookSource } from './sources.ts';

export interface WebhookPluginOptions {
  readonly source: WebhookSource;
  readonly observe: ObserveWebhook;
  readonly log: Logger;
}

export function createValidatingWebhooks({ source, observe, log }: WebhookPluginOptions): AdmissionPlugin {
  const askOne = async (invocation: Invocation, index: number): Promise<void> => {
    const { entry, attributes } = invocation;
    const begin = performance.now();
    const error = await ask(invocation, false).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    observeOutcome(observe, { entry, attributes, type: 'validating', begin, error });
    if (!(error instanceof CallFailure)) {
      if (error !== undefined) throw error as Error;
      return;
    }
    if (!entry.ignoresFailures) throw internalError(error.message, { cause: error });
    log.warn({ err: error, webhook: entry.name }, 'a webhook could not be asked and is passed over');
    attributes.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, entry.name);
  };
  const askAll = async (
    attributes: AdmissionAttributes,
    candidates: readonly Candidate<CompiledWebhook>[],
  ): Promise<void> => {
    const objects = new VersionedObjects(attributes);
    const wanted: Invocation[] = [];
    for (const candidate of candidates) {
      const invocation = { entry: candidate.entry, form: candidate.form, attributes, objects };
      if (await isWanted(invocation, 'validating', observe)) wanted.push(invocation);
    }
    if (wanted.length === 0) return;
    checkNotOver(attributes);
    let first: { readonly error: unknown } | undefined;
    await Promise.all(
      wanted.map((invocation, i) =>
        askOne(invocation, i).catch((error: unknown) => {
          first ??= { error };
        }),
      ),
    );
    if (first !== undefined) throw first.error as Error;
  };
  const validateBy = (
    index: MatchIndex<CompiledWebhook>,
    attributes: AdmissionAttributes,
  ): Promise<void> | undefined => {
    if (index.isEmpty) return undefined;
    const candidates = index.candidates(attributes);
    return candidates.length === 0 ? undefined : askAll(attributes, candidates);
  };
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: () => true,
    validate(attributes) {
      const index = source.current(attributes);
      return index instanceof Promise
        ? index.then((loaded) => validateBy(loaded, attributes))
        : validateBy(index, attributes);
    },
  };
}
