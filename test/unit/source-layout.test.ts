import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { groupVersions } from '../../src/api/resources.ts';
import { hasDefinition } from '../../src/registry/resource-definitions.ts';

const source = path.resolve(import.meta.dirname, '../../src');
const filesIn = (folder: string): string[] =>
  readdirSync(path.join(source, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)));
const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(path.join(source, file), 'utf8'), ts.ScriptTarget.Latest);

test('The top of src/apiserver has the server, its configuration, its request chain and the APIs it serves', () => {
  const files = readdirSync(new URL('../../src/apiserver/', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ name }) => name);
  expect(files.sort()).toEqual(['api-server.ts', 'config.ts', 'request-chain.ts', 'served-apis.ts']);
});

/** The plural of a resource with the hyphens of its kind: `csistoragecapacities` is `csi-storage-capacities`. */
function kebabCase(resource: string, kind: string): string {
  const words = kind.split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  const starts = new Set(words.map((_, i) => words.slice(0, i).join('').length).slice(1));
  return [...resource].map((letter, i) => (starts.has(i) ? `-${letter}` : letter)).join('');
}

/** `apps/replica-sets`: below `src/api` and `src/registry`, the folder of a group is the first label of its name. */
const folderOf = (group: string, resource: string, kind: string): string =>
  `${group === '' ? 'core' : group.split('.')[0]!}/${kebabCase(resource, kind)}`;

const resources = groupVersions.flatMap(({ group, resources }) =>
  resources.map(({ name, kind }) => ({ group, name, folder: folderOf(group, name, kind) })),
);
const resourceFolders = new Set(resources.map(({ folder }) => folder));

const registry = filesIn('registry').filter((file) => !/\.test\.ts$|\.bench\.ts$|\/testing\//.test(file));
const api = filesIn('api').filter((file) => !file.startsWith('api/gen/'));

/** Members of `Strategy` and `ResourceStrategy`, but for `validate`, which admission plugins have too. */
const strategyMembers = new Set(
  parse('registry/strategy.ts')
    .statements.filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text === 'Strategy' || name.text === 'ResourceStrategy')
    .flatMap(({ members }) => members.map(({ name }) => (name as ts.Identifier).text))
    .filter((name) => name !== 'validate'),
);

/** Whether a file has an object literal with a member of a strategy. */
function definesStrategy(file: string): boolean {
  const isMember = ({ name }: ts.ObjectLiteralElementLike): boolean =>
    name !== undefined && ts.isIdentifier(name) && strategyMembers.has(name.text);
  const contains = (node: ts.Node): boolean =>
    (ts.isObjectLiteralExpression(node) && node.properties.some(isMember)) || ts.forEachChild(node, contains) === true;
  return contains(parse(file));
}

describe('the folders of resources', () => {
  test('Strategies of resources are defined in files called strategy.ts, and in no others', () => {
    expect(strategyMembers).toContain('prepareForCreate');
    expect(registry.filter((file) => path.basename(file) !== 'strategy.ts' && definesStrategy(file))).toEqual([]);
    expect(registry.filter((file) => /.strategy\.ts$/.test(path.basename(file)))).toEqual([]);
  });

  test('Each resource that has a definition has a strategy.ts in its folder', () => {
    const files = new Set(registry);
    // Events are one set of objects that two groups serve: they have one folder.
    const defined = resources.filter(({ group, name }) => hasDefinition(group, name) && group !== 'events.k8s.io');
    const folders = new Set(defined.map(({ folder }) => folder));
    expect(folders.size).toBeGreaterThan(40);
    expect([...folders].filter((folder) => !files.has(`registry/${folder}/strategy.ts`))).toEqual([]);
  });

  test.each(['strategy.ts', 'validation.ts'])('Folders with a %s are plurals of resources in kebab-case', (name) => {
    const folders = [...registry, ...api]
      .filter((file) => path.basename(file) === name)
      .map((file) => path.dirname(file).split('/').slice(1).join('/'))
      .filter((folder) => folder.includes('/'));
    expect(folders.length).toBeGreaterThan(40);
    expect(folders.filter((folder) => !resourceFolders.has(folder))).toEqual([]);
  });

  test('validation.ts is in the folder of a resource', () => {
    const outside = api.filter((file) => path.basename(file) === 'validation.ts' && file.split('/').length !== 4);
    expect(outside).toEqual([]);
  });

  test('Names of resource folders are in kebab-case', () => {
    const names = [...registry, ...api].flatMap((file) => path.dirname(file).split('/'));
    expect(names.filter((name) => !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))).toEqual([]);
  });
});
