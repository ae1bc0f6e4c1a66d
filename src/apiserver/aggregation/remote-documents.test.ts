/** What servers behind APIServices say of themselves, as discovery and OpenAPI of this server have it then. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { ServedApis } from '../served-apis.ts';
import type { Fetched, Question } from './fetch.ts';
import { RemoteDocuments } from './remote-documents.ts';
import { openApiServices } from './testing/stored-api-services.ts';

const group = 'metrics.example.com';
const name = `v1.${group}`;
const apiVersion = `${group}/v1`;
const specOf = (version: string, more: object = {}): object => ({
  group,
  version,
  groupPriorityMinimum: 100,
  versionPriority: 15,
  service: { namespace: 'default', name: 'metrics' },
  ...more,
});

/** Statuses, JSON values with status 200, or whole answers by path. What is not there is answered with 404. */
type Answers = Readonly<Record<string, number | object | Error | Partial<Fetched>>>;

const ok = { status: 200, contentType: 'application/json', etag: undefined };
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const isAnswer = (value: object): value is Partial<Fetched> => 'body' in value || 'status' in value;

function answerTo(question: Question, answers: Answers): Promise<Fetched> {
  const answer = answers[question.path] ?? 404;
  if (answer instanceof Error) return Promise.reject(answer);
  if (typeof answer === 'number') return Promise.resolve({ ...ok, status: answer, body: '' });
  return Promise.resolve({ ...ok, body: '', ...(isAnswer(answer) ? answer : { body: JSON.stringify(answer) }) });
}

async function start(answers: Answers) {
  const { services, change } = await openApiServices();
  const apis = new ServedApis({ groupVersions: [], resources: new Map() });
  const questions: Question[] = [];
  const server = { answers };
  const documents = new RemoteDocuments({
    services,
    apis,
    fetch: (_, question) => (questions.push(question), answerTo(question, server.answers)),
    queue: { waits: () => () => () => undefined, retries: () => undefined },
    log: silentLogger,
  });
  onTestFinished(() => documents.stop());
  services.start();
  let waiting = { publishes: 0, done: (): void => undefined };
  apis.onChange(() => void (--waiting.publishes === 0 && waiting.done()));
  return {
    documents,
    apis,
    questions,
    /** Another server answers from here on. */
    nowAnswers: (next: Answers) => (server.answers = next),
    /** Each change is published at once, and again with the documents that were fetched then. */
    async change(of: string, spec: object | undefined, publishes = spec === undefined ? 1 : 2): Promise<void> {
      const published = new Promise<void>((done) => (waiting = { publishes, done }));
      await change(of, spec);
      if (publishes > 0) await published;
    },
    remote: () => apis.groupVersions.find((info) => info.apiVersion === apiVersion)?.remote,
  };
}

const things = { resource: 'things', responseKind: { group, version: 'v1', kind: 'Thing' }, verbs: ['get'] };
const aggregated = {
  contentType: aggregatedType,
  body: JSON.stringify({
    items: [{ metadata: { name: group }, versions: [{ version: 'v1', resources: [things] }] }],
  }),
};
const legacy = { resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: [] }] };

