/**
 * Webhooks that may change the object, asked one after the other: each sees what the ones before it have made of it.
 *
 * When one of them has changed something, all plugins that mutate run once more. In that second round, webhooks with
 * the reinvocation policy IfNeeded are asked again if anything was changed after they were asked.
 *
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#mutatingadmissionwebhook |
 *   MutatingAdmissionWebhook}
 */
import { internalError } from '../../../machinery/status.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionRound } from '../../../registry/admission.ts';
import type { Candidate, MatchIndex } from '../matching/match-index.ts';
import { VersionedObjects } from '../matching/versioned-objects.ts';
import { Reinvocation } from '../reinvocation.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { CallFailure } from './failures.ts';
import { ask, checkNotOver, type Invocation, isWanted } from './invocation.ts';
import { observeOutcome } from './observe-outcome.ts';
import { applyPatch, patchText, readPatch } from './patches.ts';
import type { WebhookPluginOptions } from './validating.ts';

const onlyRound: AdmissionRound = { isSecond: false, again: () => undefined };

const suffix = 'mutation.webhook.admission.k8s.io';

const idOf = ({ configuration, name }: CompiledWebhook): string => `${configuration}/${name}`;

export function createMutatingWebhooks(options: WebhookPluginOptions): AdmissionPlugin {
  const { source } = options;
  /** Of requests whose second round is still to come. */
  const reinvocations = new WeakMap<AdmissionAttributes, Reinvocation>();
  const askAll = async (
    attributes: AdmissionAttributes,
    round: AdmissionRound,
    candidates: readonly Candidate<CompiledWebhook>[],
  ): Promise<void> => {
    const reinvocation = reinvocations.get(attributes) ?? new Reinvocation();
    if (round.isSecond) reinvocation.compare(attributes);
    const objects = new VersionedObjects(attributes);
    for (const candidate of candidates)
      await askInTurn(options, { ...candidate, attributes, objects }, round, reinvocation);
    if (round.isSecond || !candidates.some(({ entry }) => entry.reinvokes)) return;
    reinvocation.keep(attributes);
    reinvocations.set(attributes, reinvocation);
  };
  const admitBy = (
    index: MatchIndex<CompiledWebhook>,
    attributes: AdmissionAttributes,
    round: AdmissionRound,
  ): Promise<void> | undefined => {
    if (index.isEmpty) return undefined;
    const candidates = index.candidates(attributes);
    return candidates.length === 0 ? undefined : askAll(attributes, round, candidates);
  };
  return {
    name: 'MutatingAdmissionWebhook',
    handles: () => true,
    admit(attributes, round = onlyRound) {
      const index = source.current(attributes);
      return index instanceof Promise
        ? index.then((loaded) => admitBy(loaded, attributes, round))
        : admitBy(index, attributes, round);
    },
  };
}

async function askInTurn(
  { observe, log }: WebhookPluginOptions,
  invocation: Invocation,
  round: AdmissionRound,
  reinvocation: Reinvocation,
): Promise<void> {
  const { entry, attributes } = invocation;
  if (!(await isWanted(invocation, 'admit', observe))) return;
  if (round.isSecond && !reinvocation.isAgain(idOf(entry))) return;
  const place = `round_${round.isSecond ? 1 : 0}_index_${entry.index}`;
  const begin = performance.now();
  const result = await mutate(invocation, place).catch((error: unknown) => ({ changed: false, error }));
  const error = 'error' in result ? result.error : undefined;
  attributes.annotate(
    `${suffix}/${place}`,
    JSON.stringify({ configuration: entry.configuration, webhook: entry.name, mutated: result.changed }),
  );
  observeOutcome(observe, { entry, attributes, type: 'admit', begin, error });
  if (result.changed) {
    reinvocation.changed();
    round.again();
  }
  if (entry.reinvokes) reinvocation.asked(idOf(entry));
  if (error === undefined) return;
  if (!(error instanceof CallFailure)) throw error as Error;
  if (!entry.ignoresFailures) throw internalError(error.message, { cause: error });
  log.warn({ err: error, webhook: entry.name }, 'a webhook could not be asked and is passed over');
  attributes.annotate(`failed-open.${suffix}/${place}`, entry.name);
  checkNotOver(attributes);
}

async function mutate(invocation: Invocation, place: string): Promise<{ readonly changed: boolean }> {
  const { entry, attributes } = invocation;
  const operations = readPatch((await ask(invocation, true)).patch);
  if (operations.length === 0) return { changed: false };
  const changed = await applyPatch(invocation, operations);
  const about = JSON.stringify({ configuration: entry.configuration, webhook: entry.name }).slice(0, -1);
  attributes.annotateObject(
    `patch.webhook.admission.k8s.io/${place}`,
    `${about},"patch":${patchText(operations)},"patchType":"JSONPatch"}`,
  );
  return { changed };
}
