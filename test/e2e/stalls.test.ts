/** The stall detector of the built program: its thread is made of text from the bundle. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ApiClient } from '../support/api-client.ts';
import { buildOrch, OrchProcess } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

beforeAll(buildOrch);

const marker = 'hold-up-the-event-loop';

/** Put into the program from outside: a body with the marker takes half a second to read. */
const slowParser = `
  const parse = JSON.parse;
  JSON.parse = function parseSlowly(text, ...more) {
    if (String(text).includes('${marker}')) for (const end = Date.now() + 500; Date.now() < end;);
    return parse(text, ...more);
  };
`;

/** With the variable as long as it takes. */
function withNodeOptions<T>(options: string, start: () => T): T {
  const before = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `${before ?? ''} ${options}`;
  try {
    return start();
  } finally {
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
  }
}

interface Line {
  readonly msg: string;
  readonly verb?: string;
  readonly resource?: string;
  readonly user?: string;
  readonly seconds?: number;
  readonly stack?: readonly string[];
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);

test('A request that stalls the program is logged with functions of the bundle, and SIGTERM ends it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'orch-e2e-'));
  const [port = 0] = await freePorts(1);
  const flags = ['--event-loop-stall-threshold=50ms', '--logging-format=json'];
  const start = (): OrchProcess => OrchProcess.up(dataDir, port, ...flags);
  const orch = withNodeOptions(`--import=data:text/javascript,${encodeURIComponent(slowParser)}`, start);
  onTestFinished(async () => {
    await orch[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });
  await orch.says('Ready');
  const client = new ApiClient(await readFile(join(dataDir, 'admin.kubeconfig'), 'utf8'));
  onTestFinished(() => client[Symbol.dispose]());
  const isOurs = ({ msg, verb, stack = [] }: Line): boolean =>
    msg === 'the event loop stood still' &&
    verb === 'create' &&
    stack.some((frame) => frame.startsWith('parseSlowly ('));
  const found = (): Line | undefined => linesOf(orch.errors).find(isOurs);
  const body = { metadata: { name: 'slow' }, data: { marker } };
  while (found() === undefined)
    expect((await client.send('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', body)).status).toBe(201);
  expect(found()!.stack).toContainEqual(expect.stringMatching(/^\S+ \(file:\/\/.*\/dist\/.*\.cjs:\d+:\d+\)$/));
  expect(found()).toMatchObject({ resource: 'configmaps', version: 'v1', namespace: 'default', user: 'orch-admin' });
  expect((await client.send('GET', '/metrics')).body.toString()).toMatch(/^orch_event_loop_stalls_total [1-9]/m);
  expect(await orch.kill('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('A program that hosts control planes ends when they are closed, whether or not they watched', async () => {
  const script = `
    import { createControlPlane } from './dist/index.js';
    const flags = ['--event-loop-stall-threshold=50ms'];
    const all = [];
    for (const more of [{ flags }, {}, { flags }]) all.push(await createControlPlane({ controllers: false, ...more }));
    await Promise.all(all.map((one) => one.close()));
    console.log('closed');
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
  });
  expect(stdout).toBe('closed\n');
});
