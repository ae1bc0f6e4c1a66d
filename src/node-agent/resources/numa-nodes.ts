/** The NUMA nodes of a machine: their memory, and how far they lie from each other. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { bytesOf, hugePageSizeOf } from '../node/machine-files.ts';

export interface NumaNode {
  readonly id: number;
  readonly memoryBytes: number;
  readonly hugePages: readonly { readonly sizeBytes: number; readonly count: number }[];
  /** To all nodes in the order of their numbers; empty where the kernel does not tell. */
  readonly distances: readonly number[];
}

/** @param root in front of `/sys`, for tests. A machine without such nodes is one. */
export async function readNumaNodes(memoryBytes: number, root = '/'): Promise<readonly NumaNode[]> {
  const folder = path.join(root, 'sys/devices/system/node');
  const ids = (await readdir(folder).catch(() => [])).flatMap((name) => {
    const [, id] = /^node(\d+)$/.exec(name) ?? [];
    return id === undefined ? [] : [Number(id)];
  });
  if (ids.length === 0) return [{ id: 0, memoryBytes, hugePages: [], distances: [] }];
  return Promise.all(ids.sort((a, b) => a - b).map((id) => readNode(id, path.join(folder, `node${id}`))));
}

async function readNode(id: number, folder: string): Promise<NumaNode> {
  const read = (file: string): Promise<string> => readFile(path.join(folder, file), 'utf8').catch(() => '');
  const sizes = await readdir(path.join(folder, 'hugepages')).catch(() => []);
  const pages = sizes.map(async (name) => ({
    sizeBytes: hugePageSizeOf(name),
    count: Number(await read(`hugepages/${name}/nr_hugepages`)),
  }));
  return {
    id,
    // `Node 0 MemTotal: 8052444 kB`
    memoryBytes: bytesOf((await read('meminfo')).replaceAll(/^Node \d+ /gm, ''), 'MemTotal') ?? 0,
    hugePages: (await Promise.all(pages)).filter(({ sizeBytes }) => sizeBytes > 0),
    distances: (await read('distance')).split(/\s+/).filter(Boolean).map(Number),
  };
}
