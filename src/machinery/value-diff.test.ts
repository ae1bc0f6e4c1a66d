import { expect, test } from 'vitest';
import { formatDiff } from './value-diff.ts';

test('Shows what was removed and added, and nothing that is the same', () => {
  const before = { a: 1, list: [{ name: 'x' }, { name: 'y' }], same: { deep: true } };
  const after = { a: 2, list: [{ name: 'x' }], same: { deep: true }, added: 'v' };
  expect(formatDiff('core.Thing', before, after)).toBe(
    '  core.Thing{\n- \ta: 1,\n+ \ta: 2,\n- \tlist[1]: {"name":"y"},\n+ \tadded: "v",\n  }\n',
  );
});

test('The text of a change of a large object is short', () => {
  const before = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]));
  const text = formatDiff('core.Thing', before, {});
  expect(text.split('\n')).toHaveLength(104);
  expect(text).toContain('200 more lines');
});
