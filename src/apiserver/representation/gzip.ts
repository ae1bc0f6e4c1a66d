/**
 * Compression of answers to reads, for clients that take it, from a size on where it pays.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#response-compression | API Concepts:
 *   response compression}
 */
import zlib from 'node:zlib';
import { promisify } from 'node:util';
import { bulkTurns, isBulk } from '../../base/bulk-turns.ts';
import type { ApiResponse, HeaderMap, Sink } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import type { RepresentationBudget } from './budget.ts';
import { writeGzipList } from './gzip-list.ts';
import type { ListItems } from './list.ts';

/** Smaller answers are sent as they are. Upstream's limit. */
const minBytes = 128 * 1024;
const level = 1;
const compress = promisify(zlib.gzip);

export const acceptsGzip = (request: ApiRequest): boolean =>
  (request.header('accept-encoding') ?? '').split(',').some((coding) => coding.trim().split(';', 1)[0] === 'gzip');

export const compressible = (request: ApiRequest, length: number): boolean =>
  length >= minBytes && request.method === 'GET' && acceptsGzip(request);

const gzipHeaders = (headers: HeaderMap): HeaderMap => ({
  ...headers,
  'content-encoding': 'gzip',
  vary: 'Accept-Encoding',
});

export function gzip(status: number, headers: HeaderMap, body: Buffer): ApiResponse {
  return {
    status,
    headers: gzipHeaders(headers),
    stream: async (sink) => void sink.write(await compress(body, { level })),
  };
}

/** A list of objects, from pieces that are kept; undefined when it goes out as it is, or its size is not known yet. */
export function gzipList(
  request: ApiRequest,
  headers: HeaderMap,
  items: ListItems,
  budget: RepresentationBudget,
): ApiResponse | undefined {
  // No representation is shorter than the stored bytes.
  const least = items.objects.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (!compressible(request, least)) return undefined;
  return { status: 200, headers: gzipHeaders(headers), stream: (sink) => writeGzipList(items, budget, sink) };
}

/** Chunks of a list: compressed as they are made, or as they are when the whole turns out small. */
export function gzipChunks(
  request: ApiRequest,
  headers: HeaderMap,
  chunks: Iterable<Buffer>,
  length: number | undefined,
): ApiResponse {
  if (length !== undefined) return compressChunks(headers, chunks);
  if (request.method !== 'GET' || !acceptsGzip(request)) return { status: 200, headers, chunks };
  const iterator = chunks[Symbol.iterator]();
  const first: Buffer[] = [];
  let size = 0;
  while (size < minBytes) {
    const { value, done } = iterator.next();
    if (done === true) return { status: 200, headers, body: Buffer.concat(first, size) };
    first.push(value);
    size += value.length;
  }
  return compressChunks(
    headers,
    (function* () {
      yield* first;
      yield* { [Symbol.iterator]: () => iterator };
    })(),
  );
}

function compressChunks(headers: HeaderMap, chunks: Iterable<Buffer>): ApiResponse {
  return {
    status: 200,
    headers: gzipHeaders(headers),
    stream: async (sink) => {
      const stream = zlib.createGzip({ level, chunkSize: 64 * 1024 });
      try {
        await pour(stream, chunks, sink);
      } finally {
        stream.destroy();
      }
    },
  };
}

async function pour(stream: zlib.Gzip, chunks: Iterable<Buffer>, sink: Sink): Promise<void> {
  // One listener for the whole response: a listener for each pause would pile up on a slow client.
  let wake = (): void => undefined;
  sink.onClose(() => wake());
  const finished = new Promise<void>((resolve, reject) => {
    stream.once('end', resolve);
    stream.once('error', reject);
    sink.onClose(resolve);
  });
  stream.on('data', (chunk: Buffer) => {
    if (sink.write(chunk)) return;
    stream.pause();
    void sink.drained().then(() => stream.resume());
  });
  stream.on('drain', () => wake());
  for (const chunk of chunks) {
    if (sink.closed) return;
    if (!stream.write(chunk)) await new Promise<void>((resolve) => void (wake = resolve));
    if (isBulk(chunk)) await bulkTurns.next();
  }
  stream.end();
  await finished;
}
