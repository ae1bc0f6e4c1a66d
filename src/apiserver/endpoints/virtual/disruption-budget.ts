/** Takes one disruption from a budget, or says why there is none. */
import type { PodDisruptionBudget } from '../../../api/gen/types/policy-v1.ts';
import { forbidden, notFound, StatusError } from '../../../machinery/status.ts';
import { createMap } from '../../../machinery/value.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import { timestamp } from '../../../registry/generic/timestamp.ts';
import { readModifyWrite } from '../../../registry/generic/update.ts';
import type { WriteRequest } from '../../../registry/generic/write.ts';
import { ownStatusWrite } from '../../loopback/server-status-write.ts';
import type { EndpointContext } from '../context.ts';

/** Evictions that the budget's controller has not seen yet. */
const maxUnconfirmed = 2000;
const budgets = { group: 'policy', resource: 'poddisruptionbudget' };

/** @throws 429 when the budget allows no disruption now */
export async function takeDisruption(
  context: EndpointContext,
  registry: RegistryCatalog,
  name: string,
  write: WriteRequest,
): Promise<void> {
  const store = registry.storeOf('policy', 'poddisruptionbudgets')!;
  await readModifyWrite(
    store,
    store.key(write.namespace, name),
    (current, stored) => {
      if (current === undefined || stored === undefined) throw notFound(store.groupResource, name);
      const budget = current as PodDisruptionBudget;
      checkBudget(budget);
      count(budget, write);
      ownStatusWrite(context.fieldManager, store, {
        live: store.decode(stored),
        object: budget,
        now: write.context.now,
      });
      return Promise.resolve({ action: 'write', object: budget });
    },
    { ...write, name },
  );
}

function checkBudget({
  metadata,
  status = {} as NonNullable<PodDisruptionBudget['status']>,
}: PodDisruptionBudget): void {
  const name = metadata.name!;
  if (Number(status.observedGeneration ?? 0) < Number(metadata.generation ?? 0))
    throw refused(`The disruption budget ${name} is still being processed by the server.`, 10);
  const allowed = status.disruptionsAllowed ?? 0;
  if (allowed < 0) throw forbidden(budgets, name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > maxUnconfirmed)
    throw forbidden(budgets, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (allowed === 0)
    throw refused(
      `The disruption budget ${name} needs ${status.desiredHealthy ?? 0} healthy pods and ` +
        `has ${status.currentHealthy ?? 0} currently`,
      0,
    );
}

function refused(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  });
}

function count(budget: PodDisruptionBudget, { name, context: { now } }: WriteRequest): void {
  const status = budget.status!;
  status.disruptionsAllowed = status.disruptionsAllowed! - 1;
  if (status.disruptionsAllowed === 0) setExhausted(status, now);
  status.disruptedPods ??= createMap<string>();
  status.disruptedPods[name] = timestamp(now);
}

function setExhausted(status: NonNullable<PodDisruptionBudget['status']>, now: Date): void {
  const type = 'DisruptionAllowed';
  const old = status.conditions?.find((condition) => condition.type === type);
  const lastTransitionTime = old?.status === 'False' ? old.lastTransitionTime : timestamp(now);
  const condition = {
    type,
    status: 'False',
    reason: 'InsufficientPods',
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
    lastTransitionTime,
  };
  status.conditions =
    old === undefined
      ? [...(status.conditions ?? []), condition]
      : status.conditions!.map((other) => (other === old ? condition : other));
}
