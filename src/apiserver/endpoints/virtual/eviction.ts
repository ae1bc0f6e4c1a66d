/**
 * Eviction: a delete that asks the pod's disruption budget first.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/ | API-initiated Eviction}
 */
import { setPodCondition } from '../../../api/core/pods/binding.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Eviction, PodDisruptionBudget } from '../../../api/gen/types/policy-v1.ts';
import { isPodTerminal } from '../../../api/core/pods/is-terminal.ts';
import { matchesLabels, requirementsOf } from '../../../machinery/label-selector.ts';
import { badRequest, notFound, plainError } from '../../../machinery/status.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import { deleteObject } from '../../../registry/generic/delete.ts';
import type { DeleteOptions } from '../../../registry/generic/graceful-deletion.ts';
import { readModifyWrite } from '../../../registry/generic/update.ts';
import type { WriteRequest } from '../../../registry/generic/write.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import type { EndpointContext } from '../context.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import { takeDisruption } from './disruption-budget.ts';
import { doneResponse, operationVersion, readOperation, validateOperation } from './operation.ts';

export function createEviction(
  context: EndpointContext,
  registry: RegistryCatalog,
): (served: ServedResource, request: ApiRequest) => Promise<ApiResponse> {
  const servedVersion = operationVersion(context, 'policy/v1', 'Eviction', { accepts: ['policy/v1beta1'] });
  return async (served, request) => {
    const operation = await readOperation<Eviction>(context, served, request, servedVersion);
    const { object: eviction, write } = operation;
    if (eviction.metadata?.name !== write.name) throw badRequest('name in URL does not match name in Eviction object');
    const options = deleteOptionsOf(eviction, write);
    await validateOperation(context, served, request, operation);
    await evict(context, registry, options, { ...write, dryRun: (options.dryRun?.length ?? 0) > 0 });
    return doneResponse(request);
  };
}

/** A dry run can be asked for in the query and in the body; where both say something they must agree. */
function deleteOptionsOf({ deleteOptions }: Eviction, { dryRun }: WriteRequest): DeleteOptions {
  const options = (deleteOptions ?? {}) as DeleteOptions;
  const grace =
    options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Number(options.gracePeriodSeconds) };
  return { ...options, ...grace, ...(dryRun ? { dryRun: ['All'] } : {}) };
}

async function evict(
  context: EndpointContext,
  registry: RegistryCatalog,
  options: DeleteOptions,
  write: WriteRequest,
): Promise<void> {
  const store = registry.storeOf('', 'pods')!;
  const stored = await store.get(write.namespace, write.name, { match: 'mostRecent' });
  const pod = store.decode(stored) as Pod;
  if (isAlreadyDown(pod)) return removeWithReason(registry, isPodTerminal(pod) ? options : pinned(options, pod), write);
  const budgets = await budgetsOf(registry, pod);
  if (budgets.length > 1)
    throw plainError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const [budget] = budgets;
  if (budget === undefined) return removeWithReason(registry, options, write);
  // A pod that is not ready may come back until it is gone: the version that was judged is the one that goes.
  if (!isReady(pod) && mayGoUnready(budget)) return removeWithReason(registry, pinned(options, pod), write);
  await takeDisruption(context, registry, budget.metadata.name!, write);
  return removeWithReason(registry, options, write);
}

/** The pod has ended, is being deleted, or was never started: evicting it is no disruption. */
const isAlreadyDown = (pod: Pod): boolean =>
  isPodTerminal(pod) || pod.status.phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined;

const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

const pinned = (options: DeleteOptions, { metadata }: Pod): DeleteOptions =>
  options.preconditions?.resourceVersion !== undefined
    ? options
    : { ...options, preconditions: { ...options.preconditions, resourceVersion: metadata.resourceVersion! } };

/** @see {@link https://kep.k8s.io/3017 | KEP-3017} */
function mayGoUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

async function budgetsOf(registry: RegistryCatalog, { metadata }: Pod): Promise<PodDisruptionBudget[]> {
  const store = registry.storeOf('policy', 'poddisruptionbudgets');
  if (store === undefined || metadata.labels === undefined) return [];
  const { objects } = await store.list({
    version: { match: 'mostRecent' },
    selection: { namespace: metadata.namespace! },
  });
  return objects
    .map((stored) => store.decode(stored) as PodDisruptionBudget)
    .filter(({ spec }) => matchesLabels(requirementsOf(spec?.selector), metadata.labels));
}

/** Says on the pod why it goes, so that job controllers need not count it as failed (KEP-3329). */
async function removeWithReason(registry: RegistryCatalog, options: DeleteOptions, write: WriteRequest): Promise<void> {
  if (write.dryRun) return remove(registry, options, write);
  const store = registry.storeOf('', 'pods')!;
  const { stored, action } = await readModifyWrite(
    store,
    store.key(write.namespace, write.name),
    (current) => {
      if (current === undefined) throw notFound(store.groupResource, write.name);
      const pod = current as Pod;
      // Another pod than the one that is meant gets no condition; the delete says why.
      const { uid, resourceVersion } = options.preconditions ?? {};
      if (
        (uid ?? pod.metadata.uid) !== pod.metadata.uid ||
        (resourceVersion ?? pod.metadata.resourceVersion) !== pod.metadata.resourceVersion
      )
        return Promise.resolve({ action: 'keep', object: pod });
      setPodCondition(
        pod,
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        },
        write.context.now,
      );
      return Promise.resolve({ action: 'write', object: pod });
    },
    write,
  );
  const isPinned = action === 'written' && options.preconditions?.resourceVersion !== undefined;
  return remove(
    registry,
    isPinned
      ? { ...options, preconditions: { ...options.preconditions, resourceVersion: String(stored.revision) } }
      : options,
    write,
  );
}

async function remove(registry: RegistryCatalog, options: DeleteOptions, write: WriteRequest): Promise<void> {
  await deleteObject(registry.storeOf('', 'pods')!, options, () => Promise.resolve(), write);
}
