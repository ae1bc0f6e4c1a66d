/** Claims that drivers have made ready on this node, as `dra_manager_state` keeps them over a restart of the agent. */
import { crc32 } from 'node:zlib';
import { CheckpointError, corrupted, parseCheckpoint } from '../checkpoint-file.ts';

export interface PreparedDevice {
  readonly pool: string;
  readonly device: string;
  /** Requests of the claim for which it is. */
  readonly requests: readonly string[];
  /** Names of the Container Device Interface. */
  readonly cdiIds: readonly string[];
}

export interface PreparedClaim {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Pods that use it. */
  readonly podUids: readonly string[];
  /** By driver. */
  readonly drivers: ReadonlyMap<string, readonly PreparedDevice[]>;
}

interface DeviceEntry {
  readonly PoolName: string;
  readonly DeviceName: string;
  readonly RequestNames: readonly string[] | null;
  readonly CDIDeviceIDs: readonly string[] | null;
}

interface Entry {
  readonly ClaimUID: string;
  readonly ClaimName: string;
  readonly Namespace: string;
  readonly PodUIDs: Readonly<Record<string, object>> | null;
  readonly DriverState: Readonly<Record<string, { readonly Devices: readonly DeviceEntry[] | null }>> | null;
}

const header = { kind: 'DRACheckpoint', apiVersion: 'checkpoint.dra.kubelet.k8s.io/v1' };

export function formatClaims(claims: readonly PreparedClaim[]): string {
  const Entries = claims.map(
    (claim): Entry => ({
      ClaimUID: claim.uid,
      ClaimName: claim.name,
      Namespace: claim.namespace,
      PodUIDs: Object.fromEntries(claim.podUids.map((uid) => [uid, {}])),
      DriverState: Object.fromEntries(
        [...claim.drivers].map(([driver, devices]) => [
          driver,
          {
            Devices: devices.map(({ pool, device, requests, cdiIds }) => ({
              PoolName: pool,
              DeviceName: device,
              RequestNames: requests,
              CDIDeviceIDs: cdiIds,
            })),
          },
        ]),
      ),
    }),
  );
  const Data = JSON.stringify({ ...header, Entries });
  return JSON.stringify({ Data, Checksum: crc32(Data) });
}

/** Throws a `CheckpointError`. */
export function parseClaims(text: string): readonly PreparedClaim[] {
  const { Data: data, Checksum: checksum } = parseCheckpoint(text);
  if (typeof data !== 'string' || crc32(data) !== checksum) throw new CheckpointError(corrupted);
  const { kind, apiVersion, Entries: entries } = parseCheckpoint(data);
  if (kind !== header.kind || apiVersion !== header.apiVersion)
    throw new CheckpointError(`incorrect checkpoint type, expected ${header.kind}, got ${String(kind)}`);
  try {
    return ((entries ?? []) as readonly Entry[]).map(claimOf);
  } catch (error) {
    throw new CheckpointError(corrupted, { cause: error });
  }
}

const claimOf = (entry: Entry): PreparedClaim => ({
  uid: entry.ClaimUID,
  name: entry.ClaimName,
  namespace: entry.Namespace,
  podUids: Object.keys(entry.PodUIDs ?? {}),
  drivers: new Map(
    Object.entries(entry.DriverState ?? {}).map(([driver, { Devices: devices }]) => [
      driver,
      (devices ?? []).map((each) => ({
        pool: each.PoolName,
        device: each.DeviceName,
        requests: [...(each.RequestNames ?? [])],
        cdiIds: [...(each.CDIDeviceIDs ?? [])],
      })),
    ]),
  ),
});
