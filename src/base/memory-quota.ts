/** A share of a quota. */
export interface Reservation {
  /** Reserves so many bytes more. False when they are not available: nothing is reserved then. */
  add(bytes: number): boolean;
  /** Releases so many bytes. */
  remove(bytes: number): void;
  /** Releases everything. What is added later is not counted. */
  close(): void;
}

export interface MemoryQuotaOptions {
  readonly totalBytes: number;
  /**
   * The last quarter of the quota is for reservations of at most this size, so that large ones do not keep small
   * ones out.
   */
  readonly smallBytes: number;
}

/** The part of the quota that large reservations may fill. */
const largeShare = 0.75;

/** A limit in bytes on what all requests reserve together. What does not fit is refused. */
export class MemoryQuota {
  readonly #options: MemoryQuotaOptions;
  #reserved = 0;

  constructor(options: MemoryQuotaOptions) {
    this.#options = options;
  }

  /** In bytes. */
  get reserved(): number {
    return this.#reserved;
  }

  open(): Reservation {
    let own = 0;
    let isOpen = true;
    const release = (bytes: number): void => {
      own -= bytes;
      this.#reserved -= bytes;
    };
    return {
      add: (bytes) => {
        if (!isOpen) return true;
        const { totalBytes, smallBytes } = this.#options;
        if (this.#reserved + bytes > (own + bytes <= smallBytes ? totalBytes : largeShare * totalBytes)) return false;
        release(-bytes);
        return true;
      },
      remove: (bytes) => {
        if (isOpen) release(bytes);
      },
      close: () => {
        release(own);
        isOpen = false;
      },
    };
  }
}

/** A reservation that is always granted, for requests without a body. */
export const unlimited: Reservation = { add: () => true, remove: () => undefined, close: () => undefined };
