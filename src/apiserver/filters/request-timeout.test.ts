import { describe, expect, test } from 'vitest';
import { StatusError } from '../../machinery/status.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { type ApiResponse, type Exchange } from '../../server/exchange.ts';
import { ApiRequest } from '../request/request.ts';
import { limitTime } from './request-timeout.ts';

const request = (): ApiRequest => {
  const exchange = { method: 'GET', onClose: () => undefined } as unknown as Exchange;
  const made = new ApiRequest(exchange, '/api/v1/pods', new URLSearchParams(), '', 0);
  made.info = parseRequestInfo('GET', made.path, made.query);
  return made;
};
const ok: ApiResponse = { status: 200, headers: {} };

describe('a request that is answered with a timeout', () => {
  test.each<{ name: string; end: () => Promise<ApiResponse>; status: string }>([
    { name: 'an answer after the timeout', end: () => Promise.resolve(ok), status: 'ok' },
    { name: 'a refusal', end: () => Promise.reject(new StatusError(404, 'NotFound', 'no')), status: 'ok' },
    { name: 'an unexpected error', end: () => Promise.reject(new TypeError('no')), status: 'panic' },
  ])('A request that timed out is counted as terminated, and again when it ends: $name', async ({ end, status }) => {
    const counted: unknown[] = [];
    const filter = limitTime(1, {
      terminated: (_, code) => void counted.push(code),
      endedAfterTimeout: (result) => void counted.push(result),
    });
    let finish: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (finish = resolve));
    const inner = released.then(end);
    await expect(filter(request(), () => inner)).rejects.toMatchObject({ code: 504 });
    expect(counted).toEqual([504]);
    finish();
    await inner.catch(() => undefined);
    await new Promise(setImmediate);
    expect(counted).toEqual([504, status]);
  });

  test('A request that is answered in time is counted neither as terminated nor as ended late', async () => {
    const counted: unknown[] = [];
    const filter = limitTime(60_000, {
      terminated: (_, code) => void counted.push(code),
      endedAfterTimeout: (result) => void counted.push(result),
    });
    expect(await filter(request(), () => Promise.resolve(ok))).toBe(ok);
    expect(counted).toEqual([]);
  });
});
