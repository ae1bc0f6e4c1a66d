import { duplexPair, PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { type CommandStream, commandStreams } from '../../spdy/command-streams.ts';
import { SpdyConnection } from '../../spdy/connection.ts';
import type { SpdyStream } from '../../spdy/stream.ts';
import { endForClient } from './command-end.ts';
import { type CommandStreams, runOnNode } from './node-command.ts';
import { throttlingOf } from './throttle.ts';

const none: CommandStreams = { stdin: undefined, stdout: undefined, stderr: undefined, resize: undefined };
const success = '{"metadata":{},"status":"Success"}';

interface Given {
  readonly streams?: Partial<CommandStreams>;
  readonly protocol?: string;
  readonly wanted: readonly CommandStream[];
}

/** A command whose node agent is the test. */
async function start({ streams = {}, protocol = 'v4.channel.k8s.io', wanted }: Given) {
  const [near, far] = duplexPair();
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
  const clock = new FakeClock();
  const leave = new AbortController();
  const connection = new SpdyConnection(far, { side: 'server' });
  const pings: number[] = [];
  far.on('data', (chunk: Buffer) => {
    if (chunk.length === 12 && chunk.readUInt32BE(0) === 0x80030006) pings.push(chunk.readUInt32BE(8));
  });
  const opened = commandStreams(connection, wanted);
  const over = runOnNode(
    near,
    { ...none, ...streams },
    { protocol, throttling: throttlingOf(0), signal: leave.signal, clock },
  );
  return { near, clock, leave, connection, pings, over, node: (await opened) as Record<CommandStream, SpdyStream> };
}

describe('a command on a node', () => {
  test('It ends when all output has been handed on, and then its connection does', async () => {
    const got: string[] = [];
    let take: () => void = () => undefined;
    const stdout = (bytes: Buffer): Promise<void> => {
      got.push(bytes.toString());
      return new Promise((resolve) => (take = resolve));
    };
    const { node, over, clock, near } = await start({ streams: { stdout }, wanted: ['error', 'stdout'] });
    let isOver = false;
    void over.then(() => (isOver = true));
    node.error.end(success);
    node.stdout.end('out');
    await clock.advance(0);
    expect([got, isOver]).toEqual([['out'], false]);
    take();
    expect(endForClient(await over)).toBe(success);
    await clock.advance(1000);
    expect([near.destroyed, clock.pending]).toEqual([true, 0]);
  });

  test('It may end before its input, which then goes nowhere', async () => {
    const stdin = new PassThrough();
    const { node, over } = await start({ streams: { stdin }, wanted: ['error', 'stdin'] });
    stdin.write('x');
    node.error.end(success);
    expect((await over).code).toBe(200);
    expect(stdin.writableEnded).toBe(false);
  });

  test('A connection on which nothing is said is kept by pings, one at a time', async () => {
    const { clock, pings, node, over } = await start({ wanted: ['error'] });
    await clock.advance(4_999);
    expect(pings).toEqual([]);
    await clock.advance(10_001);
    expect(pings).toEqual([1, 3, 5]);
    node.error.end(success);
    await over;
    await clock.advance(60_000);
    expect([pings.length, clock.pending]).toEqual([3, 0]);
  });

  test.each([
    { name: 'first', protocol: '', hasResize: false },
    { name: 'second', protocol: 'v2.channel.k8s.io', hasResize: false },
    { name: 'third', protocol: 'v3.channel.k8s.io', hasResize: true },
  ])('The size of a terminal is a matter of newer versions than the $name', async ({ protocol, hasResize }) => {
    const resize = new PassThrough();
    const wanted: CommandStream[] = hasResize ? ['error', 'resize'] : ['error'];
    const { node, over, connection } = await start({ streams: { resize }, protocol, wanted });
    expect(connection.streams).toBe(wanted.length);
    node.error.end();
    expect(endForClient(await over)).toBe(success);
  });

  test('A client that is gone ends the connection', async () => {
    const { leave, over, near, clock } = await start({ wanted: ['error'] });
    leave.abort();
    expect((await over).code).toBe(500);
    expect([near.destroyed, clock.pending]).toEqual([true, 0]);
  });

  test('A node agent that does not come to the end of how a command ended is not heard any longer', async () => {
    const { node, over } = await start({ wanted: ['error'] });
    node.error.write(Buffer.alloc(65 * 1024));
    expect((await over).status?.message).toContain('error reading from error stream: it is too long');
  });
});
