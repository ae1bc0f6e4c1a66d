/**
 * The capacity of a window of recent changes, as metrics show it. The window itself has none: it holds what its limits
 * allow. What is shown is the capacity of the ring that upstream would keep as many changes in, which doubles when it
 * is full, and halves when three quarters of it are free.
 */
export interface WindowCapacity {
  /** Undefined where there is no window. */
  capacity: number | undefined;
  increases: number;
  decreases: number;
}

const least = 100;

export function fitCapacity(window: WindowCapacity, size: number): void {
  let capacity = window.capacity ?? least;
  while (size > capacity) {
    capacity *= 2;
    window.increases++;
  }
  while (capacity > least && size < capacity / 4) {
    capacity /= 2;
    window.decreases++;
  }
  window.capacity = capacity;
}
