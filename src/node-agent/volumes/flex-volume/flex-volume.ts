/**
 * Volumes of FlexVolume drivers: programs in a folder of the node that mount and unmount.
 *
 * @NOTE differs from upstream: drivers that attach disks to nodes are refused, because no controller attaches them.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#flexvolume | Volumes: flexVolume}
 */
import { access, constants, mkdir, readdir } from 'node:fs/promises';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';
import type { FlexPersistentVolumeSource, FlexVolumeSource } from '../../../api/gen/types/core-v1.ts';
import { podDirectory } from '../../pods/pods-config.ts';
import { isMountPoint, mountsBelow } from '../mounts.ts';
import { setOwnership } from '../ownership.ts';
import { fsGroupOf, type VolumeKind, type VolumeRequest } from '../volume-kind.ts';
import { VolumeError } from '../volumes.ts';
import { callDriver, type DriverAnswer } from './driver.ts';

export interface FlexVolumesOptions {
  /** `volumePluginDir` */
  readonly pluginDirectory: string;
  readonly rootDirectory: string;
}

type Source = FlexVolumeSource | FlexPersistentVolumeSource;

const callMs = 120_000;
/** It becomes part of paths: `vendor/driver`. */
const driverName = /^[a-zA-Z0-9][-\w.]*(\/[a-zA-Z0-9][-\w.]*)?$/;
/** Of directories of this agent. */
const ownPrefix = 'kubernetes.io~';

export class FlexVolumes {
  readonly #options: FlexVolumesOptions;
  /** What `init` said, by the directory of the driver. */
  readonly #capabilities = new Map<string, Promise<DriverAnswer['capabilities']>>();

  constructor(options: FlexVolumesOptions) {
    this.#options = options;
  }

  /** Throws a `VolumeError` for what is no driver. */
  kindOf(source: Source): VolumeKind {
    const { driver = '' } = source;
    if (!driverName.test(driver)) throw new VolumeError(`no volume plugin matched name: ${JSON.stringify(driver)}`);
    const plugin = driver.replace('/', '~');
    return { plugin, setUp: async (request) => ({ path: await this.#setUp(plugin, source, request) }) };
  }

  /** Of a pod, of all drivers. A volume whose driver is gone is unmounted as any other. */
  async tearDown(uid: string): Promise<void> {
    const volumes = `${podDirectory(this.#options.rootDirectory, uid)}/volumes`;
    for (const plugin of (await readdir(volumes).catch(undefinedWhenAbsent)) ?? [])
      if (!plugin.startsWith(ownPrefix) && (await this.#isThere(plugin)))
        for (const name of await readdir(`${volumes}/${plugin}`)) {
          const path = `${volumes}/${plugin}/${name}`;
          const { status, message } = await callDriver(this.#program(plugin), ['unmount', path], { timeoutMs: callMs });
          // What is mounted still is unmounted by the manager of volumes, where the driver does not know how.
          if (status === 'Failure' && (await mountsBelow(path)).length > 0)
            throw new Error(`the FlexVolume driver ${plugin} could not unmount: ${message}`);
        }
  }

  async #setUp(plugin: string, source: Source, request: VolumeRequest): Promise<string> {
    const { path, pod, signal, isReadOnly } = request;
    if (await isMountPoint(path)) return path;
    const capabilities = await this.#init(plugin);
    if (capabilities['attach'] !== false)
      throw new VolumeError(`the FlexVolume driver ${plugin} attaches volumes to nodes, which is not supported`);
    const options = await optionsOf(source, request);
    await mkdir(path, { recursive: true, mode: 0o750 });
    const words = ['mount', path, JSON.stringify(options)];
    const { status, message } = await this.#call(plugin, words, signal);
    if (status !== 'Success')
      throw new VolumeError(
        `mount command failed, status: ${status}, reason: ${message || `the driver ${plugin} does not mount`}`,
      );
    const group = fsGroupOf(pod);
    const mayChange = source.readOnly !== true && isReadOnly !== true && capabilities['fsGroup'] !== false;
    const onlyOnMismatch = pod.spec.securityContext?.fsGroupChangePolicy === 'OnRootMismatch';
    if (group !== undefined && mayChange) await setOwnership(path, { group, onlyOnMismatch });
    return path;
  }

  /** Asked once, and again after a failure. */
  #init(plugin: string): Promise<DriverAnswer['capabilities']> {
    let asked = this.#capabilities.get(plugin);
    if (asked === undefined) {
      asked = this.#call(plugin, ['init'], undefined).then(({ status, message, capabilities }) => {
        if (status !== 'Failure') return capabilities;
        throw new VolumeError(`the FlexVolume driver ${plugin} is not ready: ${message}`);
      });
      asked.catch(() => this.#capabilities.delete(plugin));
      this.#capabilities.set(plugin, asked);
    }
    return asked;
  }

  async #call(plugin: string, words: readonly string[], signal: AbortSignal | undefined): Promise<DriverAnswer> {
    if (!(await this.#isThere(plugin))) throw new VolumeError(`no volume plugin matched name: ${plugin}`);
    try {
      return await callDriver(this.#program(plugin), words, { timeoutMs: callMs, signal });
    } catch (error) {
      throw new VolumeError((error as Error).message, { cause: error });
    }
  }

  #program(plugin: string): string {
    return `${this.#options.pluginDirectory}/${plugin}/${plugin.slice(plugin.indexOf('~') + 1)}`;
  }

  #isThere(plugin: string): Promise<boolean> {
    return access(this.#program(plugin), constants.X_OK).then(
      () => true,
      () => false,
    );
  }
}

/** What a driver is told beside the options of the volume. */
async function optionsOf(source: Source, request: VolumeRequest): Promise<Record<string, string>> {
  const { pod, volume, persistent, isReadOnly, objects, signal } = request;
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const group = fsGroupOf(pod);
  const { name: secretName, namespace: secretNamespace = namespace } = (source.secretRef ?? {}) as {
    readonly name?: string;
    readonly namespace?: string;
  };
  const secret = secretName === undefined ? undefined : await objects.secret(secretNamespace, secretName, signal);
  if (secretName !== undefined && secret === undefined)
    throw new VolumeError(`Couldn't get secret ${secretNamespace}/${secretName}: secrets "${secretName}" not found`);
  return {
    ...source.options,
    'kubernetes.io/fsType': source.fsType ?? '',
    'kubernetes.io/readwrite': source.readOnly === true || isReadOnly === true ? 'ro' : 'rw',
    'kubernetes.io/pvOrVolumeName': persistent?.metadata.name ?? volume.name ?? '',
    'kubernetes.io/pod.name': name,
    'kubernetes.io/pod.namespace': namespace,
    'kubernetes.io/pod.uid': uid,
    'kubernetes.io/serviceAccount.name': pod.spec.serviceAccountName ?? '',
    ...(group === undefined ? {} : { 'kubernetes.io/mounterArgs.FsGroup': String(group) }),
    ...Object.fromEntries(
      Object.entries(secret?.data ?? {}).map(([key, value]) => [`kubernetes.io/secret/${key}`, value]),
    ),
  };
}
