// Writes src/api/gen/ from proto/: the schema as data, descriptions, and TypeScript types; and the messages of
// protocols whose .proto file lies beside the code that speaks them.
// Run it after a change under proto/ (`npm run generate`); `--check` writes nothing, names the files that are stale and
// exits with 1, which is how `npm run verify` notices a forgotten run.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPackages } from './generate/read.mjs';
import { schemaFile } from './generate/schema.mjs';
import { descriptionsFile } from './generate/descriptions.mjs';
import { typeFiles } from './generate/types.mjs';
import { wireFile } from './generate/wire.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = path.join(root, 'src/api/gen');
/** Protocol → generated file. */
const protocols = {
  'src/node-agent/runtime/cri.proto': 'src/node-agent/runtime/gen/cri.ts',
  'src/node-agent/plugin-registration/registration.proto': 'src/node-agent/plugin-registration/gen/registration.ts',
  'src/node-agent/volumes/csi/csi.proto': 'src/node-agent/volumes/csi/gen/csi.ts',
  'src/node-agent/resources/devices/device-plugin.proto': 'src/node-agent/resources/devices/gen/device-plugin.ts',
  'src/node-agent/resources/pod-resources/pod-resources.proto':
    'src/node-agent/resources/pod-resources/gen/pod-resources.ts',
  'src/node-agent/resources/dra/dra-plugin.proto': 'src/node-agent/resources/dra/gen/dra-plugin.ts',
};

/** Path below `src/api/gen` → content. */
function generate() {
  const packages = readPackages(path.join(root, 'proto'));
  return new Map([
    ['schema.ts', schemaFile(packages)],
    ['descriptions.ts', descriptionsFile(packages)],
    ...typeFiles(packages),
  ]);
}

const existing = () =>
  existsSync(target)
    ? readdirSync(target, { recursive: true })
        .map((name) => name.replaceAll('\\', '/'))
        .filter((name) => name.endsWith('.ts'))
    : [];

const read = (name) =>
  existsSync(path.join(target, name)) ? readFileSync(path.join(target, name), 'utf8') : undefined;

const files = generate();
const stale = [
  ...[...files].filter(([name, content]) => read(name) !== content).map(([name]) => name),
  ...existing().filter((name) => !files.has(name)),
];
const staleProtocols = Object.entries(protocols)
  .map(([from, to]) => ({ to, content: wireFile(path.join(root, from)) }))
  .filter(
    ({ to, content }) => !existsSync(path.join(root, to)) || readFileSync(path.join(root, to), 'utf8') !== content,
  );

if (process.argv.includes('--check')) {
  for (const name of stale) console.error(`src/api/gen/${name} does not match proto/: run "npm run generate"`);
  for (const { to } of staleProtocols) console.error(`${to} does not match its protocol: run "npm run generate"`);
  process.exitCode = stale.length + staleProtocols.length === 0 ? 0 : 1;
} else {
  for (const name of stale) {
    const file = path.join(target, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (files.has(name)) writeFileSync(file, files.get(name));
    else rmSync(file);
  }
  for (const { to, content } of staleProtocols) {
    mkdirSync(path.dirname(path.join(root, to)), { recursive: true });
    writeFileSync(path.join(root, to), content);
  }
  console.log(`src/api/gen: ${stale.length} of ${files.size} files written`);
}
