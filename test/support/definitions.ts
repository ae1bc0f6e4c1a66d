/** Definitions of custom resources for tests. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '../../src/api/gen/types/apiextensions-v1.ts';
import type { Replica } from './replica.ts';

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface DefinitionOptions {
  readonly plural?: string;
  readonly kind?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly versions?: readonly Partial<CustomResourceDefinitionVersion>[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

export const objectSchema = (
  properties: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): { openAPIV3Schema: JSONSchemaProps } => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties, ...more } } } as JSONSchemaProps,
});

/** Of `plural.example.com`. The first version is stored. */
export function customDefinition({
  plural = 'widgets',
  kind = 'Widget',
  scope = 'Namespaced',
  versions = [{}],
  spec = {},
}: DefinitionOptions = {}): object {
  const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope,
      names: { plural, kind },
      versions: versions.map((version, i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema: anything,
        ...version,
      })),
      ...spec,
    },
  };
}

/** Creates a definition and waits until it is established. */
export async function establish(replica: Replica, definition: object): Promise<string> {
  const created = await replica.send<CustomResourceDefinition>('POST', definitionsPath, definition);
  if (created.status !== 201) throw new Error(`the definition was refused: ${JSON.stringify(created.body)}`);
  const path = `${definitionsPath}/${created.body.metadata.name!}`;
  await replica.until<CustomResourceDefinition>(path, ({ body }) => isEstablished(body));
  return path;
}

export const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  status.conditions?.some(({ type, status: state }) => type === 'Established' && state === 'True') === true;