describe('discovery of a group version', () => {
  test.each<{ name: string; answers: Answers; freshness: string; resources?: readonly string[]; asked: string[] }>([
    {
      name: 'has the resources of an aggregated document',
      answers: { '/apis': aggregated },
      freshness: 'Current',
      resources: ['things'],
      asked: ['/apis'],
    },
    {
      name: 'has no resources where an aggregated document has no such version',
      answers: { '/apis': { contentType: aggregatedType, body: '{"items":[]}' } },
      freshness: 'Current',
      asked: ['/apis'],
    },
    {
      name: 'has the resources of a list where the server knows no aggregated document',
      answers: { '/apis': { kind: 'APIGroupList' }, [`/apis/${apiVersion}`]: legacy },
      freshness: 'Current',
      resources: ['things'],
      asked: ['/apis', `/apis/${apiVersion}`],
    },
    {
      name: 'has the resources of a list where the server does not allow the aggregated document',
      answers: { '/apis': 403, [`/apis/${apiVersion}`]: legacy },
      freshness: 'Current',
      resources: ['things'],
      asked: ['/apis', `/apis/${apiVersion}`],
    },
    {
      name: 'is stale where the server is overloaded, which is asked nothing more',
      answers: { '/apis': 503, [`/apis/${apiVersion}`]: legacy },
      freshness: 'Stale',
      asked: ['/apis'],
    },
    {
      name: 'is stale where the server refuses the list',
      answers: { '/apis': 404, [`/apis/${apiVersion}`]: 403 },
      freshness: 'Stale',
      asked: ['/apis', `/apis/${apiVersion}`],
    },
    {
      name: 'is stale where the server cannot be reached',
      answers: { '/apis': new Error('connect ECONNREFUSED') },
      freshness: 'Stale',
      asked: ['/apis'],
    },
    {
      name: 'is stale where the document is no JSON',
      answers: { '/apis': { contentType: aggregatedType, body: '{' } },
      freshness: 'Stale',
      asked: ['/apis'],
    },
  ])('Discovery of a group version: $name', async ({ answers, freshness, resources, asked }) => {
    const { change, remote, questions } = await start(answers);
    await change(name, specOf('v1'));
    expect(remote()?.freshness).toBe(freshness);
    expect(remote()?.resources?.map(({ resource }) => resource)).toEqual(resources);
    expect(questions.map(({ path }) => path).filter((path) => path.startsWith('/apis'))).toEqual(asked);
  });

  test('Discovery of a group version is stale until the server was asked', async () => {
    const { change, apis, remote } = await start({ '/apis': aggregated });
    const seen: unknown[] = [];
    apis.onChange(() => seen.push(remote()?.freshness));
    await change(name, specOf('v1'));
    expect(seen).toEqual(['Stale', 'Current']);
  });

  test('Discovery of a group version is stale again, without resources, when the server fails later', async () => {
    const { change, remote, nowAnswers } = await start({ '/apis': aggregated });
    await change(name, specOf('v1'));
    nowAnswers({ '/apis': 503 });
    await change(name, specOf('v1', { versionPriority: 16 }));
    expect(remote()).toEqual({ freshness: 'Stale' });
  });

  test('Discovery of a group version has the priorities of its APIService, and goes with it', async () => {
    const { change, apis } = await start({ '/apis': aggregated });
    await change(name, specOf('v1', { groupPriorityMinimum: 2000, versionPriority: 7 }));
    expect(apis.groupVersions).toMatchObject([{ apiVersion, groupPriority: 2000, versionPriority: 7 }]);
    await change(name, undefined);
    expect(apis.groupVersions).toEqual([]);
  });

  test('Discovery of a group version is not touched by the APIServices of this server', async () => {
    const { change, apis, questions } = await start({ '/apis': aggregated });
    let changes = 0;
    apis.onChange(() => changes++);
    await change(name, specOf('v1', { service: undefined }), 0);
    expect([changes, questions]).toEqual([0, []]);
  });

  test('Discovery of a group version that this server answers from now on is no longer the old one', async () => {
    const { change, apis } = await start({ '/apis': aggregated });
    await change(name, specOf('v1'));
    await change(name, specOf('v1', { service: undefined }), 1);
    expect(apis.groupVersions).toEqual([]);
  });

  test('Discovery of a group version is asked for with every right first, then as every user', async () => {
    const { change, questions } = await start({});
    await change(name, specOf('v1'));
    const rightsOf = (path: string) => questions.find((question) => question.path === path)?.user;
    expect(rightsOf('/apis')).toEqual({ name: 'system:kube-aggregator', groups: ['system:masters'] });
    expect(rightsOf(`/apis/${apiVersion}`)).toEqual({ name: 'system:kube-aggregator', groups: [] });
    expect(rightsOf('/openapi/v3')).toEqual({ name: 'system:aggregator', groups: [] });
    expect(rightsOf('/openapi/v2')).toEqual({ name: 'system:aggregator', groups: [] });
  });
});

