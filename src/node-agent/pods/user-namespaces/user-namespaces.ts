/**
 * User namespaces of pods (`hostUsers: false`): ids of the container are others on the node, and no two pods share any.
 * Which ones a pod has is written to its directory, for the next process.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/user-namespaces/ | User Namespaces}
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';
import type { Logger } from '../../../base/logger.ts';
import type { IDMapping, UserNamespace } from '../../runtime/gen/cri.ts';
import { podDirectory } from '../pods-config.ts';
import { type IdRange, IdRanges, rangeLength } from './id-ranges.ts';

export interface UserNamespacesOptions {
  readonly rootDirectory: string;
  /** Rejects when the node has no ids for pods. */
  readonly findRange: () => Promise<IdRange>;
  /** Whether a handler of the runtime can do it. */
  readonly isSupported: (runtimeHandler: string) => Promise<boolean>;
  readonly log: Logger;
}

export class UserNamespaces {
  readonly #options: UserNamespacesOptions;
  #ranges: Promise<IdRanges> | undefined;

  constructor(options: UserNamespacesOptions) {
    this.#options = options;
  }

  /** Of a pod that is about to get a sandbox. Rejects with upstream's words when it cannot have one. */
  async ensure(pod: Pod, runtimeHandler: string): Promise<UserNamespace> {
    if (!(await this.#options.isSupported(runtimeHandler)))
      throw new Error("can't set `spec.hostUsers: false`, runtime does not support user namespaces");
    const uid = pod.metadata.uid ?? '';
    const firstId = (await this.#known()).take(uid);
    await this.#write(uid, firstId);
    return namespaceOf(firstId);
  }

  /** Nothing of the pod runs any more. */
  async release(uid: string): Promise<void> {
    if (this.#ranges !== undefined) (await this.#ranges).release(uid);
  }

  /** Ids that pods have from before are not given to others. */
  #known(): Promise<IdRanges> {
    this.#ranges ??= this.#read().catch((error: unknown) => {
      this.#ranges = undefined;
      throw error;
    });
    return this.#ranges;
  }

  async #read(): Promise<IdRanges> {
    const { rootDirectory, findRange, log } = this.#options;
    const ranges = new IdRanges(await findRange());
    for (const uid of (await readdir(podDirectory(rootDirectory, '')).catch(undefinedWhenAbsent)) ?? []) {
      const text = await readFile(this.#fileOf(uid), 'utf8').catch(undefinedWhenAbsent);
      if (text === undefined) continue;
      try {
        ranges.keep(uid, firstIdOf(text));
      } catch (error) {
        log.warn({ err: error, uid }, 'the ids of a pod could not be taken over');
      }
    }
    return ranges;
  }

  async #write(uid: string, firstId: number): Promise<void> {
    const mappings = [{ hostId: firstId, containerId: 0, length: rangeLength }];
    const file = this.#fileOf(uid);
    await mkdir(podDirectory(this.#options.rootDirectory, uid), { recursive: true, mode: 0o750 });
    await writeFile(`${file}.new`, JSON.stringify({ uidMappings: mappings, gidMappings: mappings }), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  #fileOf(uid: string): string {
    return `${podDirectory(this.#options.rootDirectory, uid)}/userns`;
  }
}

const namespaceOf = (hostId: number): UserNamespace => {
  const mappings: IDMapping[] = [{ hostId, containerId: 0, length: rangeLength }];
  return { mode: 'POD', uids: mappings, gids: mappings };
};

/** Throws for what is no such file. */
function firstIdOf(text: string): number {
  const { uidMappings } = JSON.parse(text) as { readonly uidMappings?: readonly Partial<IDMapping>[] };
  const [mapping] = uidMappings ?? [];
  if (uidMappings?.length !== 1 || typeof mapping?.hostId !== 'number' || mapping.length !== rangeLength)
    throw new Error('the file of its user namespace is damaged');
  return mapping.hostId;
}

/** A pod whose users are not those of the node. */
export const hasOwnUsers = ({ spec }: Pick<Pod, 'spec'>, isGateOn: boolean): boolean =>
  isGateOn && spec.hostUsers === false;
