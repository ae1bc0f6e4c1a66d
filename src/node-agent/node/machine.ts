/** What is known of the machine that a node is. */

export interface Machine {
  /** Logical CPUs. */
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Reserved for huge pages, by their size in bytes. */
  readonly hugePages: readonly { readonly sizeBytes: number; readonly count: number }[];
  /** The file system of the folder of the agent. */
  readonly nodeFs: Filesystem;
  readonly machineId: string;
  readonly systemUuid: string;
  /** Another one after each start of the kernel. */
  readonly bootId: string;
  readonly kernelVersion: string;
  /** `Debian GNU/Linux 12 (bookworm)` */
  readonly osImage: string;
  /** As Go writes it: `amd64`. */
  readonly architecture: string;
}

export interface Filesystem {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}
