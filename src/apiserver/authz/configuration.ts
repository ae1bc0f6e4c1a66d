import type { ReloadableText } from '../../base/reloadable-file.ts';
import type { TransportConfig } from '../../client/transport-config.ts';
import type { AbacRule } from './abac/policy-file.ts';
import type { ConfiguredWebhook } from './configuration-file.ts';

export type AuthorizerConfig =
  | { readonly type: 'AlwaysAllow' | 'AlwaysDeny' | 'RBAC' | 'Node'; readonly name: string }
  | { readonly type: 'ABAC'; readonly name: string; readonly rules: readonly AbacRule[] }
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookAuthorizerConfig };

export type AuthorizerType = AuthorizerConfig['type'];

export interface WebhookAuthorizerConfig extends Omit<ConfiguredWebhook, 'kubeConfigFile'> {
  readonly connection: TransportConfig;
}

export interface AuthorizationConfig {
  /** In the order in which they are asked. */
  readonly authorizers: readonly AuthorizerConfig[];
  /** A file that they come from and that is read again when it changes; the text has been judged. */
  readonly file?: {
    readonly text: ReloadableText;
    readonly read: (text: string) => Promise<readonly AuthorizerConfig[]>;
  };
}

export const uses = (authorizers: readonly AuthorizerConfig[], type: AuthorizerType): boolean =>
  authorizers.some((authorizer) => authorizer.type === type);
