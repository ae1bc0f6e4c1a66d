/**
 * Resource quotas of a namespace: an object that would exceed one is refused, others are charged to its status.
 *
 * Every quota is looked at before any is charged. Charging is a guarded write that checks again, so that writers on two
 * servers cannot share the last place; those on one server take turns. What is charged and then not created is given
 * back by the quota controller.
 *
 * @see {@link https://kubernetes.io/docs/concepts/policy/resource-quotas/ | Resource Quotas}
 */
import type { Pod, ResourceQuota } from '../../api/gen/types/core-v1.ts';
import { Turns } from '../../base/turns.ts';
import type { PodResourcesOptions } from '../../api/core/pods/pod-requests.ts';
import { quantityOf } from '../../api/core/resources/quantities.ts';
import type { FieldManager } from '../../machinery/managed-fields/field-manager.ts';
import { createMap } from '../../machinery/value.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import { readModifyWrite } from '../../registry/generic/update.ts';
import type { WriteRequest } from '../../registry/generic/write.ts';
import { ownStatusWrite } from '../loopback/server-status-write.ts';
import { refused } from './attributes.ts';
import type { LimitedResource } from './configuration/plugin-configuration.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import { checkCovered } from './limited-resources.ts';
import { isInScope } from '../../api/core/resource-quotas/scopes.ts';
import { countsAs, missingOf, type Usage, usageOf } from '../../api/core/resource-quotas/usage.ts';

export interface ResourceQuotaOptions {
  readonly objects: CachedObjects;
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly fieldManager: FieldManager;
  readonly now: () => Date;
  readonly featureEnabled: (gate: string) => boolean;
  /** Uses that need a quota which covers them. */
  readonly limitedResources?: readonly LimitedResource[] | undefined;
}

/** Updates can only grow what these count. */
const countedOnUpdate: ReadonlySet<string> = new Set(['services', 'persistentvolumeclaims']);

export function createResourceQuota(options: ResourceQuotaOptions): AdmissionPlugin {
  const { objects, registry, fieldManager, now, featureEnabled, limitedResources = [] } = options;
  const podResources: PodResourcesOptions = {
    podLevel: featureEnabled('PodLevelResources'),
    fromStatus: featureEnabled('InPlacePodVerticalScaling'),
    overhead: true,
  };
  const check = async (attributes: AdmissionAttributes): Promise<void> => {
    const quotas = await objects.list<ResourceQuota>('', 'resourcequotas', attributes.namespace);
    if (quotas.length === 0 && limitedResources.length === 0) return;
    const isPod = attributes.resource.group === '' && attributes.resource.resource === 'pods';
    const pod = isPod ? (attributes.object as Pod) : undefined;
    const added = additions(attributes, podResources);
    const counting = quotas.filter((quota) => isInScope(quota, pod, podResources.podLevel));
    for (const quota of counting) checkSaid(attributes, quota, pod, podResources);
    if (limitedResources.length > 0 && added.size > 0)
      checkCovered(attributes, { limitedResources, quotas, counting, pod, podResources });
    const charged = counting.filter((quota) => hardNames(quota).some((name) => added.has(name)));
    for (const quota of charged) checkQuota(attributes, quota, added);
    if (!attributes.dryRun) for (const quota of charged) await charge(attributes, quota.metadata.name!, added);
  };
  // Creators that share a quota would repeat each other's writes.
  const turns = new Turns();
  const charge = (attributes: AdmissionAttributes, name: string, added: Usage): Promise<void> =>
    turns.run(`${attributes.namespace}/${name}`, () => chargeNow(attributes, name, added), attributes.signal);
  const chargeNow = async (attributes: AdmissionAttributes, name: string, added: Usage): Promise<void> => {
    const store = registry.storeOf('', 'resourcequotas')!;
    const { namespace } = attributes;
    await readModifyWrite(
      store,
      store.key(namespace, name),
      (current, stored) => {
        // A quota that was deleted limits nothing.
        if (current === undefined || stored === undefined) return Promise.resolve({ action: 'keep', object: {} });
        const quota = current as ResourceQuota;
        checkQuota(attributes, quota, added);
        addUsed(quota, added);
        ownStatusWrite(fieldManager, store, { live: store.decode(stored), object: quota, now: now() });
        return Promise.resolve({ action: 'write', object: quota });
      },
      chargeRequest(namespace, name, now()),
    ).catch(ignoreMissing);
  };
  return {
    name: 'ResourceQuota',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate(attributes) {
      if (attributes.namespace === '' || !changesUsage(attributes)) return undefined;
      return check(attributes);
    },
  };
}

