/** What a control group has used, from the files of the kernel, in version 1 and 2. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export interface MemoryUse {
  readonly usageBytes: number;
  /** Without what the kernel can take back at once. */
  readonly workingSetBytes: number;
  readonly rssBytes: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  /** Undefined without one. */
  readonly limitBytes: number | undefined;
}

export interface CgroupUse {
  /** CPU time in nanoseconds. */
  readonly cpuNanoSeconds: number | undefined;
  readonly memory: MemoryUse | undefined;
  /** Undefined where swap is not counted. */
  readonly swapBytes: number | undefined;
  readonly processes: number | undefined;
}

/** Limits at and above this are none. */
const noLimit = 2 ** 62;

export class CgroupReader {
  readonly #mount: string;
  readonly #isV2: boolean;

  /** @param mount `/sys/fs/cgroup` */
  constructor(mount: string, isV2: boolean) {
    this.#mount = mount;
    this.#isV2 = isV2;
  }

  /** @param group `/kubepods/podUID`; `/` for the whole machine. What cannot be read is undefined. */
  read(group: string): Promise<CgroupUse> {
    return this.#isV2 ? this.#readV2(group) : this.#readV1(group);
  }

  async #readV1(group: string): Promise<CgroupUse> {
    const memory = (name: string): Promise<string | undefined> => this.#file('memory', group, `memory.${name}`);
    const cpu = await this.#file('cpuacct', group, 'cpuacct.usage');
    const values = valuesOf(await memory('stat'));
    return {
      cpuNanoSeconds: numberOf(cpu),
      memory: memoryOf(numberOf(await memory('usage_in_bytes')), {
        inactiveFile: values['total_inactive_file'],
        rss: values['total_rss'],
        faults: values['total_pgfault'],
        majorFaults: values['total_pgmajfault'],
        limit: numberOf(await memory('limit_in_bytes')),
      }),
      swapBytes: values['total_swap'],
      processes: numberOf(await this.#file('pids', group, 'pids.current')),
    };
  }

  async #readV2(group: string): Promise<CgroupUse> {
    const micros = valuesOf(await this.#file('', group, 'cpu.stat'))['usage_usec'];
    const values = valuesOf(await this.#file('', group, 'memory.stat'));
    const { anon, file = 0 } = values;
    // The top has no such file: what is used there is what its groups have.
    const current = numberOf(await this.#file('', group, 'memory.current'));
    return {
      cpuNanoSeconds: micros === undefined ? undefined : micros * 1000,
      memory: memoryOf(current ?? (anon === undefined ? undefined : anon + file), {
        inactiveFile: values['inactive_file'],
        rss: anon,
        faults: values['pgfault'],
        majorFaults: values['pgmajfault'],
        limit: numberOf(await this.#file('', group, 'memory.max')),
      }),
      swapBytes: numberOf(await this.#file('', group, 'memory.swap.current')),
      processes: numberOf(await this.#file('', group, 'pids.current')),
    };
  }

  async #file(controller: string, group: string, name: string): Promise<string | undefined> {
    try {
      return await readFile(path.join(this.#mount, controller, group, name), 'utf8');
    } catch {
      return undefined;
    }
  }
}

interface MemoryFiles {
  readonly inactiveFile: number | undefined;
  readonly rss: number | undefined;
  readonly faults: number | undefined;
  readonly majorFaults: number | undefined;
  readonly limit: number | undefined;
}

function memoryOf(usageBytes: number | undefined, files: MemoryFiles): MemoryUse | undefined {
  if (usageBytes === undefined) return undefined;
  const { inactiveFile = 0, rss = 0, faults = 0, majorFaults = 0, limit } = files;
  return {
    usageBytes,
    workingSetBytes: Math.max(0, usageBytes - inactiveFile),
    rssBytes: rss,
    pageFaults: faults,
    majorPageFaults: majorFaults,
    limitBytes: limit === undefined || limit >= noLimit ? undefined : limit,
  };
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

/** `name value` lines. */
export function valuesOf(text = ''): Partial<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const line of text.split('\n')) {
    const [name = '', value = ''] = line.split(/\s+/);
    if (name !== '' && value !== '') values[name] = Number(value);
  }
  return values;
}
