/** The recordings of a real node agent (`node-*.jsonl`). */
import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '../../src/machinery/value.ts';
import { hasShared, sharedPath } from '../support/shared.ts';

export interface NodeStep extends Readonly<Record<string, unknown>> {
  readonly got?: Readonly<Record<string, JsonValue>>;
  readonly varies?: boolean;
}

export interface RecordedStatus {
  readonly t: number;
  readonly status: JsonObject;
  readonly sometimes?: boolean;
  readonly deletionGracePeriodSeconds?: number;
}

export interface RecordedEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly on?: string;
  readonly sometimes?: boolean;
}

export interface RecordedPod {
  readonly statuses: readonly RecordedStatus[];
  readonly events: readonly RecordedEvent[];
  readonly deleted?: number;
}

export interface NodeCase {
  readonly id: string;
  readonly section: string;
  readonly about: string;
  readonly steps: readonly NodeStep[];
  readonly pods: Readonly<Record<string, RecordedPod>>;
}

export function nodeCases(section: string): readonly NodeCase[] {
  const file = `node-${section}.jsonl`;
  if (!hasShared('golden', file)) return [];
  const lines = readFileSync(sharedPath('golden', file), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as NodeCase);
}

export const hasRecordings = (): boolean =>
  hasShared('golden') && readdirSync(sharedPath('golden')).some((name) => name.startsWith('node-'));
