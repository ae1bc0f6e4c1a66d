import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '../../src/machinery/value.ts';
import { hasShared, sharedPath } from './shared.ts';

/** One request with the recorded answer of the reference server. */
export interface GoldenStep {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly contentType: string;
    readonly body?: JsonValue;
  };
  readonly response: { readonly status: number; readonly body?: JsonValue };
}

export interface GoldenCase {
  readonly file: string;
  readonly name: string;
  readonly steps: readonly GoldenStep[];
}

interface RecordedStep {
  /** What is no request (compaction) has neither method nor path. */
  request: { method?: string; path?: string; headers?: Record<string, string>; contentType?: string; body?: JsonValue };
  response: { status: number; body?: JsonValue };
}

export const hasGolden = hasShared('golden', 'protocol-patches.jsonl');

/** The cases of one recording, of either format (`protocol-*`, `kinds-*`). */
export function goldenCases(file: string): GoldenCase[] {
  const lines = readFileSync(sharedPath('golden', file), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const recorded = JSON.parse(line) as {
      id?: string;
      kind?: string;
      action?: string;
      name?: string;
      steps: RecordedStep[];
    };
    const name = recorded.id ?? `${recorded.kind} ${recorded.action} ${recorded.name}`;
    return { file, name, steps: recorded.steps.filter(isRequest).map(readStep) };
  });
}

/** Recordings of controllers and nodes also have steps that show what these did. */
const isRequest = (step: Partial<RecordedStep>): step is RecordedStep => step.request !== undefined;

function readStep({ request, response }: RecordedStep): GoldenStep {
  const { headers, contentType, method = '', path = '', ...rest } = request;
  return {
    request: { ...rest, method, path, contentType: contentType ?? headers?.['Content-Type'] ?? defaultType(method) },
    response,
  };
}

const defaultType = (method: string): string =>
  method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';

/** The object of a successful answer, undefined for a Status, a list or a table. */
export function answeredObject({ response }: GoldenStep): JsonObject | undefined {
  const body = response.body as JsonObject | undefined;
  return response.status < 300 &&
    typeof body === 'object' &&
    body !== null &&
    'metadata' in body &&
    body['kind'] !== 'Status' &&
    !('items' in body)
    ? body
    : undefined;
}
