import { describe, expect, test } from 'vitest';
import type { StoredObject } from '../objects.ts';
import { Change } from './change.ts';

function version(revision: number, app: string): StoredObject {
  return {
    key: 'k',
    revision,
    bytes: Buffer.alloc(0),
    attributes: { namespace: '', name: 'k', labels: new Map([['app', app]]), fields: new Map() },
  };
}

const [oldX, oldY, newX, newY] = [version(1, 'x'), version(1, 'y'), version(2, 'x'), version(2, 'y')];

describe('a change as a watcher of app=x sees it', () => {
  test.each([
    { name: 'created within', previous: undefined, object: newX, type: 'ADDED', content: newX },
    { name: 'created outside', previous: undefined, object: newY, type: undefined, content: undefined },
    { name: 'changed within', previous: oldX, object: newX, type: 'MODIFIED', content: newX },
    { name: 'entered', previous: oldY, object: newX, type: 'ADDED', content: newX },
    { name: 'left', previous: oldX, object: newY, type: 'DELETED', content: oldX },
    { name: 'changed outside', previous: oldY, object: newY, type: undefined, content: undefined },
    { name: 'deleted within', previous: oldX, object: undefined, type: 'DELETED', content: oldX },
    { name: 'deleted outside', previous: oldY, object: undefined, type: undefined, content: undefined },
  ])('A change as a watcher of app=x sees it: $name: $type', ({ previous, object, type, content }) => {
    const event = new Change({ key: 'k', revision: 2, object, previous, at: 0 }).eventFor(
      (attributes) => attributes.labels.get('app') === 'x',
    );
    expect(event?.type).toBe(type);
    expect(event?.object).toBe(content);
    if (event !== undefined) expect(event.revision).toBe(2);
  });

  test('All watchers for which a change has the same type get the same event', () => {
    const change = new Change({ key: 'k', revision: 2, object: newX, previous: oldY, at: 0 });
    expect(change.eventFor(undefined)).toBe(change.eventFor((attributes) => attributes.name === 'k'));
    expect(change.eventFor((attributes) => attributes.labels.get('app') === 'x')).not.toBe(change.eventFor(undefined));
  });
});
