/** What kill -9 leaves in the audit log: in the modes that wait, an event for whatever was answered. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Event } from '../../src/api/gen/types/audit-v1.ts';
import { ApiClient } from '../support/api-client.ts';
import { buildOrch, OrchProcess } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const writers = 8;

beforeAll(buildOrch);

interface Audited {
  readonly orch: OrchProcess;
  readonly client: ApiClient;
  readonly logPath: string;
}

async function startAudited(mode: string): Promise<Audited> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-audit-crash-'));
  const inside = (name: string): string => path.join(directory, name);
  await writeFile(inside('policy.yaml'), 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n');
  const [port = 0] = await freePorts(1);
  const logPath = inside('audit.log');
  const orch = OrchProcess.up(
    inside('data'),
    port,
    '--audit-policy-file',
    inside('policy.yaml'),
    '--audit-log-path',
    logPath,
    '--audit-log-mode',
    mode,
  );
  onTestFinished(async () => {
    await orch.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  await orch.says('Ready');
  const client = new ApiClient(await readFile(path.join(inside('data'), 'admin.kubeconfig'), 'utf8'));
  onTestFinished(() => client[Symbol.dispose]());
  return { orch, client, logPath };
}

/** Reads and writes until the server is gone. @returns names of requests that were answered */
async function ask(client: ApiClient, name: string, onAnswer: () => void): Promise<string[]> {
  const answered: string[] = [];
  for (let i = 0; ; i++) {
    const auditId = `${name}-${i}`;
    const headers = { 'audit-id': auditId };
    const sent =
      i % 2 === 0
        ? client.send('POST', configMaps, { metadata: { name: auditId } }, { headers })
        : client.send('GET', `${configMaps}/${name}-${i - 1}`, undefined, { headers });
    const answer = await sent.catch(() => undefined);
    if (answer === undefined) return answered;
    answered.push(auditId);
    onAnswer();
  }
}

/** What was being written at the end may be cut off. */
const eventsOf = (log: string): Event[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Event);

describe.each(['blocking', 'blocking-strict'])('kill -9 under load in mode %s', (mode) => {
  test('Every request that was answered has its events in the log', { timeout: 120_000 }, async () => {
    const { orch, client, logPath } = await startAudited(mode);
    let count = 0;
    let enough: () => void = () => undefined;
    const many = new Promise<void>((resolve) => (enough = resolve));
    const asking = Array.from({ length: writers }, (_, i) =>
      ask(client, `w${i}`, () => void (++count === 400 && enough())),
    );
    await many;
    await orch.kill('SIGKILL');
    const answered = (await Promise.all(asking)).flat();
    expect(answered.length).toBeGreaterThanOrEqual(400);
    const stages = new Map<string, string[]>();
    for (const { auditID, stage } of eventsOf(await readFile(logPath, 'utf8')))
      stages.set(auditID!, [...(stages.get(auditID!) ?? []), stage!]);
    expect(answered.filter((auditId) => stages.get(auditId)?.join(' ') !== 'RequestReceived ResponseComplete')).toEqual(
      [],
    );
  });
});
