import { duplexPair } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { commandStreams } from '../../spdy/command-streams.ts';
import { SpdyConnection } from '../../spdy/connection.ts';
import type { SpdyStream } from '../../spdy/stream.ts';
import { endForClient } from './command-end.ts';
import { runOnNode } from './node-command.ts';
import { throttlingOf } from './throttle.ts';

/** As containerd closes the connection of a command: all streams are cancelled right behind what was written. */
async function runAndCancel(leave: (streams: Record<'error' | 'stdout', SpdyStream>) => void) {
  const [near, far] = duplexPair();
  const connection = new SpdyConnection(far, { side: 'server' });
  const opened = commandStreams(connection, ['error', 'stdout']);
  const output: string[] = [];
  const over = runOnNode(
    near,
    {
      stdin: undefined,
      stdout: (bytes) => Promise.resolve(void output.push(bytes.toString())),
      stderr: undefined,
      resize: undefined,
    },
    {
      protocol: 'v4.channel.k8s.io',
      throttling: throttlingOf(0),
      signal: new AbortController().signal,
      clock: new FakeClock(),
    },
  );
  leave((await opened) as Record<'error' | 'stdout', SpdyStream>);
  const end = endForClient(await over);
  near.destroy();
  far.destroy();
  return { output, end };
}

const success = '{"metadata":{},"status":"Success"}';

describe('A command whose streams are cancelled by its runtime', () => {
  test('It keeps its output and its end, which came before', async () => {
    const { output, end } = await runAndCancel(({ error, stdout }) => {
      stdout.write('out');
      error.write('{"status":"Failure","reason":"InternalError","message":"no such file"}');
      stdout.reset();
      error.reset();
    });
    expect(output).toEqual(['out']);
    expect(end).toContain('no such file');
  });

  test('It has gone well when nothing was said', async () => {
    const { output, end } = await runAndCancel(({ error, stdout }) => {
      stdout.reset();
      error.reset();
    });
    expect([output, end]).toEqual([[], success]);
  });
});
