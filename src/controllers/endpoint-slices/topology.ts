/**
 * What this process knows of services whose hints follow from the CPU of zones: which of them have hints, so that a
 * change is told once, and how many endpoints each zone got, so that nodes that come or go wake only services that
 * overload a zone now.
 */
import type { Node, Service } from '../../api/gen/types/core-v1.ts';
import type { SliceChanges } from '../shared/slice-changes.ts';
import { isOverloaded, type ZoneCounts } from './allocations.ts';
import { isTopologyAware, withHints, withTopologyHints } from './hints.ts';
import { ZoneCpu } from './zone-cpu.ts';

export interface HintEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'TopologyAwareHintsEnabled' | 'TopologyAwareHintsDisabled';
  readonly message: string;
}

export class Topology {
  readonly #cpu = new ZoneCpu();
  /** By key of the service and address type. */
  readonly #counts = new Map<string, Map<string, ZoneCounts>>();
  readonly #enabled = new Set<string>();

  setNode(node: Node): void {
    this.#cpu.set(node);
  }

  deleteNode(name: string): void {
    this.#cpu.delete(name);
  }

  forget(key: string): void {
    this.#counts.delete(key);
    this.#enabled.delete(key);
  }

  /** Keys of services in which a zone has too few endpoints. */
  overloaded(): string[] {
    const ratios = this.#cpu.ratios();
    const found = [...this.#counts].filter(([, types]) =>
      [...types.values()].some((counts) => isOverloaded(counts, ratios)),
    );
    return found.map(([key]) => key);
  }

  /** The changes of one address type with hints, and what the service is told of them. */
  hint(
    key: string,
    service: Service,
    addressType: string,
    changes: SliceChanges,
  ): { readonly changes: SliceChanges; readonly event?: HintEvent } {
    const told = (type: HintEvent['type'], reason: HintEvent['reason'], message: string): HintEvent => ({
      ...{ type, reason, message: `${message}, addressType: ${addressType}` },
    });
    const wasEnabled = this.#enabled.has(key);
    if (!isTopologyAware(service)) {
      this.#remove(key, addressType);
      const hinted = { changes: withHints(service, changes) };
      const message = 'Topology Aware Hints has been disabled';
      return wasEnabled ? { ...hinted, event: told('Warning', 'TopologyAwareHintsDisabled', message) } : hinted;
    }
    const { counts, problem = '', changes: hinted } = withTopologyHints(changes, this.#cpu.ratios());
    if (counts === undefined) {
      this.#remove(key, addressType);
      return { changes: hinted, event: told('Warning', 'TopologyAwareHintsDisabled', problem) };
    }
    const types = this.#counts.get(key) ?? new Map<string, ZoneCounts>();
    this.#counts.set(key, types.set(addressType, counts));
    this.#enabled.add(key);
    const message = 'Topology Aware Hints has been enabled';
    return wasEnabled
      ? { changes: hinted }
      : { changes: hinted, event: told('Normal', 'TopologyAwareHintsEnabled', message) };
  }

  #remove(key: string, addressType: string): void {
    const types = this.#counts.get(key);
    types?.delete(addressType);
    if (types?.size === 0) this.#counts.delete(key);
    this.#enabled.delete(key);
  }
}
