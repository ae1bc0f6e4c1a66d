/** Machines and runtimes for tests. */
import type { Machine } from '../machine.ts';
import type { NodeRuntime, RuntimeStatusReport } from '../node-runtime.ts';

export const machineWith = (changes: Partial<Machine> = {}): Machine => ({
  cpus: 2,
  memoryBytes: 8 * 1024 ** 3 - 1024,
  hugePages: [{ sizeBytes: 2 * 1024 ** 2, count: 0 }],
  nodeFs: { capacityBytes: 100 * 1024 ** 3, availableBytes: 50 * 1024 ** 3, inodes: 1000, inodesFree: 500 },
  machineId: 'machine',
  systemUuid: 'system',
  bootId: 'boot-1',
  kernelVersion: '6.1',
  osImage: 'Debian',
  architecture: 'amd64',
  ...changes,
});

export const readyReport: RuntimeStatusReport = {
  conditions: [
    { type: 'RuntimeReady', status: true, reason: '', message: '' },
    { type: 'NetworkReady', status: true, reason: '', message: '' },
  ],
  runtimeHandlers: [],
};

export const runtimeWith = (changes: Partial<NodeRuntime> = {}): NodeRuntime => ({
  version: () => Promise.resolve({ runtimeName: 'containerd', runtimeVersion: '1.6.20' }),
  status: () => Promise.resolve(readyReport),
  listImages: () => Promise.resolve([]),
  imageFsInfo: () => Promise.resolve({ imageFilesystems: [], containerFilesystems: [] }),
  updatePodCidr: () => Promise.resolve(),
  ...changes,
});
