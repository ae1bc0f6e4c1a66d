/** The CSI drivers of this node, as they register, with their clients. */
import type { Logger } from '../../../base/logger.ts';
import { GrpcError } from '../../../grpc/grpc-error.ts';
import { createServiceClient, type ServiceCalls, type ServiceClient } from '../../../grpc/service-client.ts';
import { GrpcCode } from '../../../grpc/status.ts';
import type { VolumeObserver } from '../../metrics/volume-metrics.ts';
import type { Plugin, PluginHandler } from '../../plugin-registration/plugin-handler.ts';
import type { Abilities } from './capability.ts';
import type { CsiNodeInfo } from './csi-node-info.ts';
import * as protocol from './gen/csi.ts';

export type CsiCalls = ServiceCalls<protocol.Methods>;

export interface CsiDriverClient {
  readonly calls: CsiCalls;
  /** Asked once. */
  abilities(): Promise<Abilities>;
}

interface Driver extends CsiDriverClient {
  readonly version: readonly number[];
  readonly client: ServiceClient<protocol.Methods>;
}

const timeoutMs = 120_000;
/** Of versions of the interface: 1.0 and what is compatible with it. */
const supportedMajor = 1;

export interface CsiDriversOptions {
  readonly nodeInfo: CsiNodeInfo;
  readonly observer?: Pick<VolumeObserver, 'called'> | undefined;
  readonly log: Logger;
}

export class CsiDrivers implements PluginHandler {
  readonly #drivers = new Map<string, Driver>();
  readonly #nodeInfo: CsiNodeInfo;
  readonly #observer: Pick<VolumeObserver, 'called'> | undefined;
  readonly #log: Logger;

  constructor({ nodeInfo, observer, log }: CsiDriversOptions) {
    this.#nodeInfo = nodeInfo;
    this.#observer = observer;
    this.#log = log;
  }

  /** Throws for a driver that has not registered. */
  get(name: string): CsiDriverClient {
    const driver = this.#drivers.get(name);
    if (driver === undefined) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
    return driver;
  }

  validate({ name, versions }: Plugin): void {
    const failed = `validateVersions for CSI driver "${name}" failed.`;
    if (!isDriverName(name)) throw new Error(`${failed} ${JSON.stringify(name)} is not a name of drivers`);
    if (versions.length === 0) throw new Error(`${failed} Plugin returned an empty list for supported versions`);
    const highest = highestVersion(versions);
    if (highest === undefined)
      throw new Error(`${failed} None of the versions specified ${JSON.stringify(versions)} are supported`);
    const known = this.#drivers.get(name);
    if (known !== undefined && !isLess(known.version, highest))
      throw new Error(
        `${failed} Another driver with the same name is already registered with a higher supported version: ` +
          `"${known.version.join('.')}"`,
      );
  }

  async register({ name, endpoint, versions }: Plugin, signal: AbortSignal): Promise<void> {
    const peer = `the CSI driver ${name}`;
    const client = createServiceClient<protocol.Methods>(protocol, { path: endpoint, peer, timeoutMs });
    const calls = observedCalls(name, client.calls, this.#observer);
    let abilities: Promise<Abilities> | undefined;
    const driver: Driver = {
      version: highestVersion(versions)!,
      client,
      calls,
      abilities() {
        abilities ??= abilitiesOf(calls).catch((error: unknown) => {
          abilities = undefined;
          throw error;
        });
        return abilities;
      },
    };
    this.#drivers.get(name)?.client.close();
    this.#drivers.set(name, driver);
    try {
      const { nodeId = '', maxVolumesPerNode = 0, accessibleTopology } = await calls.nodeGetInfo({}, { signal });
      const topology = accessibleTopology?.segments ?? {};
      await this.#nodeInfo.add({ name, nodeId, maxVolumes: Number(maxVolumesPerNode), topology });
    } catch (error) {
      this.#forget(name);
      throw error;
    }
  }

  async deregister(name: string): Promise<void> {
    this.#forget(name);
    await this.#nodeInfo.remove(name);
  }

  close(): void {
    for (const name of [...this.#drivers.keys()]) this.#forget(name);
  }

  #forget(name: string): void {
    this.#drivers.get(name)?.client.close();
    if (this.#drivers.delete(name)) this.#log.debug({ driver: name }, 'a CSI driver is not used any more');
  }
}

function observedCalls(driver: string, calls: CsiCalls, observer: CsiDriversOptions['observer']): CsiCalls {
  if (observer === undefined) return calls;
  const observe = ([method, [path]]: [string, (typeof protocol.methods)[keyof CsiCalls]]) => {
    const call = calls[method as keyof CsiCalls] as (...request: readonly unknown[]) => Promise<unknown>;
    const observed = async (...request: readonly unknown[]): Promise<unknown> => {
      const begunAt = performance.now();
      const answer = call(...request);
      const code = await answer.then(() => 'OK', codeNameOf);
      observer.called(driver, path, code, (performance.now() - begunAt) / 1000);
      return answer;
    };
    return [method, observed];
  };
  return Object.fromEntries(Object.entries(protocol.methods).map(observe)) as CsiCalls;
}

/** `DeadlineExceeded`; what is no answer of a driver is `Unknown`. */
function codeNameOf(error: unknown): string {
  const code = error instanceof GrpcError ? error.code : GrpcCode.unknown;
  const [name = 'unknown'] = Object.entries(GrpcCode).find(([, value]) => value === code) ?? [];
  return `${name[0]!.toUpperCase()}${name.slice(1)}`;
}

async function abilitiesOf({ nodeGetCapabilities }: CsiCalls): Promise<Abilities> {
  const { capabilities = [] } = await nodeGetCapabilities({});
  return new Set(capabilities.flatMap(({ rpc }) => (rpc?.type === undefined ? [] : [rpc.type])));
}

/** It becomes part of paths. */
const isDriverName = (name: string): boolean => /^[a-zA-Z0-9]([-a-zA-Z0-9.]{0,61}[a-zA-Z0-9])?$/.test(name);

function highestVersion(versions: readonly string[]): readonly number[] | undefined {
  const numbers = versions.flatMap((version) => {
    const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version);
    return match === null ? [] : [match.slice(1).map((part) => Number(part ?? 0))];
  });
  const supported = numbers.filter(([major]) => major === supportedMajor);
  return supported.sort((a, b) => (isLess(a, b) ? 1 : -1))[0];
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const index = a.findIndex((part, position) => part !== b[position]);
  return index >= 0 && a[index]! < b[index]!;
}
