/**
 * The statuses that kubelet 1.32.13 wrote (`node-*.jsonl`), computed again from what they show of the containers: the
 * statuses of the containers, the conditions and the phase have to come out the same.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../../src/api/gen/types/core-v1.ts';
import { stateFromStatus } from '../../../src/node-agent/hollow/pods/adopt.ts';
import { type PodEnd, podStatus, type PodStatusInput } from '../../../src/node-agent/pod-lifecycle/pod-status.ts';
import { hasShared, sharedPath } from '../../support/shared.ts';

interface RecordedStatus {
  readonly status: PodStatus;
  /** Another run did not show it. */
  readonly sometimes?: boolean;
}

interface RecordedCase {
  readonly id: string;
  readonly steps: readonly {
    readonly create?: Pod;
    readonly call?: string;
    readonly body?: { readonly spec?: Partial<Pod['spec']> };
  }[];
  readonly pods: Readonly<Record<string, { readonly statuses?: readonly RecordedStatus[] }>>;
}

interface Row {
  readonly name: string;
  readonly pod: Pod;
  readonly status: PodStatus;
  /** Why the node ended it, as its last status says. */
  readonly end: PodEnd | undefined;
}

function rowsOf(file: string): Row[] {
  const lines = readFileSync(sharedPath('golden', file), 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => {
    const { id, steps, pods } = JSON.parse(line.replaceAll('$REGISTRY', '<registry>')) as RecordedCase;
    return steps.flatMap(({ create }) => {
      if (create?.kind !== 'Pod') return [];
      const name = create.metadata.name!;
      const added = steps.find(({ call = '' }) => call.endsWith(`/${name}/ephemeralcontainers`))?.body?.spec;
      const { statuses = [] } = pods[name] ?? {};
      const { reason, message = '' } = statuses.at(-1)?.status ?? {};
      return statuses
        .filter(({ status, sometimes }) => status.containerStatuses !== undefined && sometimes !== true)
        .map(({ status }, index) => ({
          name: `${id}, ${name}, status ${index + 1}`,
          pod: withEphemeral(create, status.ephemeralContainerStatuses === undefined ? undefined : added),
          status,
          end: reason === undefined ? undefined : { reason, message },
        }));
    });
  });
}

const withEphemeral = (pod: Pod, added: Partial<Pod['spec']> | undefined): Pod => ({
  ...pod,
  spec: { ...pod.spec, ...added },
});

const own = new Set([
  'phase',
  'conditions',
  'initContainerStatuses',
  'containerStatuses',
  'ephemeralContainerStatuses',
]);

function comparable(status: PodStatus): unknown {
  const kept = Object.fromEntries(Object.entries(status).filter(([name]) => own.has(name)));
  return JSON.parse(
    JSON.stringify(kept, (name, value: unknown) => {
      if (name.endsWith('Time') || name.endsWith('At')) return undefined;
      return value;
    }),
  );
}

function computed({ pod, status }: Row, stage: PodStatusInput['stage'], end: PodEnd | undefined): PodStatus {
  const shown = stateFromStatus({ spec: pod.spec, status }, 0);
  // Of these the runtime knew nothing: their end is what a final status says.
  const containers = [...shown.containers].filter(
    ([, { newest }]) => newest?.state !== 'exited' || newest.reason !== 'ContainerStatusUnknown',
  );
  const hasSandbox = status.conditions?.some(
    ({ type, status: value }) => type === 'PodReadyToStartContainers' && value === 'True',
  );
  return podStatus({
    pod,
    state: { ...shown, containers: new Map(containers), sandbox: hasSandbox === true ? 'ready' : 'none' },
    stage,
    nowMs: 0,
    startTimeMs: 0,
    hostIPs: [],
    conditions: status.conditions ?? [],
    end,
  });
}

const files = hasShared('golden', 'node-lifecycle.jsonl')
  ? readdirSync(sharedPath('golden')).filter((name) => /^node-.*\.jsonl$/.test(name))
  : [];

describe.skipIf(files.length === 0)('pod statuses of kubelet 1.32.13', () => {
  test.each(files.flatMap(rowsOf))('Pod statuses of kubelet 1.32.13: $name', (row) => {
    const recorded = comparable(row.status);
    const ways = [undefined, row.end].flatMap((end) =>
      (['alive', 'ending', 'ended'] as const).map((stage) => ({ stage, end })),
    );
    const all = ways.map(({ stage, end }) => {
      const status = computed(row, stage, end);
      // A phase that is final is shown once nothing can run any more.
      const isHeld = row.status.phase === 'Pending' || row.status.phase === 'Running';
      return comparable(isHeld ? { ...status, phase: row.status.phase! } : status);
    });
    const found = all.find((status) => JSON.stringify(status) === JSON.stringify(recorded));
    expect(found ?? all[0]).toEqual(recorded);
  });
});
