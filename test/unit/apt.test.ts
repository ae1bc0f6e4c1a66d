import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findDebianMirror } from '../../hack/lib/apt.mjs';

const security = 'deb http://mirror.example/debian-security bookworm-security main';

const machines = [
  {
    name: 'deb822 sources, as current images have them',
    files: {
      'sources.list.d/debian.sources':
        '# made by hand\nTypes: deb\n# a note\nURIs: http://mirror.example/debian\nSuites: bookworm ' +
        'bookworm-updates\nComponents: main\nSigned-By: /keys/debian.gpg\n\nTypes: deb\nURIs: ' +
        'http://mirror.example/debian-security\nSuites: bookworm-security\nComponents: main\n',
    },
    mirror: { uri: 'http://mirror.example/debian', signedBy: '/keys/debian.gpg' },
  },
  {
    name: 'deb822 sources with folded fields, sources too, and a disabled stanza',
    files: {
      'sources.list.d/a.sources':
        'Types: deb\nURIs: http://off.example/debian\nSuites: trixie\nComponents: main\nEnabled: no\n',
      'sources.list.d/b.sources':
        'Types: deb deb-src\nURIs:\n http://mirror.example/debian/\nSuites: trixie\n trixie-updates\n' +
        'Components: main contrib\nSigned-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n',
    },
    mirror: { uri: 'http://mirror.example/debian/', signedBy: undefined },
  },
  {
    name: 'a classic sources.list',
    files: {
      'sources.list':
        `# comment\n#deb http://old.example/debian bullseye main\n${security}\ndeb http://mirror.example/debian ` +
        `bookworm main contrib # note\ndeb-src http://mirror.example/debian bookworm main\n`,
    },
    mirror: { uri: 'http://mirror.example/debian', signedBy: undefined },
  },
  {
    name: 'a classic line with options, in a part',
    files: {
      'sources.list': '\n',
      'sources.list.d/debian.list':
        'deb [arch=amd64 signed-by=/keys/d.gpg] https://mirror.example/debian stable main\n',
    },
    mirror: { uri: 'https://mirror.example/debian', signedBy: '/keys/d.gpg' },
  },
  {
    name: 'only archives of others',
    files: {
      'sources.list.d/other.list': 'deb https://packages.example/node nodistro main\n',
      'sources.list': `${security}\ndeb http://mirror.example/ubuntu noble main\n`,
    },
    mirror: undefined,
  },
  {
    name: 'files that apt does not read',
    files: { 'sources.list.d/debian.list.disabled': 'deb http://mirror.example/debian stable main\n' },
    mirror: undefined,
  },
  { name: 'no apt at all', files: {}, mirror: undefined },
];

describe("the machine's Debian mirror", () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'orch-apt-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  test.each(machines)("The machine's Debian mirror is found in $name", async ({ files, mirror }) => {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(root, 'etc/apt', name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    expect(findDebianMirror(root)).toEqual(mirror);
  });
});
