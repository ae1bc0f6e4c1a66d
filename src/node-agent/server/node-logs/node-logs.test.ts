import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import { createApplication, createHandler } from '../application.ts';
import { ask } from '../testing/served-node.ts';
import { fileRoutes } from './file-routes.ts';
import { journalArguments } from './journal.ts';
import { readNodeLogQuery } from './node-log-query.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-node-logs-'));
  await mkdir(path.join(folder, 'log/pods'), { recursive: true });
  await writeFile(path.join(folder, 'log/messages'), 'one\ntwo\n');
  await writeFile(path.join(folder, 'log/a<b'), '');
  await writeFile(path.join(folder, 'secret'), 'secret');
  await symlink('../secret', path.join(folder, 'log/link'));
  await symlink('messages', path.join(folder, 'log/inside'));
  await writeFile(path.join(folder, 'journal'), '#!/bin/sh\nfor a in "$@"; do echo "$a"; done\n');
  await chmod(path.join(folder, 'journal'), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

const get = (target: string, hasQuery = false, journalProgram = path.join(folder, 'journal')) => {
  const router = fileRoutes({ folder: path.join(folder, 'log'), hasQuery, journalProgram });
  return ask(createHandler(createApplication([router], silentLogger)), 'GET', target);
};

describe('The files of /var/log', () => {
  test.each([
    { name: 'a file', target: '/logs/messages', status: 200, text: 'one\ntwo\n' },
    { name: 'a link inside', target: '/logs/inside', status: 200, text: 'one\ntwo\n' },
    { name: 'a link that leads elsewhere', target: '/logs/link', status: 404, text: '404 page not found\n' },
    { name: 'a path that leads elsewhere', target: '/logs/%2e%2e/secret', status: 404, text: '404 page not found\n' },
    { name: 'what is not there', target: '/logs/none', status: 404, text: '404 page not found\n' },
    { name: 'a folder without a slash', target: '/logs/pods', status: 301, text: '' },
    { name: 'the folder itself without a slash', target: '/logs', status: 301, text: '' },
    { name: 'a query where there are none', target: '/logs/messages?query=kubelet', status: 200, text: 'one\ntwo\n' },
  ])('It is answered: $name', async ({ target, status, text }) => {
    const answer = await get(target);
    expect([answer.status, answer.text]).toEqual([status, text]);
  });

  test('A folder is listed, and its names are no markup', async () => {
    const { text, headers } = await get('/logs/');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('<a href="a%3Cb">a&lt;b</a>\n<a href="inside">inside</a>');
    expect(text).toContain('<a href="pods/">pods/</a>');
  });
});

describe('Queries for logs of services', () => {
  test('The journal is asked for them', async () => {
    const { text } = await get(
      '/logs/?query=kubelet&query=containerd&tailLines=5&pattern=a%20b&boot=-1&sinceTime=2026-01-02T03:04:05Z',
      true,
    );
    expect(text.trimEnd().split('\n')).toEqual([
      '--utc',
      '--no-pager',
      '--output=short-precise',
      '--since=2026-01-02 03:04:05',
      '--lines=5',
      '--grep=a b',
      '--boot=-1',
      '--unit=kubelet',
      '--unit=containerd',
    ]);
  });

  test('A machine without a journal says so', async () => {
    const { status, text } = await get('/logs/?query=kubelet', true, '/no/such/program');
    expect([status, text]).toEqual([200, 'the journal of this machine cannot be read: ENOENT\n']);
  });

  test('A name with a slash is a file, which lies in the folder too', async () => {
    expect((await get('/logs/?query=/messages', true)).text).toBe('one\ntwo\n');
    expect((await get('/logs/?query=../secret', true)).status).toBe(404);
  });

  test.each([
    { query: 'query=--file%3Dx', why: '"--file=x" is no name of a service' },
    { query: 'query=a%20b', why: '"a b" is no name of a service' },
    { query: 'query=a&query=b&query=c&query=d&query=e', why: 'at most 4 services' },
    { query: 'query=a&query=/b', why: 'one file, or services' },
    { query: 'query=a&tailLines=x', why: 'tailLines is no number' },
    { query: 'query=a&tailLines=-1', why: 'tailLines must be at least 0' },
    { query: 'query=a&boot=1', why: 'boot must be at most 0' },
    { query: 'query=a&untilTime=x', why: 'untilTime is no time' },
    { query: `query=a&pattern=${'x'.repeat(1025)}`, why: 'a pattern has at most 1024 characters' },
  ])('It is refused: $why', async ({ query, why }) => {
    const { status, text } = await get(`/logs/?${query}`, true);
    expect([status, text]).toEqual([400, `invalid query: ${why}\n`]);
  });

  test('Without a query there is none', () => {
    expect(readNodeLogQuery(new URLSearchParams('tailLines=1'))).toBeUndefined();
    expect(journalArguments(readNodeLogQuery(new URLSearchParams('query=a'))!)).toContain('--unit=a');
  });
});
