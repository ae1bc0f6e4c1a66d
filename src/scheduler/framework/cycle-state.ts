/**
 * What the plugins know of one pod during one scheduling cycle, by the plugin's key. Preemption tries removals on a
 * clone.
 */

export interface StateData {
  /** What a simulation may change without a change of this one. */
  clone(): StateData;
}

export class CycleState {
  readonly #data = new Map<string, StateData>();
  /** Names of the plugins that take no part in filtering, or in scoring. */
  readonly skippedFilters = new Set<string>();
  readonly skippedScores = new Set<string>();
  /** Whether plugins of this cycle are measured: one in ten is. */
  isMeasured = false;

  read<T extends StateData>(key: string): T | undefined {
    return this.#data.get(key) as T | undefined;
  }

  write(key: string, data: StateData): void {
    this.#data.set(key, data);
  }

  clone(): CycleState {
    const copy = new CycleState();
    for (const [key, data] of this.#data) copy.#data.set(key, data.clone());
    for (const name of this.skippedFilters) copy.skippedFilters.add(name);
    for (const name of this.skippedScores) copy.skippedScores.add(name);
    return copy;
  }
}
