/** The watch of config maps over a real store: what its stream begins with. Each is over at once by its timeout. */
import { describe, expect, test } from 'vitest';
import { type Answer, type EndpointsServer, type Json, startEndpoints } from '../testing/endpoints-server.ts';

const collection = '/api/v1/namespaces/x/configmaps';
const over = 'watch=true&timeoutSeconds=-1';

/** A server with config maps `a` and `b`, and the version of each. */
async function start(): Promise<{ server: EndpointsServer; versions: readonly string[] }> {
  const server = await startEndpoints();
  const versions: string[] = [];
  for (const name of ['a', 'b']) {
    const { metadata } = await server.done('POST', collection, { metadata: { name, labels: { name } } });
    versions.push((metadata as Json)['resourceVersion'] as string);
  }
  return { server, versions };
}

const eventsOf = ({ text }: Answer): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; object: Json })
    .map(({ type, object }) => `${type} ${String((object['metadata'] as Json)['name'])}`);

describe('a watch begins', () => {
  test.each([
    { name: 'with all objects where no version is named', query: '', events: ['ADDED a', 'ADDED b'] },
    { name: 'with all objects at version 0', query: '&resourceVersion=0', events: ['ADDED a', 'ADDED b'] },
    { name: 'with what came after a version', query: '&resourceVersion=FIRST', events: ['ADDED b'] },
    { name: 'with nothing at the last version', query: '&resourceVersion=LAST', events: [] },
    { name: 'with the objects that are selected by label', query: '&labelSelector=name%3Db', events: ['ADDED b'] },
    { name: 'with the object of a name', query: '&fieldSelector=metadata.name%3Da', events: ['ADDED a'] },
  ])('A watch begins $name', async ({ query, events }) => {
    const { server, versions } = await start();
    const [first = '', last = ''] = versions;
    const target = `${collection}?${over}${query.replace('FIRST', first).replace('LAST', last)}`;
    const answer = await server.send('GET', target);
    expect(answer.status).toBe(200);
    expect(eventsOf(answer)).toEqual(events);
  });
});

describe('a watch is refused', () => {
  test.each([
    { name: 'with a version that is no number', query: '&resourceVersion=x', status: 500 },
    { name: 'with a selector that cannot be read', query: '&labelSelector=%3D%3D', status: 400 },
    { name: 'with a way to match versions', query: '&resourceVersionMatch=Exact&resourceVersion=1', status: 422 },
    { name: 'with initial events where the server has none', query: '&sendInitialEvents=true', status: 422 },
  ])('A watch is refused: $name', async ({ query, status }) => {
    const { server } = await start();
    expect((await server.send('GET', `${collection}?${over}${query}`)).status).toBe(status);
  });
});
