/** What the status of the node asks of a container runtime, by its calls of CRI. */
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { FilesystemUsage, RuntimeHandler } from '../runtime/gen/cri.ts';
import type { NodeRuntime, RuntimeFilesystem, RuntimeHandlerInfo } from './node-runtime.ts';

/** Of the protocol, as upstream asks. */
const kubeletApiVersion = '0.1.0';

type Calls = Pick<ContainerRuntime, 'version' | 'status' | 'listImages' | 'imageFsInfo' | 'updateRuntimeConfig'>;

export const createNodeRuntime = (runtime: Calls): NodeRuntime => ({
  async version() {
    const { runtimeName = '', runtimeVersion = '' } = await runtime.version({ version: kubeletApiVersion });
    return { runtimeName, runtimeVersion };
  },
  async status() {
    const { status, runtimeHandlers = [], features } = await runtime.status({ verbose: false });
    return {
      conditions: (status?.conditions ?? []).map(
        ({ type = '', status: isTrue = false, reason = '', message = '' }) => ({
          type,
          status: isTrue,
          reason,
          message,
        }),
      ),
      runtimeHandlers: runtimeHandlers.map(handlerOf),
      features:
        features === undefined ? undefined : { supplementalGroupsPolicy: features.supplementalGroupsPolicy ?? false },
    };
  },
  async listImages() {
    const { images = [] } = await runtime.listImages({});
    return images.map(({ id = '', repoTags = [], repoDigests = [], size = 0 }) => ({
      id,
      repoTags,
      repoDigests,
      size: Number(size),
    }));
  },
  async imageFsInfo() {
    const { imageFilesystems = [], containerFilesystems = [] } = await runtime.imageFsInfo({});
    return {
      imageFilesystems: imageFilesystems.map(filesystemOf),
      containerFilesystems: containerFilesystems.map(filesystemOf),
    };
  },
  async updatePodCidr(podCidr) {
    await runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } });
  },
});

const handlerOf = ({ name = '', features }: RuntimeHandler): RuntimeHandlerInfo => ({
  name,
  features:
    features === undefined
      ? undefined
      : {
          recursiveReadOnlyMounts: features.recursiveReadOnlyMounts ?? false,
          userNamespaces: features.userNamespaces ?? false,
        },
});

const filesystemOf = ({ fsId, usedBytes, inodesUsed }: FilesystemUsage): RuntimeFilesystem => ({
  mountpoint: fsId?.mountpoint ?? '',
  usedBytes: Number(usedBytes?.value ?? 0),
  inodesUsed: Number(inodesUsed?.value ?? 0),
});
