/**
 * How many seats a request takes: one, or for a list one per hundred objects that it goes through.
 *
 * Writes take one seat too: watchers of what they change are not added, as in the reference.
 */
import { flagParameter } from '../request/query.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** No list is estimated to take more (KEP-1040, "Width of the request"). */
export const mostSeats = 10;
const objectsPerSeat = 100;

export interface EstimateOptions {
  /** Objects of a resource with its group. Undefined: not counted. */
  readonly countOf: (resource: string) => number | undefined;
  /** Of the level. */
  readonly maxSeats: number;
}

export function estimateSeats(info: RequestInfo, query: URLSearchParams, options: EstimateOptions): number {
  if (!info.isResourceRequest || (info.verb !== 'list' && info.verb !== 'watch')) return 1;
  if (info.verb === 'watch' && !flagParameter(query, 'sendInitialEvents')) return 1;
  const { maxSeats } = options;
  const limitText = query.get('limit') ?? '';
  // It will be refused; what is not understood may cost anything.
  if (!/^[+-]?\d*$/.test(limitText)) return maxSeats;
  const count = options.countOf(info.group === '' ? info.resource : `${info.resource}.${info.group}`);
  if (count === undefined) return 1;
  const seats = Math.ceil(objectsRead(info, query, count, Number(limitText)) / objectsPerSeat);
  return Math.min(Math.max(seats, 1), maxSeats);
}

function objectsRead(info: RequestInfo, query: URLSearchParams, count: number, limit: number): number {
  if (info.name !== '') return 1;
  if (info.verb === 'watch' || !readsStore(query, limit)) return count;
  const page = limit > 0 ? Math.min(limit, count) : count;
  const selects = (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== '';
  // Read, and encoded.
  return selects ? count + page : 2 * page;
}

/** A page after the first, or exactly one version, is not in the cache. */
function readsStore(query: URLSearchParams, limit: number): boolean {
  if ((query.get('continue') ?? '') !== '') return true;
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  return match === 'Exact' || (match === '' && limit > 0 && version !== '' && version !== '0');
}
