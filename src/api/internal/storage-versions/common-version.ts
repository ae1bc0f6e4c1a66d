/**
 * What the servers of a StorageVersion have in common.
 * @see {@link https://kep.k8s.io/2339 | KEP-2339}
 */
import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
} from '../../gen/types/apiserverinternal-v1alpha1.ts';
import { formatTime } from '../../../machinery/time.ts';

const type = 'AllEncodingVersionsEqual';
const agreed = { type, status: 'True', reason: 'CommonEncodingVersionSet', message: 'Common encoding version set' };
const divided = {
  type,
  status: 'False',
  reason: 'CommonEncodingVersionUnset',
  message: 'Common encoding version unset',
};

/** The version in which all servers write; undefined when there is none. */
export function commonVersion(servers: readonly ServerStorageVersion[]): string | undefined {
  const [first, ...others] = servers.map(({ encodingVersion = '' }) => encodingVersion);
  return others.every((version) => version === first) ? first : undefined;
}

/** The object with these servers: the version that they have in common, and the condition that says so. */
export function withServers(version: StorageVersion, servers: ServerStorageVersion[], nowMs: number): StorageVersion {
  const { conditions = [], commonEncodingVersion: before } = version.status ?? {};
  const common = commonVersion(servers);
  const old = conditions.find((condition) => condition.type === type);
  const wanted = common === undefined ? divided : agreed;
  const isMoved = before !== undefined && common !== undefined && before !== common;
  const condition: StorageVersionCondition = {
    ...wanted,
    ...(version.metadata.generation === undefined ? {} : { observedGeneration: version.metadata.generation }),
    lastTransitionTime:
      old?.status === wanted.status && !isMoved ? old.lastTransitionTime! : formatTime(Math.floor(nowMs / 1000)),
  };
  return {
    ...version,
    status: {
      storageVersions: servers,
      ...(common === undefined ? {} : { commonEncodingVersion: common }),
      conditions: [...conditions.filter((each) => each !== old), condition],
    },
  };
}
