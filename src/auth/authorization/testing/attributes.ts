import type { UserInfo } from '../../../machinery/user.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';

export const userNamed = (name: string, ...groups: string[]): UserInfo => ({ name, groups });

/** `get` of a pod in a namespace, unless told otherwise. */
export const attributes = (more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes => ({
  user: userNamed('alice', 'devs'),
  verb: 'get',
  group: '',
  version: 'v1',
  namespace: 'team',
  resource: 'pods',
  subresource: '',
  name: 'p',
  path: '',
  isResourceRequest: true,
  ...more,
});

export const pathAttributes = (path: string, more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes =>
  attributes({
    group: '',
    version: '',
    namespace: '',
    resource: '',
    name: '',
    path,
    isResourceRequest: false,
    ...more,
  });
