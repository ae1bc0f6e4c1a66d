import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../../base/logger.ts';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { readPods } from './read-pods.ts';
import { readStaticFiles } from './static-files.ts';
import { createStaticSource } from './static-source.ts';

const origin = { place: 'file:/pods/a.yaml', source: 'file', nodeName: 'node-1', nowMs: 0 } as const;
const text = (name: string): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: main, image: "image:1"}]}}`;

describe('The text of a static pod', () => {
  test('A static pod is named after its node, and carries where it comes from', () => {
    const [pod] = readPods(text('web'), origin);
    const { uid } = pod!.metadata;
    expect(pod!.metadata).toMatchObject({
      name: 'web-node-1',
      namespace: 'default',
      uid: expect.stringMatching(/^\w{32}$/),
    });
    expect(pod!.metadata.annotations).toEqual({
      'kubernetes.io/config.hash': uid,
      'kubernetes.io/config.source': 'file',
      'kubernetes.io/config.seen': '1970-01-01T00:00:00.000Z',
    });
    expect(pod!.spec).toMatchObject({
      nodeName: 'node-1',
      restartPolicy: 'Always',
      tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
    });
  });

  test('The same content from the same place is the same pod, and any other is another one', () => {
    const uidOf = (content: string, place: string = origin.place): string | undefined =>
      readPods(content, { ...origin, place, nowMs: 5 })[0]?.metadata.uid;
    const uid = readPods(text('web'), origin)[0]?.metadata.uid;
    expect(uidOf(text('web'))).toBe(uid);
    expect(uidOf(text('other'))).not.toBe(uid);
    expect(uidOf(text('web'), 'file:/pods/b.yaml')).not.toBe(uid);
  });

  test('A list has many pods, and of several documents the first counts', () => {
    const list = `{apiVersion: v1, kind: PodList, items: [${text('a')}, ${text('b')}]}`;
    expect(readPods(list, origin).map(({ metadata }) => metadata.name)).toEqual(['a-node-1', 'b-node-1']);
    expect(readPods(`${text('a')}\n---\n${text('b')}`, origin).map(({ metadata }) => metadata.name)).toEqual([
      'a-node-1',
    ]);
  });

  test.each([
    { name: 'YAML that does not end', content: 'kind: Pod\nmetadata: [', message: /./ },
    { name: 'another kind', content: '{apiVersion: v1, kind: Secret}', message: /it is a Secret, not a Pod/ },
    { name: 'a name that leads elsewhere', content: text('../x'), message: /the pod .* is invalid: .*metadata\.name/ },
    {
      name: 'a container without a valid name',
      content: text('web').replace('name: main', 'name: BAD_NAME'),
      message: /spec\.containers\[0\]\.name/,
    },
  ])('A text is refused for $name', ({ content, message }) => {
    expect(() => readPods(content, origin)).toThrow(message);
  });
});

async function folder(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-static-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

test('A file that is wrong does not touch the others, and hidden files are left out', async () => {
  const directory = await folder();
  await writeFile(`${directory}/a.yaml`, text('a'));
  await writeFile(`${directory}/b.yaml`, 'kind: [');
  await writeFile(`${directory}/.c.yaml`, text('c'));
  const pods = await readStaticFiles(directory, { nodeName: 'n', nowMs: 0 }, silentLogger);
  expect(pods.map(({ metadata }) => metadata.name)).toEqual(['a-n']);
});

test.each(['..', '../x', 'a/../../x', '/x', '.', 'a b'])('A static pod of the uid "%s" is refused', (uid) => {
  const written = text('a').replace('name: a', `name: a, uid: "${uid}"`);
  expect(written).toContain(uid);
  expect(() => readPods(written, origin)).toThrow('metadata.uid: Invalid value');
});

test('A folder that is not there has no pods', async () => {
  expect(await readStaticFiles('/nowhere/at/all', { nodeName: 'n', nowMs: 0 }, silentLogger)).toEqual([]);
});

test('A source tells what is new and what is gone, and keeps everything while it cannot be read', async () => {
  const clock = new FakeClock();
  const told: string[] = [];
  let answer: () => readonly Pod[] = () => readPods(text('a'), origin);
  const source = createStaticSource({
    read: () => Promise.resolve().then(() => answer()),
    periodMs: 1000,
    what: 'a test',
    sink: {
      set: ({ metadata }) => void told.push(`set ${metadata.name}`),
      remove: () => void told.push('remove'),
    },
    clock,
    log: silentLogger,
  });
  expect(source.hasSynced).toBe(false);
  source.start();
  await clock.advance(0);
  await clock.advance(2500);
  expect({ told, hasSynced: source.hasSynced }).toEqual({ told: ['set a-node-1'], hasSynced: true });
  answer = () => {
    throw new Error('the disk is gone');
  };
  await clock.advance(1000);
  expect(told).toHaveLength(1);
  answer = () => readPods(text('b'), origin);
  await clock.advance(1000);
  expect(told).toEqual(['set a-node-1', 'remove', 'set b-node-1']);
  await source.stop();
});
