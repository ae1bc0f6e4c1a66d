/** Where CSI volumes lie, and what is written beside them: a volume can be taken away without its pod's object. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';
import { type CsiSource, handleDigest } from './csi-source.ts';

export const csiPlugin = 'kubernetes.io~csi';

/** As upstream's file has it. */
export interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly volumeLifecycleMode: 'Persistent' | 'Ephemeral';
  readonly specVolID: string;
  readonly nodeName: string;
  readonly attachmentID?: string;
}

const dataFile = 'vol_data.json';

export async function writeVolumeData(directory: string, data: VolumeData): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o750 });
  // A file that an end of the agent cut short would say nothing.
  await writeFile(`${directory}/.${dataFile}`, JSON.stringify(data), { mode: 0o600 });
  await rename(`${directory}/.${dataFile}`, `${directory}/${dataFile}`);
}

/** Undefined where there is none. Rejects for one that is damaged. */
export async function readVolumeData(directory: string): Promise<VolumeData | undefined> {
  const text = await readFile(`${directory}/${dataFile}`, 'utf8').catch(undefinedWhenAbsent);
  if (text === undefined) return undefined;
  const { driverName, volumeHandle, volumeLifecycleMode, ...rest } = JSON.parse(text) as Partial<VolumeData>;
  if (typeof driverName !== 'string' || typeof volumeHandle !== 'string')
    throw new Error(`${directory}/${dataFile} names no driver and volume`);
  const mode = volumeLifecycleMode === 'Ephemeral' ? 'Ephemeral' : 'Persistent';
  const { specVolID = '', nodeName = '', attachmentID } = rest;
  const attachment = attachmentID === undefined ? {} : { attachmentID };
  return { driverName, volumeHandle, volumeLifecycleMode: mode, specVolID, nodeName, ...attachment };
}

type Identity = Pick<CsiSource, 'driver' | 'handle'>;

export class CsiPaths {
  readonly #root: string;

  constructor(rootDirectory: string) {
    this.#root = rootDirectory;
  }

  /** Of all that a driver has staged of one volume. */
  staging(source: Identity): string {
    return path.join(this.#root, 'plugins/kubernetes.io/csi', source.driver, handleDigest(source));
  }

  /** Where a volume is staged. */
  stagingTarget(source: Identity & Pick<CsiSource, 'isBlock' | 'name'>): string {
    return source.isBlock ? this.#block('staging', source.name) : `${this.staging(source)}/globalmount`;
  }

  /** Where a block volume is published for a pod. */
  blockTarget(name: string, uid: string): string {
    return `${this.#block('publish', name)}/${uid}`;
  }

  /** Directories with the data of volumes, of one pod or of all. */
  async published(uid?: string): Promise<{ readonly uid: string; readonly directory: string }[]> {
    const pods = path.join(this.#root, 'pods');
    const uids = uid === undefined ? await namesIn(pods) : [uid];
    const found = await Promise.all(
      uids.flatMap((pod) =>
        ['volumes', 'plugins'].map(async (part) => {
          const parent = path.join(pods, pod, part, csiPlugin);
          return (await namesIn(parent)).map((name) => ({ uid: pod, directory: path.join(parent, name) }));
        }),
      ),
    );
    return found.flat();
  }

  #block(part: string, name: string): string {
    return path.join(this.#root, 'plugins/kubernetes.io/csi/volumeDevices', part, name);
  }
}

const namesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory).catch(undefinedWhenAbsent)) ?? [];
