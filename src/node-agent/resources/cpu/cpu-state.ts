/** Which CPUs belong to which container, as `cpu_manager_state` keeps it over a restart of the agent. */
import { CheckpointError, corrupted, parseCheckpoint } from '../checkpoint-file.ts';
import { checksumOfPointer, goMap, goNumber, goStruct, goText } from '../go-dump.ts';
import { CpuListError, CpuSet } from './cpu-set.ts';

export type CpuAssignments = ReadonlyMap<string, ReadonlyMap<string, CpuSet>>;

export interface CpuState {
  /** The shared ones. */
  readonly defaultCpus: CpuSet;
  /** By uid of the pod and name of the container. */
  readonly assignments: CpuAssignments;
}

type Entries = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function formatCpuState(policy: string, { defaultCpus, assignments }: CpuState): string {
  const entries: Record<string, Record<string, string>> = {};
  for (const [uid, containers] of assignments)
    entries[uid] = Object.fromEntries([...containers].map(([name, cpus]) => [name, cpus.toString()]));
  const fields = { policyName: policy, defaultCpuSet: defaultCpus.toString() };
  const checksum = checksumOfState(fields.policyName, fields.defaultCpuSet, entries);
  return JSON.stringify({ ...fields, ...(Object.keys(entries).length === 0 ? {} : { entries }), checksum });
}

/** Throws a `CheckpointError` in upstream's words. */
export function parseCpuState(text: string, policy: string): CpuState {
  const { policyName, defaultCpuSet = '', entries = {}, checksum = 0 } = parseCheckpoint(text);
  if (typeof policyName !== 'string' || typeof defaultCpuSet !== 'string' || !isEntries(entries))
    throw new CheckpointError(corrupted);
  // A file without a checksum was written by hand, or by a version that had none.
  if (checksum !== 0 && checksum !== checksumOfState(policyName, defaultCpuSet, entries))
    throw new CheckpointError(corrupted);
  if (policyName !== policy)
    throw new CheckpointError(`configured policy "${policy}" differs from state checkpoint policy "${policyName}"`);
  return {
    defaultCpus: cpusOf(defaultCpuSet, 'could not parse default cpu set'),
    assignments: new Map(
      Object.entries(entries).map(([uid, containers]) => [
        uid,
        new Map(
          Object.entries(containers).map(([name, list]) => [
            name,
            cpusOf(list, 'could not parse cpuset', ` for container "${name}" in pod "${uid}"`),
          ]),
        ),
      ]),
    ),
  };
}

function cpusOf(list: string, what: string, where = ''): CpuSet {
  try {
    return CpuSet.parse(list);
  } catch (error) {
    if (!(error instanceof CpuListError)) throw error;
    throw new CheckpointError(`${what} "${list}"${where}: ${error.message}`, { cause: error });
  }
}

function isEntries(value: unknown): value is Entries {
  const isMap = (entry: unknown): entry is object =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  return (
    isMap(value) &&
    Object.values(value).every(
      (containers) => isMap(containers) && Object.values(containers).every((list) => typeof list === 'string'),
    )
  );
}

const checksumOfState = (policy: string, cpus: string, entries: Entries): number =>
  checksumOfPointer(
    goStruct('state.CPUManagerCheckpoint', {
      PolicyName: goText(policy),
      DefaultCPUSet: goText(cpus),
      Entries: goMap(
        'map[string]map[string]string',
        Object.fromEntries(
          Object.entries(entries).map(([uid, containers]) => [
            uid,
            goMap(
              'map[string]string',
              Object.fromEntries(Object.entries(containers).map(([name, list]) => [name, goText(list)])),
            ),
          ]),
        ),
      ),
      Checksum: goNumber(0, 'checksum.Checksum'),
    }),
  );
