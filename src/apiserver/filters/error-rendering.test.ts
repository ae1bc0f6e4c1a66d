import { describe, expect, test } from 'vitest';
import { StatusError } from '../../machinery/status.ts';
import { BodyTooLarge, BrokenBody, ClientGone, type Exchange, TooManyBodies } from '../../server/exchange.ts';
import { ApiRequest } from '../request/request.ts';
import { renderErrors, statusOf } from './error-rendering.ts';
import { RequestTimedOut } from './request-timed-out.ts';

async function render(error: Error): Promise<{ status: number; heard: string[] }> {
  const heard: string[] = [];
  const exchange = {
    method: 'GET',
    target: '/',
    header: () => undefined,
    headerValues: () => [],
  } as unknown as Exchange;
  const request = new ApiRequest(exchange, '/', new URLSearchParams(), 'audit-1', 0);
  const filter = renderErrors(
    { error: (_, message) => void heard.push(message) },
    { terminated: (_, code) => void heard.push(`terminated ${code}`) },
  );
  return { status: (await filter(request, () => Promise.reject(error))).status, heard };
}

describe('an error of a request', () => {
  test.each([
    {
      name: 'that is unexpected is logged and counted',
      error: new TypeError('x is not a function'),
      status: 500,
      heard: ['terminated 500', 'request failed'],
    },
    {
      name: 'of the store is logged with its cause',
      error: new StatusError(500, 'InternalError', 'no', {}, { cause: new Error('why') }),
      status: 500,
      heard: ['request failed'],
    },
    { name: 'that timed out is not', error: new RequestTimedOut(), status: 504, heard: [] },
    { name: 'of the client is not', error: new StatusError(404, 'NotFound', 'no'), status: 404, heard: [] },
    { name: 'whose body is too large is not', error: new BodyTooLarge(1), status: 413, heard: [] },
    {
      name: 'for whose body there is no memory is counted',
      error: new TooManyBodies(),
      status: 429,
      heard: ['terminated 429'],
    },
    { name: 'whose body is none is not', error: new BrokenBody('no'), status: 500, heard: [] },
    { name: 'whose client went away is not', error: new ClientGone(), status: 500, heard: [] },
  ])('An error of a request: $name', async ({ error, status, heard }) => {
    expect(await render(error)).toEqual({ status, heard });
  });
});

test('The end of a client is no panic for the audit log', () => {
  expect(statusOf(new ClientGone())?.toStatus()).toMatchObject({ code: 500, message: 'the client closed the request' });
});

test('A request that timed out is told so as text, without a kind', () => {
  expect(new RequestTimedOut().toText()).toBe(
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",' +
      '"reason":"Timeout","details":{},"code":504}\n',
  );
});
