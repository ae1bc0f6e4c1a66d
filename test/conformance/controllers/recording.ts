/** The recordings of controllers and scheduler: what a case is made of. */
import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '../../../src/machinery/value.ts';
import { sharedPath } from '../../support/shared.ts';

export interface RecordedCase {
  readonly id: string;
  readonly section: string;
  readonly namespaces: readonly string[];
  readonly steps: readonly RecordedStep[];
}

/** One member says which step it is; `response` and `snapshot` are what came of it. */
export interface RecordedStep {
  readonly request?: RecordedRequest;
  readonly response?: { readonly status: number; readonly message?: string; readonly body?: JsonObject };
  readonly until?: RecordedWait;
  /** Seconds. */
  readonly sleep?: number;
  readonly silence?: string;
  readonly attachments?: readonly JsonValue[];
  readonly pick?: RecordedPick;
  readonly kubelet?: KubeletStep;
  readonly settle?: RecordedSettle;
  readonly snapshot?: RecordedSnapshot;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: JsonValue;
  readonly noLease?: boolean;
}

export type RecordedWait =
  | { readonly path: string; readonly where: string; readonly is: JsonValue }
  | { readonly node: string; readonly has: string };

export interface RecordedPick {
  readonly resource: string;
  readonly index: number;
  readonly selector?: string;
  readonly name: string;
}

export interface KubeletStep {
  readonly to: 'bind' | 'ready' | 'running' | 'unready' | 'succeeded' | 'failed' | 'gone';
  readonly selector?: string;
  readonly name?: string;
  /** Only pods of this node. */
  readonly on?: string;
  readonly count?: number;
  /** Where `bind` places pods. */
  readonly node?: string;
  readonly ip?: string;
  readonly reason?: string;
  readonly exit?: number;
  readonly restarts?: number;
  readonly terminating?: boolean;
  readonly conditions?: readonly JsonObject[];
}

export interface RecordedSettle {
  readonly play?: readonly KubeletStep[];
  /** Seconds; 1 if absent. */
  readonly quiet?: number;
}

/** Objects by name for each resource, and lines of events. */
export type RecordedSnapshot = Readonly<Record<string, Readonly<Record<string, JsonValue>>>> & {
  readonly events?: readonly string[];
};

/** @param section the name of a recording without its ending: `controllers-job` */
export function casesOf(section: string): RecordedCase[] {
  return readFileSync(sharedPath('golden', `${section}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedCase);
}
