import { readdirSync } from 'node:fs';
import tseslint from 'typescript-eslint';
import { importX } from 'eslint-plugin-import-x';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import titles from './hack/lib/test-titles.mjs';

/** A package that sees these packages of ours and no others. */
const only = (target, seen, message) => ({
  target: `./src/${target}`,
  from: './src',
  except: [`./${target}`, ...seen.map((name) => `./${name}`)],
  message,
});

/** A package that does not see these. */
const not = (target, hidden, message) => ({
  target: `./src/${target}`,
  from: hidden.map((name) => `./src/${name}`),
  message,
});

/**
 * The layers of docs/architecture.md as a table: `from` lists what a folder may not know, and why.
 */
const zones = [
  only('base', [], 'base knows no Kubernetes and no network.'),
  only('machinery', ['base'], 'machinery is pure: it is shared by servers and clients.'),
  only(
    'cel',
    ['base', 'machinery'],
    'cel is a language over JSON values: what its expressions are about is declared by its callers.',
  ),
  only('pki', ['base', 'machinery'], 'pki is keys, certificates and certificate requests.'),
  only('api', ['base', 'machinery', 'cel', 'pki'], 'api is data and pure functions.'),
  only('http2', ['base'], 'http2 carries bytes and knows none of the protocols above it.'),
  only('spdy', ['base'], 'spdy carries bytes and knows none of the protocols above it.'),
  only('grpc', ['base', 'http2'], 'grpc carries messages and knows none.'),
  only('dbus', ['base'], 'dbus carries messages and knows none.'),
  only('etcd', ['base', 'http2', 'grpc'], "etcd speaks etcd's words over gRPC."),
  only(
    'reconcile',
    ['base', 'machinery'],
    'reconcile knows keys and objects; where they come from is a source that it is given.',
  ),
  only(
    'client',
    ['base', 'machinery', 'http2', 'api', 'pki', 'reconcile'],
    'client knows the API by its wire format alone.',
  ),
  only('auth', ['base', 'machinery', 'cel', 'pki', 'api'], 'auth is shared by all daemons that serve.'),
  only(
    'server',
    ['base', 'machinery', 'http2', 'grpc', 'auth', 'reconcile'],
    'server is what every daemon serves with: it does not know what.',
  ),
  only('storage', ['base', 'machinery', 'http2', 'grpc', 'etcd'], 'storage does not know what the bytes mean.'),
  not(
    'registry',
    ['apiserver', 'cmd', 'client', 'server', 'auth', 'http2', 'grpc', 'etcd'],
    'registry knows storage and api, not HTTP.',
  ),
  not(
    'apiserver',
    ['cmd', 'etcd', 'controllers', 'scheduler', 'node-agent'],
    'cmd assembles the server, not the other way round.',
  ),
  not(
    'cmd/flags/shared',
    ['cmd/flags/api-server', 'apiserver', 'registry', 'storage', 'etcd'],
    'Flags that daemons share know nothing of the API server.',
  ),
  ...[
    ['controllers', []],
    ['scheduler', []],
    // The shutdown of the machine is told on its message bus.
    ['node-agent', ['dbus']],
  ].map(([daemon, more]) =>
    only(
      daemon,
      ['client', 'reconcile', 'server', 'auth', 'pki', 'api', 'cel', 'machinery', 'grpc', 'spdy', 'base', ...more],
      'A daemon knows the API server by its API alone.',
    ),
  ),
  {
    target: './src/apiserver/filters',
    from: './src/registry',
    message: 'Filters judge by the URL and the caller; bodies and objects come later.',
  },
];

/**
 * The folders of the API server from the bottom to the top: what each of them sees of the others, and what it is. A row
 * sees rows above it only, so no two folders see each other. `config.ts`, `request-chain.ts` and `api-server.ts` are
 * seen by `assembly` alone.
 */
