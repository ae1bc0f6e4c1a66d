/** Which memory belongs to which container, as `memory_manager_state` keeps it over a restart of the agent. */
import { CheckpointError, corrupted, parseCheckpoint } from '../checkpoint-file.ts';
import {
  checksumOfPointer,
  goIntMap,
  goMap,
  goNumber,
  goPointer,
  goSlice,
  goStruct,
  goText,
  type GoValue,
} from '../go-dump.ts';

/** Of one kind of memory on one node, in bytes. */
export interface MemoryTable {
  readonly total: number;
  readonly systemReserved: number;
  readonly allocatable: number;
  readonly reserved: number;
  readonly free: number;
}

export interface NodeMemory {
  readonly numberOfAssignments: number;
  /** By kind: `memory`, `hugepages-2Mi`. */
  readonly memoryMap: Readonly<Record<string, MemoryTable>>;
  /** The nodes that serve the same containers. */
  readonly cells: readonly number[];
}

export interface MemoryBlock {
  readonly numaAffinity: readonly number[];
  readonly type: string;
  readonly size: number;
}

export type MachineMemory = Readonly<Record<number, NodeMemory>>;
/** By uid of the pod and name of the container. */
export type MemoryEntries = Readonly<Record<string, Readonly<Record<string, readonly MemoryBlock[]>>>>;

export interface MemoryState {
  readonly machineState: MachineMemory;
  readonly entries: MemoryEntries;
}

export const emptyMemory: MemoryState = { machineState: {}, entries: {} };

export function formatMemoryState(policyName: string, { machineState, entries }: MemoryState): string {
  const checksum = checksumOfState(policyName, { machineState, entries });
  return JSON.stringify({
    policyName,
    machineState,
    ...(Object.keys(entries).length === 0 ? {} : { entries }),
    checksum,
  });
}

/** Throws a `CheckpointError` in upstream's words. */
export function parseMemoryState(text: string, policy: string): MemoryState {
  const { policyName, machineState = {}, entries = {}, checksum = 0 } = parseCheckpoint(text);
  if (typeof policyName !== 'string' || !isMachine(machineState) || !isEntries(entries))
    throw new CheckpointError(corrupted);
  const state = { machineState, entries };
  if (checksum !== 0 && checksum !== checksumOfState(policyName, state)) throw new CheckpointError(corrupted);
  if (policyName !== policy)
    throw new CheckpointError(
      `[memorymanager] configured policy "${policy}" differs from state checkpoint policy "${policyName}"`,
    );
  return state;
}

type Fields = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isAmount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const areNodes = (value: unknown): boolean => Array.isArray(value) && value.every(isAmount);
const tableFields = ['total', 'systemReserved', 'allocatable', 'reserved', 'free'] as const;

const isMachine = (value: unknown): value is MachineMemory =>
  isMap(value) &&
  Object.entries(value).every(
    ([id, node]) =>
      isAmount(Number(id)) &&
      isMap(node) &&
      isAmount(node['numberOfAssignments']) &&
      areNodes(node['cells']) &&
      isMap(node['memoryMap']) &&
      Object.values(node['memoryMap']).every(
        (table) => isMap(table) && tableFields.every((field) => isAmount(table[field])),
      ),
  );

const isEntries = (value: unknown): value is MemoryEntries =>
  isMap(value) &&
  Object.values(value).every(
    (containers) =>
      isMap(containers) &&
      Object.values(containers).every(
        (blocks) =>
          Array.isArray(blocks) &&
          blocks.every(
            (block) =>
              isMap(block) &&
              areNodes(block['numaAffinity']) &&
              typeof block['type'] === 'string' &&
              isAmount(block['size']),
          ),
      ),
  );

const mapped = <T, R>(values: Readonly<Record<string, T>>, toResult: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, toResult(value)]));

const nodeList = (nodes: readonly number[]): GoValue =>
  goSlice(
    '[]int',
    nodes.map((node) => goNumber(node, 'int')),
  );

const tableOf = ({ total, systemReserved, allocatable, reserved, free }: MemoryTable): GoValue =>
  goPointer(
    goStruct('state.MemoryTable', {
      TotalMemSize: goNumber(total, 'uint64'),
      SystemReserved: goNumber(systemReserved, 'uint64'),
      Allocatable: goNumber(allocatable, 'uint64'),
      Reserved: goNumber(reserved, 'uint64'),
      Free: goNumber(free, 'uint64'),
    }),
  );

const nodeOf = ({ numberOfAssignments, memoryMap, cells }: NodeMemory): GoValue =>
  goPointer(
    goStruct('state.NUMANodeState', {
      NumberOfAssignments: goNumber(numberOfAssignments, 'int'),
      MemoryMap: goMap('map[v1.ResourceName]*state.MemoryTable', mapped(memoryMap, tableOf)),
      Cells: nodeList(cells),
    }),
  );

const blockOf = ({ numaAffinity, type, size }: MemoryBlock): GoValue =>
  goStruct('state.Block', {
    NUMAAffinity: nodeList(numaAffinity),
    Type: goText(type, 'v1.ResourceName'),
    Size: goNumber(size, 'uint64'),
  });

const checksumOfState = (policy: string, { machineState, entries }: MemoryState): number =>
  checksumOfPointer(
    goStruct('state.MemoryManagerCheckpoint', {
      PolicyName: goText(policy),
      MachineState: goIntMap('state.NUMANodeMap', mapped(machineState, nodeOf)),
      Entries: goMap(
        'state.ContainerMemoryAssignments',
        mapped(entries, (containers) =>
          goMap(
            'map[string][]state.Block',
            mapped(containers, (blocks) => goSlice('[]state.Block', blocks.map(blockOf))),
          ),
        ),
      ),
      Checksum: goNumber(0, 'checksum.Checksum'),
    }),
  );
