import { expect, test } from 'vitest';
import { jsonBody, yamlBody } from './text-body.ts';

test('A body is read anew at every call', async () => {
  const yaml = await yamlBody(Buffer.from('a: 1'));
  expect(yaml().value()).toEqual({ value: { a: 1 }, problems: [] });
  expect(yaml()).not.toBe(yaml());
  expect(jsonBody(Buffer.from('{"a":1}'))().value()).toEqual({ value: { a: 1 }, problems: [] });
});

test('What is wrong with YAML is told when it is read', async () => {
  const read = await yamlBody(Buffer.from('a: "\\q"'));
  for (let i = 0; i < 2; i++) expect(read).toThrow('yaml: found unknown escape character');
});

test('Other requests are served while a long document is parsed', async () => {
  let turns = 0;
  let reading = true;
  const count = (): void => {
    turns++;
    if (reading) setImmediate(count);
  };
  setImmediate(count);
  await yamlBody(Buffer.from(`[${'a: b, '.repeat(500_000)}]`));
  reading = false;
  expect(turns).toBeGreaterThan(1);
});
