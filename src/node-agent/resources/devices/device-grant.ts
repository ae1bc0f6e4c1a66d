/** What plugins say that a container needs, as the runtime is told it. Where two differ, the first is right. */
import type { ContainerGrant } from '../pod-allocations.ts';
import type { ContainerAllocateResponse } from './gen/device-plugin.ts';

export type DeviceNeeds = Omit<ContainerGrant, 'cpusetCpus' | 'cpusetMems'>;

export function grantOfResponses(responses: readonly ContainerAllocateResponse[]): DeviceNeeds {
  const environment = new Map<string, string>();
  const annotations: Record<string, string> = Object.create(null) as Record<string, string>;
  const mounts = new Map<string, DeviceNeeds['mounts'][number]>();
  const devices = new Map<string, DeviceNeeds['devices'][number]>();
  const cdiDevices = new Set<string>();
  for (const response of responses) {
    for (const [name, value] of Object.entries(response.envs ?? {}))
      if (!environment.has(name)) environment.set(name, value);
    for (const [name, value] of Object.entries(response.annotations ?? {})) annotations[name] ??= value;
    for (const { containerPath = '', hostPath = '', readOnly = false } of response.mounts ?? [])
      if (!mounts.has(containerPath)) mounts.set(containerPath, { containerPath, hostPath, readonly: readOnly });
    for (const { containerPath = '', hostPath = '', permissions = '' } of response.devices ?? [])
      if (!devices.has(containerPath)) devices.set(containerPath, { containerPath, hostPath, permissions });
    for (const { name = '' } of response.cdiDevices ?? []) cdiDevices.add(name);
  }
  return {
    environment,
    mounts: [...mounts.values()],
    devices: [...devices.values()],
    annotations,
    cdiDevices: [...cdiDevices],
  };
}
