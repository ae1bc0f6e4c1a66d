/** What a container sees of the node's files: volumes, its hosts file, and the file for its last words. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import type { Pod, VolumeMount } from '../../api/gen/types/core-v1.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import type { Device, Mount, MountPropagation, UserNamespace } from '../runtime/gen/cri.ts';
import { prepareSubPath } from '../volumes/sub-path.ts';
import type { MountedVolumes } from '../volumes/volumes.ts';
import { ContainerConfigError } from './config/container-config-error.ts';
import { expanded, firstUnknown } from './config/expansion.ts';
import { hostNameOf } from './config/host-name.ts';
import { hostsFile } from './config/hosts-file.ts';
import type { PodContext } from './pod-context.ts';
import { podDirectory } from './pods-config.ts';

export interface MountsRequest {
  readonly pod: Pod;
  readonly container: PodContainer;
  readonly volumes: MountedVolumes;
  readonly podIPs: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
  readonly context: PodContext;
}

/** Throws `ContainerConfigError`. */
export async function containerMounts(request: MountsRequest): Promise<Mount[]> {
  const { container, podIPs, pod } = request;
  const mounts: Mount[] = [];
  for (const [index, mount] of (container.spec.volumeMounts ?? []).entries())
    mounts.push(await volumeMount(request, mount, index));
  const isFree = (path: string): boolean => !mounts.some(({ containerPath }) => containerPath === path);
  if (isFree('/etc/hosts') && (podIPs.length > 0 || pod.spec.hostNetwork === true))
    mounts.push({ containerPath: '/etc/hosts', hostPath: await writeHostsFile(request) });
  const { terminationMessagePath = '' } = container.spec;
  if (terminationMessagePath !== '' && isFree(terminationMessagePath))
    mounts.push({ containerPath: terminationMessagePath, hostPath: await makeMessageFile(request) });
  return mounts;
}

/** Owners of files are seen as the ids of the pod, and are on disk what they were. */
export const mappedMounts = (mounts: readonly Mount[], users: UserNamespace | undefined): readonly Mount[] =>
  users === undefined
    ? mounts
    : mounts.map((mount) => ({ ...mount, uidMappings: users.uids, gidMappings: users.gids }));

async function volumeMount(request: MountsRequest, mount: VolumeMount, index: number): Promise<Mount> {
  const { volumes, container, environment, context, pod } = request;
  const { name = '', mountPath = '', readOnly = false, recursiveReadOnly, subPath = '', subPathExpr = '' } = mount;
  const volume = volumes.byName.get(name);
  if (volume === undefined)
    throw new ContainerConfigError(`cannot find volume "${name}" to mount into container "${container.name}"`);
  const containerPath = mountPath.startsWith('/') ? mountPath : `/${mountPath}`;
  if (volume.image !== undefined)
    return { containerPath, hostPath: '', readonly: true, image: { image: volume.image.reference } };
  let path = subPath;
  if (subPathExpr !== '') {
    if (firstUnknown(subPathExpr, environment) !== undefined)
      throw new ContainerConfigError(`missing value for "${firstUnknown(subPathExpr, environment)}"`);
    path = expanded(subPathExpr, environment);
  }
  const hostPath =
    path === ''
      ? volume.path
      : await prepareSubPath({
          volumePath: volume.path,
          subPath: path,
          target: `${directoryOf(pod, context)}/volume-subpaths/${name}/${container.name}/${index}`,
          volumeMount: name,
          container: container.name,
        });
  return {
    containerPath,
    hostPath,
    readonly: readOnly || volume.isReadOnly === true,
    propagation: propagations[mount.mountPropagation ?? 'None'] ?? 'PROPAGATION_PRIVATE',
    ...(recursiveReadOnly === 'Enabled' ? { recursiveReadOnly: true } : {}),
  };
}

/** Volumes that a container has as devices. Throws `ContainerConfigError`. */
export const blockDevices = ({ spec, name: container }: PodContainer, { byName }: MountedVolumes): Device[] =>
  (spec.volumeDevices ?? []).map(({ name = '', devicePath = '' }) => {
    const volume = byName.get(name);
    if (volume === undefined)
      throw new ContainerConfigError(`cannot find volume "${name}" to pass into container "${container}"`);
    const permissions = volume.isReadOnly === true ? 'r' : 'mrw';
    return { containerPath: devicePath, hostPath: volume.path, permissions };
  });

const propagations: Readonly<Record<string, MountPropagation>> = {
  None: 'PROPAGATION_PRIVATE',
  HostToContainer: 'PROPAGATION_HOST_TO_CONTAINER',
  Bidirectional: 'PROPAGATION_BIDIRECTIONAL',
};

async function writeHostsFile({ pod, podIPs, context }: MountsRequest): Promise<string> {
  const { dns } = context.config;
  const path = `${directoryOf(pod, context)}/etc-hosts`;
  const { hostname, domain } = hostNameOf(pod, dns.clusterDomain);
  const ofNode = pod.spec.hostNetwork === true ? await readFile('/etc/hosts', 'utf8') : undefined;
  await writeFile(path, hostsFile({ podIPs, hostname, domain, aliases: pod.spec.hostAliases ?? [], ofNode }));
  await chmod(path, 0o644);
  return path;
}

const directoryOf = (pod: Pod, { config }: PodContext): string =>
  podDirectory(config.rootDirectory, pod.metadata.uid ?? '');

/** A new one for each start; the container may run as any user. */
async function makeMessageFile({ pod, container, context }: MountsRequest): Promise<string> {
  const directory = `${directoryOf(pod, context)}/containers/${container.name}`;
  await mkdir(directory, { recursive: true, mode: 0o750 });
  const path = `${directory}/${randomBytes(4).toString('hex')}`;
  await writeFile(path, '', { flag: 'wx' });
  await chmod(path, 0o666);
  return path;
}
