/** A CSI driver of a test, at a real socket: volumes are directories, and it writes down what it is asked. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { serveAt, type ServiceHandlers, type ServiceServer } from '../../../../grpc/testing/service-server.ts';
import * as registration from '../../../plugin-registration/gen/registration.ts';
import * as csi from '../gen/csi.ts';

export interface TestDriver extends AsyncDisposable {
  /** `nodePublishVolume` with its request, in order. */
  readonly calls: { readonly name: keyof csi.Methods; readonly request: object }[];
  /** Names of the calls, without those that only ask. */
  steps(): string[];
  /** What registrations were told. */
  readonly told: registration.RegistrationStatus[];
  /** In place of what it does. */
  override: ServiceHandlers<csi.Methods>;
  close(): Promise<void>;
}

export interface TestDriverOptions {
  readonly name: string;
  /** Of the plugin service. */
  readonly endpoint: string;
  /** Of the registration; none when absent. */
  readonly registry?: string | undefined;
  readonly abilities?: readonly csi.NodeAbility[];
  readonly nodeInfo?: csi.NodeGetInfoResponse;
  /** Makes the target of a volume; a directory with a file when absent. */
  readonly publish?: (request: csi.NodePublishVolumeRequest) => Promise<void>;
  readonly unpublish?: (request: csi.NodeUnpublishVolumeRequest) => Promise<void>;
}

const onlyAsks: ReadonlySet<string> = new Set(['nodeGetCapabilities', 'nodeGetInfo']);

export async function startTestDriver(options: TestDriverOptions): Promise<TestDriver> {
  const { name, endpoint, registry, abilities = [], nodeInfo = { nodeId: 'node-of-driver' } } = options;
  const calls: { name: keyof csi.Methods; request: object }[] = [];
  const told: registration.RegistrationStatus[] = [];
  const usual: ServiceHandlers<csi.Methods> = {
    nodeGetInfo: () => nodeInfo,
    nodeGetCapabilities: () => ({ capabilities: abilities.map((type) => ({ rpc: { type } })) }),
    nodeStageVolume: () => ({}),
    nodeUnstageVolume: () => ({}),
    async nodePublishVolume(request) {
      await (options.publish ?? makeDirectory)(request);
      return {};
    },
    async nodeUnpublishVolume(request) {
      await (options.unpublish ?? removeDirectory)(request);
      return {};
    },
    nodeExpandVolume: ({ capacityRange }) => ({ capacityBytes: capacityRange?.requiredBytes }),
    nodeGetVolumeStats: () => ({ usage: [{ unit: 'BYTES', total: 100n, used: 40n, available: 60n }] }),
  };
  const driver = { override: {} as ServiceHandlers<csi.Methods> };
  const handlers = Object.fromEntries(
    Object.keys(csi.methods).map((key) => {
      const method = key as keyof csi.Methods;
      const handler = (request: object): unknown => {
        calls.push({ name: method, request });
        return ((driver.override[method] ?? usual[method]) as (request: object) => unknown)(request);
      };
      return [method, handler];
    }),
  );
  const registrationHandlers: ServiceHandlers<registration.Methods> = {
    getInfo: () => ({ type: 'CSIPlugin', name, endpoint, supportedVersions: ['1.0.0'] }),
    notifyRegistrationStatus(status) {
      told.push(status);
      return {};
    },
  };
  const servers: ServiceServer[] = [await serveAt(endpoint, [{ tables: csi, handlers }])];
  if (registry !== undefined)
    servers.push(await serveAt(registry, [{ tables: registration, handlers: registrationHandlers }]));
  const close = async (): Promise<void> => {
    for (const server of servers.toReversed()) await server.close();
  };
  return Object.assign(driver, {
    calls,
    told,
    close,
    steps: () => calls.map((call) => call.name).filter((step) => !onlyAsks.has(step)),
    [Symbol.asyncDispose]: close,
  });
}

async function makeDirectory({ targetPath = '', volumeId = '' }: csi.NodePublishVolumeRequest): Promise<void> {
  await mkdir(targetPath, { recursive: true });
  await writeFile(`${targetPath}/volume`, volumeId);
}

const removeDirectory = ({ targetPath = '' }: csi.NodeUnpublishVolumeRequest): Promise<void> =>
  rm(targetPath, { recursive: true, force: true });
