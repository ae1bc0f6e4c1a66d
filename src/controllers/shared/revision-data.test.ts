import { describe, expect, it } from 'vitest';
import type { ControllerRevision } from '../../api/gen/types/apps-v1.ts';
import { RawJson } from '../../machinery/value.ts';
import { templateOfRevision, textOfRevision, textOfTemplate } from './revision-data.ts';

const template = {
  metadata: { labels: { app: 'db' } },
  spec: { schedulerName: 'mine', containers: [{ name: 'app', image: 'a<b', resources: {} }] },
};
const text =
  '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"db"}},' +
  '"spec":{"containers":[{"image":"a\\u003cb","name":"app","resources":{}}],"schedulerName":"mine"}}}}';
const revisionOf = (data: unknown): ControllerRevision => ({ metadata: { name: 'r' }, data: data as never });

describe('the data of a revision', () => {
  it('The data of a revision is the patch that Go writes for the template', () =>
    expect(textOfTemplate(template)).toBe(text));

  it.each([
    { name: 'as it was carried', data: new RawJson(text) },
    { name: 'as it was read', data: JSON.parse(text) as unknown },
  ])('The data of a revision is compared $name', ({ data }) => expect(textOfRevision(revisionOf(data))).toBe(text));

  it('The data of a revision has the template that it was made of', () => {
    expect(textOfTemplate(templateOfRevision(revisionOf(JSON.parse(text))))).toBe(text);
  });

  it.each([{ data: undefined }, { data: {} }, { data: { spec: {} } }])(
    'The data of a revision without a template is no revision: $data',
    ({ data }) => expect(() => templateOfRevision(revisionOf(data))).toThrow('has no pod template'),
  );
});
