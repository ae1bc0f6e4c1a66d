/** With feature gate CoordinatedLeaderElection one of the servers of the cluster elects the leaders of daemons. */
import type { LeaseCandidate } from '../../api/gen/types/coordination-v1alpha2.ts';
import { systemClock } from '../../base/clock.ts';
import { createElector } from '../../client/leader-election/elector.ts';
import { changesOf, Controller } from '../../reconcile/controller.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { createStoreInformer } from '../../registry/store-source.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { candidateCollectionMs, collectCandidates, CoordinatedElection } from '../coordinated-election/controller.ts';
import { loopbackLock } from '../coordinated-election/loopback-lock.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

/** Until the signal aborts. Undefined where the gate is off, or candidates are not served. */
export type Electing = (signal: AbortSignal) => Promise<void>;

const group = 'coordination.k8s.io';
/** By which the servers agree on the one that elects; upstream's name. */
const lockName = 'leader-election-controller';

export function createCoordinatedElection(
  { config: { log }, featureEnabled, hostname, serverId, now }: SharedDependencies,
  writer: LoopbackClient,
  registry: Pick<RegistryCatalog, 'storeOf'>,
): Electing | undefined {
  const leases = registry.storeOf(group, 'leases');
  const candidates = registry.storeOf(group, 'leasecandidates');
  if (!featureEnabled('CoordinatedLeaderElection') || leases === undefined || candidates === undefined)
    return undefined;
  const elect = async (signal: AbortSignal): Promise<void> => {
    const own = writer.until(signal);
    const { informers, triggers } = follow(leases, candidates, log);
    const collector = new Controller({
      sync: async (key) => {
        await collectCandidates({ writer: own, now });
        collector.addAfter(key, candidateCollectionMs);
        return undefined;
      },
      onFailure: (_, error) => log.warn({ err: error }, 'ended lease candidates were not deleted'),
      workers: 1,
    });
    for (const informer of informers) informer.start();
    collector.addAfter('all', candidateCollectionMs);
    collector.start();
    try {
      await new CoordinatedElection({ writer: own, triggers, log, now, clock: systemClock }).run(signal);
    } finally {
      await Promise.all([collector.stop(), ...informers.map((informer) => informer.stop())]);
    }
  };
  return async (signal) => {
    while (!signal.aborted)
      await createElector({
        lock: loopbackLock(writer, 'kube-system', lockName),
        identity: `${hostname}_${serverId}`,
        lead: (leadership) => elect(leadership.signal),
        log,
      }).run(signal);
  };
}

function follow(leases: ResourceStore, candidates: ResourceStore, log: SharedDependencies['config']['log']) {
  const leaseOf = (stored: StoredObject): string[] => {
    const { metadata, spec } = candidates.decode(stored) as LeaseCandidate;
    return [`${metadata.namespace}/${spec.leaseName}`];
  };
  const byLease = 'lease';
  const candidateInformer = createStoreInformer({ store: candidates, freshness: 'any', log });
  candidateInformer.addIndexers({ [byLease]: leaseOf });
  const leaseInformer = createStoreInformer({ store: leases, freshness: 'any', log });
  /** There is a lease for each node too, which are renewed all the time. */
  const withCandidates = ({ attributes: { namespace, name } }: StoredObject): string[] => {
    const key = `${namespace}/${name}`;
    return candidateInformer.objects.byIndex(byLease, key).length > 0 ? [key] : [];
  };
  return {
    informers: [candidateInformer, leaseInformer],
    triggers: [changesOf(candidateInformer, leaseOf), changesOf(leaseInformer, withCandidates)],
  };
}