describe('the address of an OpenAPI 3 document', () => {
  const path = `/openapi/v3/apis/${apiVersion}`;
  const index = (entry: unknown, key = `apis/${apiVersion}`): object => ({ paths: { [key]: entry } });
  test.each<{ name: string; answer: number | object; address?: string }>([
    { name: 'is that of the index', answer: index({ serverRelativeURL: `${path}?hash=1` }), address: `${path}?hash=1` },
    { name: 'needs no hash', answer: index({ serverRelativeURL: path }), address: path },
    { name: 'is not taken for another path', answer: index({ serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=1' }) },
    { name: 'is not taken for a path that only begins alike', answer: index({ serverRelativeURL: `${path}1?hash=1` }) },
    { name: 'is not taken for another server', answer: index({ serverRelativeURL: `https://a.example.com${path}` }) },
    { name: 'is not taken for another version', answer: index({ serverRelativeURL: path }, 'apis/apps/v1') },
    { name: 'is text', answer: index({ serverRelativeURL: 1 }) },
    { name: 'is absent without an index', answer: 404 },
    {
      name: 'is absent where the index is refused',
      answer: { status: 403, body: JSON.stringify(index({ serverRelativeURL: path })) },
    },
    { name: 'is absent where the index is a list', answer: [] },
    { name: 'is absent where the index is no JSON', answer: { body: '{' } },
  ])('The address of an OpenAPI 3 document: $name', async ({ answer, address }) => {
    const { change, documents } = await start({ '/openapi/v3': answer });
    await change(name, specOf('v1'));
    expect([...documents.openApiPaths()]).toEqual(address === undefined ? [] : [[`apis/${apiVersion}`, address]]);
  });

  test('The address of an OpenAPI 3 document stays while the server cannot be asked', async () => {
    const { change, documents, nowAnswers } = await start({ '/openapi/v3': index({ serverRelativeURL: path }) });
    await change(name, specOf('v1'));
    nowAnswers({ '/openapi/v3': new Error('connect ECONNREFUSED') });
    await change(name, specOf('v1', { versionPriority: 16 }));
    expect([...documents.openApiPaths()]).toEqual([[`apis/${apiVersion}`, path]]);
    nowAnswers({ '/openapi/v3': 404 });
    await change(name, specOf('v1', { versionPriority: 17 }));
    expect([...documents.openApiPaths()]).toEqual([]);
  });

  test('The address of an OpenAPI 3 document goes with the APIService', async () => {
    const { change, documents } = await start({ '/openapi/v3': index({ serverRelativeURL: path }) });
    await change(name, specOf('v1'));
    await change(name, undefined);
    expect([...documents.openApiPaths()]).toEqual([]);
  });
});

describe('the part of an OpenAPI 2.0 document', () => {
  const document = (path: string): string => JSON.stringify({ paths: { [path]: {} } });
  const own = `/apis/${apiVersion}/things`;
  const first = { etag: '"1"', body: document(own) };
  const pathsOf = ({ documents }: Awaited<ReturnType<typeof start>>): string[][] =>
    documents.parts().map(({ paths }) => [...paths.keys()]);

  test.each<{ name: string; second: number | Error | Partial<Fetched>; expected: string[][] }>([
    { name: 'is replaced by a newer one', second: { body: document(`${own}2`) }, expected: [[`${own}2`]] },
    { name: 'stays where there is nothing newer', second: 304, expected: [[own]] },
    { name: 'stays where the server fails', second: 500, expected: [[own]] },
    { name: 'stays where the server cannot be reached', second: new Error('no'), expected: [[own]] },
    { name: 'stays where the newer one is no JSON', second: { body: '{' }, expected: [[own]] },
    { name: 'goes where the server has none any more', second: 404, expected: [] },
    { name: 'goes where the newer one is about other APIs', second: { body: document('/apis/a/v1/b') }, expected: [] },
  ])('The part of an OpenAPI 2.0 document: $name', async ({ second, expected }) => {
    const server = await start({ '/openapi/v2': first });
    await server.change(name, specOf('v1'));
    expect(pathsOf(server)).toEqual([[own]]);
    server.nowAnswers({ '/openapi/v2': second });
    await server.change(name, specOf('v1', { versionPriority: 16 }));
    expect(pathsOf(server)).toEqual(expected);
  });

  test('The part of an OpenAPI 2.0 document is asked for with the current version, also after a failure', async () => {
    const { change, questions, nowAnswers } = await start({ '/openapi/v2': first });
    await change(name, specOf('v1'));
    for (const [i, status] of [500, 304, 404, 404].entries()) {
      nowAnswers({ '/openapi/v2': status });
      await change(name, specOf('v1', { versionPriority: 16 + i }));
    }
    const asked = questions.filter(({ path }) => path === '/openapi/v2').map(({ ifNoneMatch }) => ifNoneMatch);
    expect(asked).toEqual([undefined, '"1"', '"1"', '"1"', undefined]);
  });

  test('The part of an OpenAPI 2.0 document is in the same list as before while nothing changes', async () => {
    const { change, documents, nowAnswers } = await start({ '/openapi/v2': first });
    await change(name, specOf('v1'));
    const before = documents.parts();
    nowAnswers({ '/openapi/v2': 304 });
    await change(name, specOf('v1', { versionPriority: 16 }));
    expect(documents.parts()).toBe(before);
    await change(name, undefined);
    expect(documents.parts()).not.toBe(before);
  });

  test('The part of an OpenAPI 2.0 document is behind those of APIs with higher priority', async () => {
    const paths = ['v1', 'v2', 'v3'].map((version) => `/apis/${group}/${version}/things`);
    const server = await start({ '/openapi/v2': { paths: Object.fromEntries(paths.map((path) => [path, {}])) } });
    await server.change(name, specOf('v1'));
    await server.change(`v2.${group}`, specOf('v2', { versionPriority: 16 }));
    await server.change(`v3.${group}`, specOf('v3', { groupPriorityMinimum: 101, versionPriority: 1 }));
    expect(pathsOf(server)).toEqual([[paths[2]], [paths[1]], [paths[0]]]);
  });
});