/** A pod grows by its resize subresource alone. */
function changesUsage({ operation, resource, subresource, kind }: AdmissionAttributes): boolean {
  if (resource.resource === 'events' || kind.kind === 'Namespace') return false;
  if (operation === 'CREATE') return subresource === '';
  if (resource.group !== '') return false;
  return subresource === ''
    ? countedOnUpdate.has(resource.resource)
    : resource.resource === 'pods' && subresource === 'resize';
}

/** What the write adds; never less than nothing. */
function additions(
  { resource: { group, resource }, object, oldObject }: AdmissionAttributes,
  podResources: PodResourcesOptions,
): Usage {
  const usage = usageOf(group, resource, object!, podResources);
  const before: Usage = oldObject === undefined ? new Map() : usageOf(group, resource, oldObject, podResources);
  const added: Usage = new Map();
  for (const [name, amount] of usage) {
    const more = before.has(name) ? amount.sub(before.get(name)!) : amount;
    if (more.sign() > 0) added.set(name, more);
  }
  return added;
}

const hardNames = ({ status }: ResourceQuota): string[] => Object.keys(status?.hard ?? {}).sort();

/** A quota is of no use, and lets nothing pass, while the use of a name that such objects count under is unknown. */
function checkSaid(
  attributes: AdmissionAttributes,
  quota: ResourceQuota,
  pod: Pod | undefined,
  podResources: PodResourcesOptions,
): void {
  const name = quota.metadata.name!;
  const { group, resource } = attributes.resource;
  const counted = hardNames(quota).filter((hard) => countsAs(group, resource, hard));
  const missing = pod === undefined ? '' : missingOf(pod, counted, podResources);
  if (missing !== '') throw refused(attributes, `failed quota: ${name}: must specify ${missing}`);
  if (counted.some((hard) => quota.status?.used?.[hard] === undefined))
    throw refused(attributes, `status unknown for quota: ${name}, resources: ${counted.join(',')}`);
}

function checkQuota(attributes: AdmissionAttributes, quota: ResourceQuota, added: Usage): void {
  const { hard = {}, used = {} } = quota.status ?? {};
  const exceeded = hardNames(quota).filter(
    (name) =>
      added.has(name) &&
      quantityOf(used[name] ?? '0')
        .add(added.get(name)!)
        .compare(quantityOf(hard[name]!)) > 0,
  );
  if (exceeded.length === 0) return;
  const list = (amountOf: (name: string) => string): string =>
    exceeded.map((name) => `${name}=${amountOf(name)}`).join(',');
  throw refused(
    attributes,
    `exceeded quota: ${quota.metadata.name!}, requested: ${list((name) => added.get(name)!.toString())}, ` +
      `used: ${list((name) => used[name] ?? '0')}, limited: ${list((name) => hard[name]!)}`,
  );
}

function addUsed(quota: ResourceQuota, added: Usage): void {
  const used = Object.assign(createMap<string>(), quota.status?.used);
  for (const name of hardNames(quota))
    if (added.has(name))
      used[name] = quantityOf(used[name] ?? '0')
        .add(added.get(name)!)
        .toString();
  quota.status = { ...quota.status, used };
}

/** The server itself writes the status of a quota. */
function chargeRequest(namespace: string, name: string, now: Date): WriteRequest {
  const user = { name: 'system:apiserver', groups: ['system:masters'] };
  return {
    namespace,
    name,
    subresource: 'status',
    context: { now, user, enabled: () => false, apiVersion: 'v1', allowPrivileged: false },
    dryRun: false,
    options: {},
    warn: () => false,
  };
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'reason' in error && error.reason === 'NotFound') return undefined;
  throw error;
}
