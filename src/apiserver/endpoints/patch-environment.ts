import type { KubeObject } from '../../machinery/object-meta.ts';
import type { JsonObject } from '../../machinery/value.ts';
import type { EndpointContext } from './context.ts';
import type { ServedResource } from '../served/served-resource.ts';
import type { FieldValidation } from './write-parameters.ts';

/** What a patch of any type needs besides its body. */
export interface PatchEnvironment {
  readonly context: EndpointContext;
  readonly served: ServedResource;
  readonly parameters: { readonly fieldValidation: FieldValidation; readonly force: boolean };
  readonly manager: string;
  readonly warn: (text: string) => void;
  readonly now: Date;
  readonly subresource: string;
  /** A JSON value to a normalized object with defaults. */
  readonly decode: (value: JsonObject | KubeObject) => KubeObject;
}