const apiServerFolders = [
  ['request', [], 'request is what is known of a request before anything is decided about it.'],
  ['discovery', [], 'discovery is documents about what is served, made from the list of group versions.'],
  ['openapi', [], 'openapi is documents about types, made from schemas.'],
  ['loopback', [], 'loopback is how the server reads and writes its own API: it knows none of its readers.'],
  ['egress', [], 'egress opens connections through tunnels; what they carry is not known here.'],
  ['webhooks', ['loopback'], 'webhooks calls others; what it is asked for and by which part is not known here.'],
  ['served', ['request'], 'served is what stands behind a resource path, whatever answers there.'],
  ['served-apis.ts', ['request', 'served'], 'served-apis.ts lists what is served; what serves it comes later.'],
  ['representation', ['request', 'served'], 'representation turns objects into answers and knows no verb.'],
  ['authn', ['request', 'webhooks'], 'authn says who sends a request, by objects that it is given a reader for.'],
  ['authz', ['request', 'loopback', 'webhooks'], 'authz says what a user may do, whatever handles the request.'],
  ['audit', ['request', 'representation', 'webhooks'], 'audit records requests and takes no part in them.'],
  ['admission', ['loopback', 'webhooks', 'authz'], 'Admission plugins see no request; some ask webhooks.'],
  [
    'endpoints',
    ['request', 'served', 'served-apis.ts', 'loopback', 'representation', 'authn', 'authz'],
    'endpoints answers requests for resources; who else uses its verbs is not known here.',
  ],
  [
    'metrics',
    ['request', 'served-apis.ts', 'egress', 'authn', 'authz', 'audit', 'admission', 'endpoints'],
    'metrics counts what it is told; the parts that report to it are given it by the assembly.',
  ],
  ['flow-control', ['request'], 'flow-control says which request runs now, and knows nothing of what it does.'],
  [
    'filters',
    ['request', 'representation', 'authn', 'authz', 'audit', 'metrics', 'flow-control'],
    'A filter judges a request before its body is read, and knows nothing of what answers it.',
  ],
  [
    'nonresource',
    ['request', 'served-apis.ts', 'discovery', 'openapi', 'representation', 'endpoints', 'flow-control'],
    'nonresource answers requests that are about no resource.',
  ],
  [
    'aggregation',
    ['request', 'served-apis.ts', 'loopback', 'webhooks', 'metrics', 'nonresource', 'openapi'],
    'aggregation hands requests over to other servers.',
  ],
  ['nodes', ['request', 'served', 'webhooks', 'aggregation'], 'nodes hands requests over to nodes, pods and services.'],
  [
    'custom-resources',
    ['served', 'served-apis.ts', 'loopback', 'webhooks'],
    'custom-resources adds and removes served resources; how they are answered is handed in.',
  ],
  [
    'large-requests',
    [
      'request',
      'served',
      'served-apis.ts',
      'loopback',
      'egress',
      'webhooks',
      'representation',
      'authz',
      'admission',
      'endpoints',
      'custom-resources',
    ],
    'large-requests is the verbs in another thread: it has what a write needs and nothing else.',
  ],
  [
    'bootstrap',
    ['loopback', 'authn', 'authz', 'aggregation'],
    'bootstrap keeps the objects of the server itself, as a client of its API.',
  ],
  ['coordinated-election', ['loopback'], 'coordinated-election elects leaders as a client of the API.'],
  ['health', ['request'], 'Health checks are given what they look at.'],
  [
    'lifecycle',
    ['loopback', 'authn', 'authz', 'metrics', 'aggregation', 'custom-resources', 'bootstrap'],
    'lifecycle starts and ends what runs beside requests, and sees no request.',
  ],
];

/** A folder without a row sees nothing. */
const apiServerZones = () => {
  const root = new URL('src/apiserver/', import.meta.url);
  const known = new Set();
  for (const [folder, seen] of apiServerFolders) {
    const above = seen.filter((name) => !known.has(name));
    if (above.length > 0) throw new Error(`the row of src/apiserver/${folder} sees what has no row above it: ${above}`);
    known.add(folder);
  }
  const others = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'assembly' && !known.has(entry.name))
    .map(({ name }) => [name, [], 'A folder of the API server has a row in apiServerFolders of eslint.config.mjs.']);
  return [...apiServerFolders, ...others].map(([folder, seen, message]) => ({
    target: `./src/apiserver/${folder}`,
    from: './src/apiserver',
    except: [folder, ...seen].map((name) => `./${name}`),
    message,
  }));
};

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'src/**/gen/**', '.cache/**', '.orch/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommended],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [createTypeScriptImportResolver({ alwaysTryTypes: true })],
      'import-x/extensions': ['.ts'],
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      // A message with the source of a function in it is a call without its arguments. These classes have a text.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        {
          allow: [{ from: 'file', name: ['FieldPath', 'PathElement', 'TruncatedText'] }],
          allowAny: true,
          allowArray: true,
          allowBoolean: true,
          allowNever: true,
          allowNullish: true,
          allowNumber: true,
          allowRegExp: true,
        },
      ],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-restricted-paths': [
        'error',
        { basePath: import.meta.dirname, zones: [...zones, ...apiServerZones()] },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"])[accessibility="private"]',
          message: 'Private members are written #name: also the running program keeps them private.',
        },
        {
          selector: ':matches(ClassDeclaration, ClassExpression)[superClass.name="String"]',
          message: 'A class that extends String makes V8 read all texts of the process several times slower.',
        },
      ],
      'prefer-const': 'error',
    },
  },
  // ESLint keeps this rule through version 10; in 11 it is @stylistic/max-len, with the same options.
  {
    files: ['**/*.{ts,mjs,js}'],
    rules: {
      'max-len': [
        'error',
        { code: 120, ignorePattern: String.raw`^\s*(?:\*|//)?\s*https?://\S+$|^import \{ \w+ \} from '` },
      ],
    },
  },
  // `describe` and its file are not beside the line of a failed test, or beside a match of a search.
  { files: ['src/**/*.ts', 'test/**/*.ts'], plugins: { titles }, rules: { 'titles/sentence': 'error' } },
  // A start is read as a list of steps.
  {
    files: ['src/apiserver/api-server.ts', 'src/apiserver/assembly/**'],
    rules: { 'max-lines-per-function': ['error', { max: 40 }] },
  },
  { files: ['src/cmd/**', 'bench/**', 'test/**', 'hack/**'], rules: { 'no-console': 'off' } },
);
