/** Answers: an object, or the Status of an error, or as much as can be known without one. */
import type { KubeObject } from '../machinery/object-meta.ts';
import { type Status, StatusError } from '../machinery/status.ts';
import { isObject, type JsonObject, type JsonValue } from '../machinery/value.ts';
import type { HttpAnswer } from './http-fetch.ts';
import { decodeObject, type DecodeOptions, json } from './resources/object-codec.ts';

/** Of an answer that is no Status. */
const shownLength = 200;

export async function readBytes({ body }: HttpAnswer): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

export const contentTypeOf = ({ headers }: HttpAnswer): string => headers?.get('content-type') ?? json;

export async function readObjectAnswer(answer: HttpAnswer, options?: DecodeOptions): Promise<KubeObject> {
  return decodeObject(await readBytes(answer), contentTypeOf(answer), options);
}

export async function statusErrorOf(answer: HttpAnswer): Promise<StatusError> {
  const bytes = await readBytes(answer);
  const retryAfter = Number(answer.headers?.get('retry-after') ?? 0);
  return statusErrorFrom(decoded(bytes, contentTypeOf(answer)), answer.status, bytes.toString(), retryAfter);
}

/**
 * @param code when the Status has none
 * @param retryAfter in seconds, when the Status has none
 */
export function statusErrorFrom(
  value: JsonValue | undefined,
  code: number,
  text = '',
  retryAfter: number = 0,
): StatusError {
  const delay = retryAfter > 0 ? { retryAfterSeconds: retryAfter } : undefined;
  if (!isObject(value) || value['kind'] !== 'Status')
    return new StatusError(code, '', `the server answered with status ${code}: ${text.slice(0, shownLength)}`, delay);
  const status = value as unknown as Status;
  const details = delay === undefined ? status.details : { ...delay, ...status.details };
  return new StatusError(status.code ?? code, status.reason ?? '', status.message ?? '', details, {
    ...(status.metadata?.continue ? { continueToken: status.metadata.continue } : {}),
  });
}

function decoded(bytes: Buffer, contentType: string): JsonValue | undefined {
  try {
    return decodeObject(bytes, contentType) as JsonObject;
  } catch {
    return undefined;
  }
}
