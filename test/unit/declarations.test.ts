/** What users of the library compile against. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { afterEach, beforeEach, expect, test } from 'vitest';

const source = path.resolve(import.meta.dirname, '../../src');
const options: ts.CompilerOptions = {
  strict: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  noEmit: true,
  skipDefaultLibCheck: true,
};

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-declarations-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Writes the declarations of a file and of all that they import. @returns their names */
async function declare(file: string): Promise<string[]> {
  const { outputText } = ts.transpileDeclaration(await readFile(path.join(source, file), 'utf8'), {
    compilerOptions: options,
  });
  const target = path.join(directory, file.replace(/\.ts$/, '.d.ts'));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, outputText.replaceAll(/(from '\..*)\.ts'/g, "$1.js'"));
  const imported = new Set(
    [...outputText.matchAll(/from '(\..*\.ts)'/g)].map(([, name]) => path.join(path.dirname(file), name!)),
  );
  return [file, ...(await Promise.all([...imported].map(declare))).flat()];
}

test('The declarations of the library need neither the types of Node nor what is inside', async () => {
  // The port of a platform is about objects of the API.
  expect([...new Set(await declare('index.ts'))].sort()).toEqual([
    'api/gen/types/core-v1.ts',
    'api/gen/types/meta-v1.ts',
    'base/logger.ts',
    'cmd/control-plane-types.ts',
    'controllers/cloud/provider.ts',
    'index.ts',
    'machinery/value.ts',
  ]);
  const user = path.join(directory, 'user.mts');
  await writeFile(
    user,
    `
    import {
      type CloudProvider,
      type ControlPlane,
      type ControlPlaneOptions,
      createControlPlane,
      ImplementedElsewhereError,
      type Logger,
    } from './index.js';
    const cloud: CloudProvider = {
      loadBalancers: {
        getLoadBalancer: () => Promise.resolve(undefined),
        ensureLoadBalancer: ({ metadata }, nodes) =>
          Promise.resolve({ ingress: [{ hostname: String(metadata.name) + nodes.length }] }),
        updateLoadBalancer: () => Promise.reject(new ImplementedElsewhereError()),
        ensureLoadBalancerDeleted: () => Promise.resolve(),
      },
    };
    const options: ControlPlaneOptions = { flags: [], cloud };
    const controlPlane: ControlPlane = await createControlPlane(options);
    export const log: Logger | undefined = options.log;
    export const url: string = controlPlane.url;
    // @ts-expect-error there is no such option
    await createControlPlane({ nope: 1 });
  `,
  );
  const messages = ts
    .getPreEmitDiagnostics(ts.createProgram([user], options))
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  expect(messages).toEqual([]);
});
