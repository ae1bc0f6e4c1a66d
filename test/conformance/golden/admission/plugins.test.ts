/** Recorded requests to 1.32 servers with other plugins and their configurations, a server for each of them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createControlPlane } from '../../../../src/index.ts';
import { casesOf, isLeftOut, play, type RecordedCase, titleOf } from './cases.ts';
import { type AdmissionServer, type RecordedServer, startAdmissionServer } from './server.ts';

type PluginCase = Omit<RecordedCase, 'server'> & {
  readonly server?: Partial<RecordedServer>;
  readonly start?: { readonly result: 'ended' | 'running'; readonly message: readonly string[] };
};

const all = ['admission-plugins.jsonl', 'admission-config.jsonl'].flatMap(casesOf) as readonly PluginCase[];
const isThere = all.length > 0;

/** The recorded servers had the plugin ServiceAccount unless they say otherwise. */
const serverOf = ({ server: { flags = [], files = {} } = {} }: PluginCase): RecordedServer => ({
  flags: flags.some((flag) => flag.includes('ServiceAccount'))
    ? flags
    : [...flags.filter((flag) => !isEnabling(flag)), ...withAccounts(flags)],
  files,
});
const isEnabling = (flag: string): boolean => flag.startsWith('--enable-admission-plugins=');
const withAccounts = (flags: readonly string[]): string[] => [
  [flags.find(isEnabling) ?? '--enable-admission-plugins=', 'ServiceAccount'].join(',').replace('=,', '='),
];

const byServer = new Map<string, PluginCase[]>();
for (const one of all.filter(({ start }) => start === undefined)) {
  const key = JSON.stringify(serverOf(one));
  byServer.set(key, [...(byServer.get(key) ?? []), one]);
}

describe.skipIf(!isThere)('recorded admission plugins (skipped where the recordings are absent)', () => {
  for (const [key, cases] of byServer) {
    const wanted = JSON.parse(key) as RecordedServer;
    describe(wanted.flags.join(' '), () => {
      let server: AdmissionServer;
      beforeAll(async () => {
        server = await startAdmissionServer(wanted);
      });
      afterAll(() => server[Symbol.asyncDispose]());

      for (const recorded of cases)
        test.skipIf(isLeftOut(recorded))(titleOf(recorded), () => play({ ...recorded, server: wanted }, server));
    });
  }
});

describe.skipIf(!isThere)('recorded starts with admission configurations (skipped where they are absent)', () => {
  for (const recorded of all.filter(({ start }) => start !== undefined))
    test.skipIf(isLeftOut(recorded))(titleOf(recorded), async () => {
      const { flags = [], files = {} } = recorded.server ?? {};
      const directory = await mkdtemp(path.join(tmpdir(), 'orch-golden-start-'));
      const filled = (text: string): string => text.replaceAll('<dir>', directory);
      try {
        for (const [name, text] of Object.entries(files)) await writeFile(path.join(directory, name), filled(text));
        const refusal = await createControlPlane({ controllers: false, flags: flags.map(filled) }).then(
          async (started) => {
            await started.close();
            throw new Error('the server has started');
          },
          (error: unknown) => (error as Error).message,
        );
        for (const line of recorded.start!.message) expect(refusal).toContain(filled(ours(line)));
      } finally {
        await rm(directory, { recursive: true });
      }
    });
});

/** Without the place in Go's sources where kinds are registered; problems of flags are a line each here. */
const ours = (message: string): string => message.replace(/ in scheme "[^"]*"$/, '');
