/** What events are about, and what they are called. */
import type { ObjectReference } from '../../api/gen/types/core-v1.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';

/** Throws for an object that does not say its kind. */
export function referenceTo(object: KubeObject | ObjectReference): ObjectReference {
  if (!('metadata' in object) || object.metadata === undefined) return object as ObjectReference;
  const { apiVersion, kind, metadata } = object as KubeObject;
  if (apiVersion === undefined || kind === undefined) throw new TypeError('the object of an event has no kind');
  const { namespace, name, uid, resourceVersion } = metadata!;
  const found = Object.entries({ apiVersion, kind, namespace, name, uid, resourceVersion });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

let count = 0;

/** Unique by its time, which has nanoseconds upstream; events of one millisecond are counted. */
export function eventName(objectName: string, wallMs: number): string {
  count = (count + 1) % 1_000_000;
  return `${objectName.slice(0, 230)}.${(BigInt(Math.floor(wallMs)) * 1_000_000n + BigInt(count)).toString(16)}`;
}

/** What servers take. */
const maxMessageBytes = 1024;

const combinedPrefixBytes = '(combined from similar events): '.length;

/** @param reservedBytes for what is put before it later */
export function shortened(message: string, reservedBytes = combinedPrefixBytes): string {
  const maxBytes = maxMessageBytes - reservedBytes;
  if (Buffer.byteLength(message) <= maxBytes) return message;
  let text = message.slice(0, maxBytes - 3);
  while (Buffer.byteLength(text) > maxBytes - 3) text = text.slice(0, -1);
  return `${text}...`;
}
