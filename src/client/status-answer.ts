/** Answers that are errors: the Status that the server sent, or as much as can be known without one. */
import { type Status, StatusError } from '../machinery/status.ts';
import { isObject, type JsonValue } from '../machinery/value.ts';
import type { HttpAnswer } from './http-fetch.ts';

/** Of an answer that is no Status. */
const shownLength = 200;

export async function readText({ body }: HttpAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

export async function statusErrorOf(answer: HttpAnswer): Promise<StatusError> {
  const text = await readText(answer);
  return statusErrorFrom(parsed(text), answer.status, text);
}

/** @param code when the Status has none */
export function statusErrorFrom(value: JsonValue | undefined, code: number, text = ''): StatusError {
  if (!isObject(value) || value['kind'] !== 'Status')
    return new StatusError(code, '', `the server answered with status ${code}: ${text.slice(0, shownLength)}`);
  const status = value as unknown as Status;
  return new StatusError(status.code ?? code, status.reason ?? '', status.message ?? '', status.details);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
