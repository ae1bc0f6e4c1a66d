/**
 * The authenticated user of a request. @see {@link
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authentication-strategies | Authentication}
 */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
