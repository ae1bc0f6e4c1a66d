/** Waits for what a case waits for, within bounds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonValue } from '../../../src/machinery/value.ts';
import type { Api } from './api.ts';
import type { RecordedWait } from './recording.ts';

const lookMs = 100;

/** What was found instead when the time is over; undefined when it came. */
export async function waitFor(api: Api, wait: RecordedWait, limitMs: number): Promise<string | undefined> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = 'node' in wait ? await lookAtTaint(api, wait) : await lookAtMember(api, wait);
    if (found === undefined) return undefined;
    if (performance.now() > end) return `did not become so within ${limitMs / 1000} s: ${found}`;
    await sleep(lookMs);
  }
}

async function lookAtTaint(
  api: Api,
  { node, has }: Extract<RecordedWait, { node: string }>,
): Promise<string | undefined> {
  const key = /^no taint (\S+)$/.exec(has)?.[1];
  if (key === undefined) throw new Error(`unknown wait: ${has}`);
  const { body } = await api.send('GET', `/api/v1/nodes/${node}`);
  const { spec } = body as { spec?: { taints?: { key: string }[] } };
  if (spec === undefined) return `node ${node} is not there`;
  return spec.taints?.some((taint) => taint.key === key) === true ? `node ${node} has taint ${key}` : undefined;
}

async function lookAtMember(
  api: Api,
  { path, where, is }: Extract<RecordedWait, { path: string }>,
): Promise<string | undefined> {
  const { status, body } = await api.send('GET', path);
  const found = where === '' ? status : memberAt(body as JsonValue, where);
  const isSo = is === '*' ? found !== undefined : JSON.stringify(found) === JSON.stringify(is);
  return isSo ? undefined : `${path} ${where === '' ? 'answers' : `has ${where} =`} ${JSON.stringify(found)}`;
}

function memberAt(value: JsonValue, where: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const name of where.split('.'))
    found = typeof found === 'object' && found !== null ? (found as Record<string, JsonValue>)[name] : undefined;
  return found;
}
