/**
 * What a node has, and what of it is for pods.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/reserve-compute-resources/}
 */
import { parseQuantity, Quantity, type QuantityFormat } from '../../machinery/quantity.ts';
import type { NodeAgentConfig } from '../config/config.ts';
import { amountOf } from '../config/thresholds.ts';
import type { Machine } from './machine.ts';

/** In quantities, as the status of a node shows them. */
export type ResourceList = Readonly<Record<string, string>>;

export interface NodeResources {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

type Reservations = Pick<
  NodeAgentConfig,
  'maxPods' | 'podsPerCore' | 'systemReserved' | 'kubeReserved' | 'evictionHard' | 'localStorageCapacityIsolation'
>;

/** @param keepsThresholds hard thresholds of eviction are kept back from pods */
export function nodeResources(machine: Machine, config: Reservations, keepsThresholds: boolean): NodeResources {
  const capacity = capacityOf(machine, config);
  return { capacity: textOf(capacity), allocatable: textOf(allocatableOf(capacity, config, keepsThresholds)) };
}

/** With what plugins have. */
export const withDevices = (
  { capacity, allocatable }: NodeResources,
  devices: NodeResources = { capacity: {}, allocatable: {} },
): NodeResources => ({
  capacity: { ...capacity, ...devices.capacity },
  allocatable: { ...allocatable, ...devices.allocatable },
});

type Amounts = Readonly<Record<string, Quantity>>;

function capacityOf({ cpus, memoryBytes, hugePages, nodeFs }: Machine, config: Reservations): Amounts {
  const { maxPods, podsPerCore, localStorageCapacityIsolation } = config;
  return {
    cpu: count(cpus),
    ...(localStorageCapacityIsolation ? { [disk]: bytes(nodeFs.capacityBytes) } : {}),
    ...Object.fromEntries(
      hugePages.map((pages) => [
        `${hugePrefix}${bytes(pages.sizeBytes).toString()}`,
        bytes(pages.count * pages.sizeBytes),
      ]),
    ),
    memory: bytes(memoryBytes),
    pods: count(podsPerCore > 0 ? Math.min(podsPerCore * cpus, maxPods) : maxPods),
  };
}

const disk = 'ephemeral-storage';
const hugePrefix = 'hugepages-';
const number = (amount: number, format: QuantityFormat): Quantity =>
  new Quantity(BigInt(Math.floor(amount)), 0, format);
const count = (amount: number): Quantity => number(amount, 'DecimalSI');
const bytes = (amount: number): Quantity => number(amount, 'BinarySI');

/** Huge pages are memory that no pod can have as memory. */
function allocatableOf(capacity: Amounts, config: Reservations, keepsThresholds: boolean): Amounts {
  const allocatable = Object.fromEntries(
    Object.entries(capacity).map(([name, amount]) => {
      const reserved = [
        config.systemReserved[name],
        config.kubeReserved[name],
        ...(keepsThresholds ? [thresholdOf(name, amount, config.evictionHard)] : []),
      ];
      const left = reserved.reduce((rest, part) => (part === undefined ? rest : rest.sub(parseQuantity(part))), amount);
      return [name, notNegative(left)];
    }),
  );
  const { memory } = allocatable;
  if (memory === undefined) return allocatable;
  const huge = Object.entries(allocatable).filter(([name]) => name.startsWith(hugePrefix));
  return { ...allocatable, memory: notNegative(huge.reduce((rest, [, amount]) => rest.sub(amount), memory)) };
}

/** The resources that have a signal of eviction. */
const signalOf: Readonly<Record<string, string>> = { memory: 'memory.available', [disk]: 'nodefs.available' };

function thresholdOf(resource: string, capacity: Quantity, hard: ResourceList): string | undefined {
  const amount = hard[signalOf[resource] ?? ''];
  return amount === undefined ? undefined : String(amountOf(amount, capacity.toNumber()));
}

const notNegative = (amount: Quantity): Quantity => (amount.sign() < 0 ? amount.sub(amount) : amount);

const textOf = (amounts: Amounts): ResourceList =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount.toString()]));
