import { expect, test } from 'vitest';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { StoredObject } from '../../storage/objects.ts';
import type { ResourceStore } from './resource-store.ts';
import { readModifyWrite } from './update.ts';
import type { WriteRequest } from './write.ts';

const stored = (value: string, revision: number): StoredObject => ({
  key: '/things/a',
  revision,
  bytes: Buffer.from(JSON.stringify({ metadata: { name: 'a', labels: { value } } })),
  attributes: { namespace: '', name: 'a', labels: new Map(), fields: new Map() },
});

/** A store whose cache has not heard of the newest version yet. */
function lagging(cached: StoredObject, newest: StoredObject): ResourceStore {
  const storage = {
    get: (_key: string, { match }: { match: string }) => Promise.resolve(match === 'any' ? cached : newest),
    update: (_key: string, bytes: Buffer, revision: number) =>
      Promise.resolve(
        revision === newest.revision
          ? { applied: true, object: { ...newest, bytes, revision: revision + 1 } }
          : { applied: false, current: newest },
      ),
  };
  return {
    storage,
    hooks: {},
    groupResource: { group: '', resource: 'things' },
    decode: ({ bytes }: StoredObject) => JSON.parse(bytes.toString()) as KubeObject,
    encode: (object: KubeObject) => Buffer.from(JSON.stringify(object)),
  } as unknown as ResourceStore;
}

function request(warnings: string[]): WriteRequest {
  return {
    dryRun: false,
    name: 'a',
    context: { now: new Date() },
    warn: (text: string) => warnings.push(text) > 0,
    beginWarnings: () => {
      const before = warnings.length;
      return () => void (warnings.length = before);
    },
  } as unknown as WriteRequest;
}

/** Warns of what it sees, and refuses what it is told to. */
const labelled =
  (write: WriteRequest, refused = '') =>
  (current: KubeObject | undefined) => {
    const seen = current!.metadata!.labels!['value']!;
    write.warn(`seen ${seen}`);
    if (seen === refused) throw new Error(`no ${seen}`);
    return Promise.resolve({
      action: 'write' as const,
      object: { metadata: { name: 'a', labels: { value: 'mine' } } },
    });
  };

test('An update that lost a race warns about the object as it is now, and not about earlier attempts', async () => {
  const warnings = ['of the body'];
  const write = request(warnings);
  await readModifyWrite(lagging(stored('old', 4), stored('new', 7)), '/things/a', labelled(write), write);
  expect(warnings).toEqual(['of the body', 'seen new']);
});

test('A refusal is of the object as it is, with the warnings of that', async () => {
  const warnings: string[] = [];
  const write = request(warnings);
  await expect(
    readModifyWrite(lagging(stored('old', 4), stored('new', 7)), '/things/a', labelled(write, 'new'), write),
  ).rejects.toThrow('no new');
  expect(warnings).toEqual(['seen new']);
});
