/**
 * GET of a collection with `watch`: a stream of events from a version on, or the messages of a WebSocket.
 *
 * Queued events are taken together and written at once; while the connection's buffers are full none are
 * taken, and the queue is bounded by the storage layer, which ends a watch that cannot keep up. The stream ends
 * after its timeout.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes | API
 *   Concepts: watches}
 */
import { describeWork } from '../../../base/work-description.ts';
import { isResourceExpired } from '../../../machinery/resource-expired.ts';
import { isStatusError, StatusError } from '../../../machinery/status.ts';
import type { ObjectWatchOptions } from '../../../storage/objects.ts';
import type { ApiResponse, Sink } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import type { EndpointContext } from '../context.ts';
import {
  listParameters,
  type ListParameters,
  parseResourceVersion,
  validateListParameters,
} from '../list-parameters.ts';
import { asMessages, watchRepresentation } from '../../representation/watch-events.ts';
import { selectionOf } from '../request-selectors.ts';
import { convertedAhead } from '../respond.ts';
import { mayWait, type ServedResource } from '../../served/served-resource.ts';
import { openingOf } from '../../request/web-socket-opening.ts';
import { WatchPump, type Encoding } from './watch-pump.ts';

export async function watchObjects(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): Promise<ApiResponse> {
  const parameters = listParameters(request.query, true);
  validateListParameters(parameters, context.featureEnabled('WatchList'));
  const { selection } = await selectionOf(served, request);
  const opening = openingOf(request);
  const frames = watchRepresentation(context.encoder, served, request);
  const encoder = opening === undefined ? frames : asMessages(frames);
  const timeoutMs = watchTimeoutMs(parameters.timeoutSeconds, context.minRequestTimeoutSeconds);
  const { group, version } = request.info;
  const sent = context.watchEvents(group, version, served.servedVersion.kind);
  const initialEventsSent = parameters.sendInitialEvents === true ? () => context.watchListed?.(request) : undefined;
  let wake = (): void => undefined;
  const options: ObjectWatchOptions = {
    ...startOf(parameters),
    selection,
    bookmarks: parameters.allowWatchBookmarks,
    endsAfterMs: timeoutMs,
    onReady: () => wake(),
  };
  if (opening !== undefined && 'refused' in opening) return opening.refused;
  const started = await served.store!.watch(options).catch((error: unknown) => failedStart(error));
  const stream = async (sink: Sink): Promise<void> => {
    if (started instanceof StatusError) {
      sink.write(encoder.error(started));
      return;
    }
    try {
      const pump = new WatchPump(
        started,
        { encoder, sent, initialEventsSent, ahead: aheadOf(served), [describeWork]: () => request[describeWork]() },
        sink,
        timeoutMs,
      );
      wake = pump.run;
      pump.run();
      await pump.over;
    } finally {
      started.close();
    }
  };
  if (opening !== undefined)
    return { status: 101, headers: {}, webSocket: { protocol: opening.protocol, isText: encoder.isText }, stream };
  return { status: 200, headers: { 'content-type': encoder.contentType }, stream };
}

/** A version that is too old is told in the stream, as an event; everything else is an answer of its own. */
function failedStart(error: unknown): StatusError {
  if (isResourceExpired(error) || (isStatusError(error) && error.reason === 'Timeout')) return error;
  throw error;
}

function startOf(parameters: ListParameters): Pick<ObjectWatchOptions, 'after' | 'initialEvents'> {
  const { resourceVersion, sendInitialEvents } = parameters;
  const revision = resourceVersion === '' ? undefined : parseResourceVersion(resourceVersion);
  if (sendInitialEvents === true)
    return { after: revision === undefined ? 'mostRecent' : revision === 0 ? 'any' : revision, initialEvents: true };
  if (sendInitialEvents === false)
    return { after: revision === undefined || revision === 0 ? 'mostRecent' : revision, initialEvents: false };
  if (revision === undefined) return { after: 'mostRecent', initialEvents: true };
  return revision === 0 ? { after: 'any', initialEvents: true } : { after: revision };
}

/** What a watch takes whose client asks for no time. */
export const longestWatchMs = (minSeconds: number): number => 2 * minSeconds * 1000;

/**
 * What the client asks for, which is over already when it is less than nothing; else a random time above the minimum,
 * so that watches do not all come back at once.
 */
function watchTimeoutMs(timeoutSeconds: number | undefined, minSeconds: number): number {
  if (timeoutSeconds !== undefined && timeoutSeconds !== 0) return Math.max(timeoutSeconds, 0) * 1000;
  return Math.floor(minSeconds * 1000 * (1 + Math.random()));
}

function aheadOf(served: ServedResource): Encoding['ahead'] {
  if (!mayWait(served)) return undefined;
  return (events) =>
    convertedAhead(
      served,
      events.flatMap(({ object }) => object ?? []),
    );
}
