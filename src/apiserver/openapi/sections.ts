/**
 * All operations of a server, in sections: version 3 has a document per section, version 2 one document of them all.
 */
import type { GroupVersionInfo } from '../../api/resources.ts';
import { MEDIA, ok, type Operation } from './operation.ts';
import { basePath, groupTag, groupTitle, resourceOperations } from './operations.ts';

export interface Section {
  /** `apis/apps/v1`: the path below `/openapi/v3/`. */
  readonly key: string;
  readonly operations: readonly Operation[];
}

export function buildSections(served: readonly GroupVersionInfo[]): Section[] {
  const groups = [...new Set(served.map(({ group }) => group))].filter((group) => group !== '');
  return [...SERVER_SECTIONS, ...groups.map(groupSection), ...served.map(versionSection)].sort((a, b) =>
    a.key < b.key ? -1 : 1,
  );
}

function versionSection({ group, version, resources }: GroupVersionInfo): Section {
  const path = basePath(group, version);
  const title = groupTitle(group) + version.charAt(0).toUpperCase() + version.slice(1);
  const discovery = information({
    path: `${path}/`,
    operationId: `get${title}APIResources`,
    tag: groupTag(group, version),
    description: 'get available resources',
    type: 'meta/v1.APIResourceList',
  });
  return { key: path.slice(1), operations: [discovery, ...resources.flatMap(resourceOperations)] };
}

function groupSection(group: string): Section {
  const operation = information({
    path: `/apis/${group}/`,
    operationId: `get${groupTitle(group)}APIGroup`,
    tag: groupTag(group),
    description: 'get information of a group',
    type: 'meta/v1.APIGroup',
  });
  return { key: `apis/${group}`, operations: [operation] };
}

type Information = Pick<Operation, 'path' | 'operationId' | 'tag' | 'description'> & { type: string };

const information = ({ type, ...rest }: Information): Operation => ({
  ...rest,
  method: 'get',
  parameters: [],
  consumes: MEDIA,
  produces: MEDIA,
  responses: ok(type),
});

const SERVER_SECTIONS: readonly Section[] = [
  {
    key: 'api',
    operations: [
      information({
        path: '/api/',
        operationId: 'getCoreAPIVersions',
        tag: 'core',
        description: 'get available API versions',
        type: 'meta/v1.APIVersions',
      }),
    ],
  },
  {
    key: 'apis',
    operations: [
      information({
        path: '/apis/',
        operationId: 'getAPIVersions',
        tag: 'apis',
        description: 'get available API versions',
        type: 'meta/v1.APIGroupList',
      }),
    ],
  },
  {
    key: 'version',
    operations: [
      {
        ...information({
          path: '/version/',
          operationId: 'getCodeVersion',
          tag: 'version',
          description: 'get the version of this server',
          type: 'version.Info',
        }),
        consumes: ['application/json'],
        produces: ['application/json'],
      },
    ],
  },
  {
    key: '.well-known/openid-configuration',
    operations: [
      {
        path: '/.well-known/openid-configuration/',
        method: 'get',
        operationId: 'getServiceAccountIssuerOpenIDConfiguration',
        tag: 'WellKnown',
        description: 'get the OpenID discovery document of the service account issuer',
        parameters: [],
        produces: ['application/json'],
        responses: ok('string'),
      },
    ],
  },
  {
    key: 'openid/v1/jwks',
    operations: [
      {
        path: '/openid/v1/jwks/',
        method: 'get',
        operationId: 'getServiceAccountIssuerOpenIDKeyset',
        tag: 'openid',
        description: 'get the keys that verify service account tokens, as a JSON Web Key Set',
        parameters: [],
        produces: ['application/jwk-set+json'],
        responses: ok('string'),
      },
    ],
  },
];
