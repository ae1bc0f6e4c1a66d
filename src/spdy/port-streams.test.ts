import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { onPortStreams } from './port-streams.ts';
import { connected, settle } from './testing/connected.ts';

function forwarding() {
  const clock = new FakeClock();
  const pair = connected();
  const ports: number[] = [];
  onPortStreams(
    pair.server,
    ({ port, data, error }) => {
      ports.push(port);
      error.end();
      data.pipe(data);
    },
    clock,
  );
  const open = (headers: Readonly<Record<string, string | undefined>>) =>
    pair.client.open(new Map(Object.entries(headers).map(([name, value = '']) => [name, [value]])));
  return { ...pair, clock, ports, open };
}

describe('streams of forwarded ports', () => {
  test('Two streams with the same number of a request are one forwarded connection', async () => {
    const { open, ports, clock } = forwarding();
    const pairs = [0, 1].map((requestid) => {
      const headers = { port: String(80 + requestid), requestid: String(requestid) };
      return { ...headers, error: open({ ...headers, streamtype: 'error' }), headers };
    });
    const answers = pairs.map(({ headers, port }) => {
      const data = open({ ...headers, streamtype: 'data' });
      data.end(`to ${port}`);
      return text(data);
    });
    expect(await Promise.all(answers)).toEqual(['to 80', 'to 81']);
    expect(await Promise.all(pairs.map(({ error }) => text(error)))).toEqual(['', '']);
    expect([ports, clock.pending]).toEqual([[80, 81], 0]);
  });

  test('Streams of old clients, which give no number, belong together in the order of their opening', async () => {
    const { open, ports } = forwarding();
    open({ port: '80', streamtype: 'error' });
    const data = open({ port: '80', streamtype: 'data' });
    data.end('x');
    expect(await text(data)).toBe('x');
    expect(ports).toEqual([80]);
  });

  test.each([
    { name: 'no type', headers: { port: '80', requestid: '1' } },
    { name: 'an unknown type', headers: { port: '80', requestid: '1', streamtype: 'stdin' } },
    { name: 'no port', headers: { requestid: '1', streamtype: 'data' } },
    { name: 'a port that is none', headers: { port: '65536', requestid: '1', streamtype: 'data' } },
    { name: 'a port in words', headers: { port: 'http', requestid: '1', streamtype: 'data' } },
  ])('A stream with $name is refused', async ({ headers }) => {
    const { open, ports } = forwarding();
    await expect(open(headers).replied).rejects.toThrow('status 3');
    expect(ports).toEqual([]);
  });

  test.each([
    { name: 'the same type', second: { port: '80', requestid: '1', streamtype: 'error' } },
    { name: 'another port', second: { port: '81', requestid: '1', streamtype: 'data' } },
  ])('The second stream of a request with $name is refused', async ({ second }) => {
    const { open } = forwarding();
    await open({ port: '80', requestid: '1', streamtype: 'error' }).replied;
    await expect(open(second).replied).rejects.toThrow('status 3');
  });

  test('A stream whose other half does not come is reset, and one that is gone is forgotten', async () => {
    const { open, clock, server } = forwarding();
    const late = open({ port: '80', requestid: '1', streamtype: 'error' });
    open({ port: '80', requestid: '2', streamtype: 'error' }).reset();
    await settle();
    expect(clock.pending).toBe(1);
    await clock.advance(30_000);
    expect([late.destroyed, server.streams, clock.pending]).toEqual([true, 0, 0]);
  });

  test('A connection that ends leaves no timers behind', async () => {
    const { open, clock, client } = forwarding();
    open({ port: '80', requestid: '1', streamtype: 'error' });
    await settle();
    client.destroy();
    await settle();
    expect(clock.pending).toBe(0);
  });
});
