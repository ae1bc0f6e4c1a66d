/**
 * Debian packages without installing them: downloaded with apt's own verification into a folder, and unpacked.
 * Needs apt-get and dpkg, but no root, and changes nothing of the system.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * The mirror that a machine's apt uses for Debian's main archive.
 *
 * @param {string} [root] where `etc/apt` lies
 * @returns {{ uri: string, signedBy: string | undefined } | undefined}
 */
export function findDebianMirror(root = '/') {
  const folder = path.join(root, 'etc/apt');
  const parts = path.join(folder, 'sources.list.d');
  const files = [
    path.join(folder, 'sources.list'),
    ...(existsSync(parts)
      ? readdirSync(parts)
          .sort()
          .map((name) => path.join(parts, name))
      : []),
  ];
  for (const file of files) {
    if (!existsSync(file)) continue;
    const text = readFileSync(file, 'utf8');
    const sources = file.endsWith('.sources') ? parseStanzas(text) : file.endsWith('.list') ? parseLines(text) : [];
    const found = sources.find(isDebianMain);
    if (found !== undefined) return { uri: found.uri, signedBy: found.signedBy };
  }
  return undefined;
}

/**
 * The format of `*.sources` files (deb822): stanzas of fields, a field can go on in indented lines.
 *
 * @param {string} text
 * @returns {Source[]}
 */
export function parseStanzas(text) {
  return text
    .replaceAll(/^#.*\n?/gm, '')
    .split(/\n\s*\n/)
    .flatMap((stanza) => {
      const fields = new Map();
      for (const [, name, value] of stanza.matchAll(/^([\w-]+):[ \t]*(.*(?:\n[ \t]+.*)*)/gm))
        fields.set(name.toLowerCase(), value.trim().split(/\s+/));
      if (fields.get('enabled')?.[0]?.toLowerCase() === 'no' || !fields.get('types')?.includes('deb')) return [];
      const signedBy = fields.get('signed-by')?.[0];
      return (fields.get('uris') ?? []).map((uri) => ({
        uri,
        suites: fields.get('suites') ?? [],
        components: fields.get('components') ?? [],
        // A key can also be given inline; only a file can be passed on.
        signedBy: signedBy?.startsWith('/') ? signedBy : undefined,
      }));
    });
}

/**
 * The classic format: `deb [options] uri suite component…`, one to a line.
 *
 * @param {string} text
 * @returns {Source[]}
 */
export function parseLines(text) {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+([^#]*)/.exec(line);
    if (match === null) return [];
    const [, options = '', uri, suite, components] = match;
    const signedBy = /(?:^|\s)signed-by=(\S+)/.exec(options)?.[1];
    return [
      {
        uri,
        suites: [suite],
        components: components.trim().split(/\s+/),
        signedBy: signedBy?.startsWith('/') ? signedBy : undefined,
      },
    ];
  });
}

/** Security and third-party archives do not have the packages of main. */
function isDebianMain({ uri, suites, components }) {
  const debianSuite = /^(bullseye|bookworm|trixie|forky|sid|oldstable|stable|testing|unstable)(\/|$)/;
  return components.includes('main') && suites.some((suite) => debianSuite.test(suite)) && !uri.includes('security');
}

/**
 * Downloads a package of a Debian suite and unpacks it below `folder`; the files keep their paths (`usr/bin/…`).
 *
 * @param {{ suite: string, packageName: string, folder: string }} options
 */
export async function unpackDebianPackage({ suite, packageName, folder }) {
  const mirror = findDebianMirror();
  if (mirror === undefined)
    throw new Error('no Debian mirror in /etc/apt: neither sources.list nor sources.list.d names one');
  const state = path.join(folder, 'apt');
  await mkdir(path.join(state, 'lists/partial'), { recursive: true });
  await mkdir(path.join(state, 'cache/archives/partial'), { recursive: true });
  const signedBy = mirror.signedBy ?? (existsSync(keyring) ? keyring : undefined);
  const list = path.join(state, 'sources.list');
  await writeFile(list, `deb ${signedBy === undefined ? '' : `[signed-by=${signedBy}] `}${mirror.uri} ${suite} main\n`);
  const status = path.join(state, 'status');
  await writeFile(status, '');
  const options = {
    'Dir::Etc::sourcelist': list,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::Lists': path.join(state, 'lists'),
    // What is installed here must not count: an installed package with a higher version would be the candidate.
    'Dir::State::status': status,
    'Dir::Cache': path.join(state, 'cache'),
    'APT::Get::List-Cleanup': '0',
    // As root apt would switch to a user without write permission here.
    'APT::Sandbox::User': process.getuid?.() === 0 ? 'root' : '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    'Acquire::http::Timeout': '20',
    'Acquire::https::Timeout': '20',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => (value === '' ? [] : ['-o', `${name}=${value}`]));
  await aptGet([...flags, 'update', '-qq', '--error-on=any'], state);
  await aptGet([...flags, 'download', '-qq', packageName], state);
  const deb = (await readdir(state)).find((name) => name.endsWith('.deb'));
  if (deb === undefined) throw new Error(`apt-get downloaded no package for ${packageName}`);
  await run('dpkg', ['-x', path.join(state, deb), folder]);
  await rm(state, { recursive: true, force: true });
}

async function aptGet(args, cwd) {
  try {
    await run('apt-get', args, { cwd, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error('this machine has no apt-get', { cause: error });
    const said = `${error.stderr ?? ''}`.trim().split('\n').slice(-3).join('\n');
    throw new Error(`apt-get failed: ${said === '' ? error.message : said}`, { cause: error });
  }
}

/** @typedef {{ uri: string, suites: string[], components: string[], signedBy: string | undefined }} Source */
