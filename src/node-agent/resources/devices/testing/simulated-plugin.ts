/** A device plugin in this process, at a socket in a directory of the test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { GrpcError } from '../../../../grpc/grpc-error.ts';
import { ServiceServer } from '../../../../grpc/service-server.ts';
import { GrpcCode } from '../../../../grpc/status.ts';
import { createServiceClient } from '../../../../grpc/service-client.ts';
import * as protocol from '../gen/device-plugin.ts';
import type { ContainerAllocateResponse, Device, DevicePluginOptions } from '../gen/device-plugin.ts';

export interface SimulatedPlugin {
  readonly name: string;
  /** `allocate a b`, `preferred a b of 1`, `preStart a` */
  readonly calls: string[];
  /** From now on these are the devices. */
  setDevices(devices: readonly Device[]): void;
  /** As when its process is killed. */
  stop(): Promise<void>;
}

export interface PluginShape {
  readonly name?: string;
  readonly devices?: readonly Device[];
  readonly options?: DevicePluginOptions;
  readonly prefers?: readonly string[];
  readonly answer?: (ids: readonly string[]) => ContainerAllocateResponse | undefined;
  readonly preStart?: () => void;
}

export const healthy = (ID: string, ...nodes: readonly number[]): Device => ({
  ID,
  health: 'Healthy',
  ...(nodes.length === 0 ? {} : { topology: { nodes: nodes.map((node) => ({ ID: node })) } }),
});

export async function pluginDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-devices-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

export async function startPlugin(directory: string, shape: PluginShape = {}): Promise<SimulatedPlugin> {
  const { name = 'plugin.sock', options = {}, prefers = [], answer = () => ({}) } = shape;
  let devices = shape.devices ?? [];
  let changed = (): void => undefined;
  const calls: string[] = [];
  const handlers = {
    getDevicePluginOptions: () => options,
    async *listAndWatch(_: object, signal: AbortSignal) {
      while (!signal.aborted) {
        const change = new Promise<void>((resolve) => {
          changed = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        yield { devices };
        await change;
      }
    },
    getPreferredAllocation({ containerRequests = [] }: protocol.PreferredAllocationRequest) {
      const [request] = containerRequests;
      calls.push(`preferred ${request?.availableDeviceIDs?.join(' ')} of ${request?.allocationSize}`);
      return { containerResponses: [{ deviceIDs: prefers }] };
    },
    allocate({ containerRequests = [] }: protocol.AllocateRequest) {
      const ids = containerRequests[0]?.devicesIds ?? [];
      calls.push(`allocate ${ids.join(' ')}`);
      const response = answer(ids);
      return { containerResponses: response === undefined ? [] : [response] };
    },
    preStartContainer({ devicesIds = [] }: protocol.PreStartContainerRequest) {
      calls.push(`preStart ${devicesIds.join(' ')}`);
      shape.preStart?.();
      return {};
    },
  };
  const server = new ServiceServer(path.join(directory, name), [{ tables: protocol, handlers }]);
  await server.listen();
  onTestFinished(() => server.close());
  return {
    name,
    calls,
    setDevices(next) {
      devices = next;
      changed();
    },
    stop: () => server.close(),
  };
}

/** As a plugin does. */
export async function registerAt(directory: string, request: protocol.RegisterRequest): Promise<void> {
  const client = createServiceClient<protocol.Methods>(protocol, {
    path: path.join(directory, 'kubelet.sock'),
    peer: 'the agent',
    timeoutMs: 10_000,
  });
  try {
    await client.calls.register({ version: 'v1beta1', ...request });
  } finally {
    client.close();
  }
}

export const refusal = (message: string): GrpcError => new GrpcError(GrpcCode.unavailable, message);
