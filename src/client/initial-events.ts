/**
 * The state of a collection as the first part of a watch, up to the bookmark that says that it is whole.
 * @see {@link https://kep.k8s.io/3157 | KEP-3157}
 */
import type { KubeObject } from '../machinery/object-meta.ts';
import type { JsonValue } from '../machinery/value.ts';
import type { SourcePage } from '../reconcile/source.ts';
import type { HttpAnswer } from './http-fetch.ts';
import type { DecodeOptions } from './resources/object-codec.ts';
import { watchFrames } from './resources/watch-frames.ts';
import { contentTypeOf, statusErrorFrom } from './status-answer.ts';
import { ConnectionError } from './transport/message.ts';

export const initialEventsEnd = 'k8s.io/initial-events-end';

/** Ends the watch then. Rejects when it ends before. */
export async function readInitialEvents<T extends KubeObject>(
  answer: HttpAnswer,
  options: DecodeOptions,
): Promise<SourcePage<T>> {
  const frames = watchFrames(contentTypeOf(answer), options);
  const objects: T[] = [];
  for await (const chunk of answer.body ?? [])
    for (const { type, object } of frames.push(chunk)) {
      if (type === 'ERROR') throw statusErrorFrom(object as JsonValue, 500);
      if (type !== 'BOOKMARK') objects.push(object as T);
      else if (object.metadata?.annotations?.[initialEventsEnd] === 'true')
        return { objects, version: object.metadata.resourceVersion ?? '' };
    }
  throw new ConnectionError('a streamed list ended before it was whole');
}
