/**
 * Recorded answers of a 1.32 server, replayed: the daily measure of exactness. `deviations.ts` names what is left and
 * why.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasShared, sharedPath } from '../../support/shared.ts';
import { type GoldenServer, type GoldenStore, startGoldenServer } from './server.ts';
import { deviations, withOwnServer } from './deviations.ts';
import type { RecordedCase, RecordedStep } from './recording.ts';
import { replay } from './replay.ts';

const files = [
  'kinds-batch',
  'kinds-core',
  'kinds-extension',
  'kinds-misc',
  'kinds-network',
  'kinds-pod',
  'kinds-rbac',
  'kinds-scaling',
  'kinds-service',
  'kinds-storage',
  'kinds-workloads',
  'protocol-crds',
  'protocol-crds-refused',
  'protocol-deletion',
  'protocol-discovery',
  'protocol-errors',
  'protocol-patches',
  'protocol-representations',
  'protocol-subresources',
  'protocol-validation',
  'protocol-versions',
  'protocol-watch',
  'protocol-watch-live',
];

function casesOf(file: string): RecordedCase[] {
  return readFileSync(sharedPath('golden', `${file}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      // Two recorded servers differ in the port that their issuer has in its name.
      const {
        id,
        kind,
        action,
        name,
        namespaces = [],
        steps,
      } = JSON.parse(line.replaceAll('https://localhost:7743', 'https://localhost:7643')) as {
        id?: string;
        kind?: string;
        action?: string;
        name?: string;
        namespaces?: string[];
        steps: (RecordedStep | string)[];
      };
      return {
        name: id ?? `${kind} ${action} ${name}`,
        servedVersion: file.startsWith('kinds') ? 'kinds' : 'protocol',
        namespaces,
        steps,
      };
    });
}

export function replaysRecordings(store: GoldenStore): void {
  describe.skipIf(!hasShared('golden'))(
    `recorded answers of kube-apiserver 1.32 on ${store} (skipped where the recordings are absent)`,
    () => {
      let server: GoldenServer;
      beforeAll(async () => {
        server = await startGoldenServer(store);
      });
      afterAll(() => server.close());

      for (const file of hasShared('golden') ? files : []) {
        describe(file, () => {
          for (const recorded of casesOf(file)) {
            const id = `${file}: ${recorded.name}`;
            const reason = deviations[id];
            test.skipIf(reason !== undefined)(
              reason === undefined ? recorded.name : `${recorded.name} (left out: ${reason})`,
              async () => {
                if (!withOwnServer.has(id)) return check(recorded, server);
                const own = await startGoldenServer(store, true);
                await check(recorded, own).finally(() => own.close());
              },
            );
          }
        });
      }
    },
  );
}

async function check(recorded: RecordedCase, server: GoldenServer): Promise<void> {
  const found = await replay(recorded, server);
  if (found.length > 0) throw new Error(found.join('\n'));
}
