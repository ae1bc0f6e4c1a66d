import tseslint from 'typescript-eslint';
import { importX } from 'eslint-plugin-import-x';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';

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
  only('grpc', ['base', 'http2'], 'grpc carries messages and knows none.'),
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
    ['base', 'machinery', 'http2', 'auth', 'reconcile'],
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
  ...['controllers', 'scheduler', 'node-agent'].map((daemon) =>
    only(
      daemon,
      ['client', 'reconcile', 'server', 'auth', 'pki', 'api', 'cel', 'machinery', 'grpc', 'base'],
      'A daemon knows the API server by its API alone.',
    ),
  ),
  {
    target: './src/apiserver/filters',
    from: './src/registry',
    message: 'Filters judge by the URL and the caller; bodies and objects come later.',
  },
];

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
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones }],
      'no-console': 'error',
      eqeqeq: 'error',
      'prefer-const': 'error',
    },
  },
  // ESLint keeps this rule through version 10; in 11 it is @stylistic/max-len, with the same options.
  {
    files: ['**/*.{ts,mjs,js}'],
    rules: { 'max-len': ['error', { code: 120, ignorePattern: String.raw`^\s*(?:\*|//)?\s*https?://\S+$` }] },
  },
  // A start is read as a list of steps.
  {
    files: ['src/apiserver/api-server.ts', 'src/apiserver/assembly/**'],
    rules: { 'max-lines-per-function': ['error', { max: 40 }] },
  },
  { files: ['src/cmd/**', 'bench/**', 'test/**', 'hack/**'], rules: { 'no-console': 'off' } },
);
