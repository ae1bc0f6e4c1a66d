/**
 * Requests are made as another user, if the server permits that.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation | User
 *   impersonation}
 */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
