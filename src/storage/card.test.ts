import { describe, expect, test } from 'vitest';
import { createCards } from './card.ts';

const pod = (index: number, labels: [string, string][]) => ({ key: `/registry/pods/default/pod-number-${index}`, namespace: 'default', name: `pod-number-${index}`, labels, fields: [['spec.nodeName', `n${index}`]] as [string, string][] });

describe('index cards', () => {
  test('answer as maps do', () => {
    const card = createCards()(pod(1, [['app', 'x'], ['tier', 'y'], ['__proto__', 'z']]));
    const map = new Map([['app', 'x'], ['tier', 'y'], ['__proto__', 'z']]);
    expect([...card.labels]).toEqual([...map]);
    expect([...card.labels.keys()]).toEqual([...map.keys()]);
    expect([...card.labels.values()]).toEqual([...map.values()]);
    expect([...card.labels.entries()]).toEqual([...map.entries()]);
    expect(card.labels.size).toBe(3);
    expect([card.labels.get('tier'), card.labels.has('tier'), card.labels.get('none'), card.labels.has('none')]).toEqual(['y', true, undefined, false]);
    const visited: [string, string][] = [];
    card.labels.forEach((value, key) => visited.push([key, value]));
    expect(visited).toEqual([...map]);
    expect(card).toMatchObject({ namespace: 'default', name: 'pod-number-1' });
    expect(card.fields.get('spec.nodeName')).toBe('n1');
  });

  test('share label maps that say the same, and no others', () => {
    const cards = createCards();
    const [first, same, otherValue, otherKey, none] = [
      cards(pod(1, [['app', 'x']])), cards(pod(2, [['app', 'x']])), cards(pod(3, [['app', 'y']])), cards(pod(4, [['ap', 'px']])), cards(pod(5, [])),
    ];
    expect(same.labels).toBe(first.labels);
    expect(otherValue.labels.get('app')).toBe('y');
    expect(otherKey.labels.get('ap')).toBe('px');
    expect(none.labels.size).toBe(0);
  });

  test('stay right when more different labels come than are remembered', () => {
    const cards = createCards();
    const many = Array.from({ length: 10_000 }, (_, index) => cards(pod(index, [['id', String(index)]])));
    expect(many.every(({ labels, name }, index) => labels.get('id') === String(index) && name === `pod-number-${index}`)).toBe(true);
  });

  test('a name that is not the end of the key is taken as it is', () => {
    const card = createCards()({ key: '/registry/x/y', namespace: '', name: 'other', labels: [], fields: [] });
    expect(card.name).toBe('other');
  });
});
