import tseslint from 'typescript-eslint';
import { importX } from 'eslint-plugin-import-x';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';

/**
 * The layers of docs/architecture.md as a table: `from` lists what a folder may not know, and why.
 */
const zones = [
  { target: './src/base', from: './src', except: ['./base'], message: 'base knows no Kubernetes and no network.' },
  {
    target: './src/machinery',
    from: './src',
    except: ['./base', './machinery'],
    message: 'machinery is pure: it is shared by server and clients.',
  },
  {
    target: './src/cel',
    from: './src',
    except: ['./base', './machinery', './cel'],
    message: 'cel is a language over JSON values: what its expressions are about is declared by who compiles them.',
  },
  {
    target: './src/api',
    from: './src',
    except: ['./base', './machinery', './cel', './api'],
    message: 'api is data and pure functions.',
  },
  {
    target: './src/http2',
    from: './src',
    except: ['./base', './http2'],
    message: 'http2 carries bytes and knows nobody who speaks.',
  },
  {
    target: './src/grpc',
    from: './src',
    except: ['./base', './http2', './grpc'],
    message: 'grpc carries messages and knows none.',
  },
  {
    target: './src/etcd',
    from: './src',
    except: ['./base', './http2', './grpc', './etcd'],
    message: "etcd speaks etcd's words over gRPC and needs base, http2 and grpc only.",
  },
  {
    target: './src/server',
    from: './src',
    except: ['./base', './server'],
    message: 'server is what every daemon serves with: it does not know what.',
  },
  {
    target: './src/storage',
    from: './src',
    except: ['./base', './machinery', './http2', './grpc', './etcd', './storage'],
    message: 'storage does not know what the bytes mean.',
  },
  {
    target: './src/registry',
    from: ['./src/apiserver', './src/cmd', './src/client', './src/server', './src/http2', './src/grpc', './src/etcd'],
    message: 'registry knows storage and api, not HTTP.',
  },
  {
    target: './src/apiserver',
    from: ['./src/cmd', './src/etcd'],
    message: 'cmd assembles the server, not the other way round.',
  },
  {
    target: './src/apiserver/filters',
    from: './src/registry',
    message: 'Filters judge who and what from the URL; bodies and objects come later.',
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
  { files: ['src/cmd/**', 'bench/**', 'test/**', 'hack/**'], rules: { 'no-console': 'off' } },
);
