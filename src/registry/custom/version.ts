/** One version of a definition, read once: schemas, columns, paths. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../../api/gen/types/apiextensions-v1.ts';
import { parseJson } from '../../machinery/json/reader.ts';
import { stringifyJson } from '../../machinery/json/writer.ts';
import type { JsonObject } from '../../machinery/value.ts';
import { readStructural } from '../../machinery/structural/schema.ts';
import type { VersionSchema } from './codec.ts';

export interface ReadVersion extends VersionSchema {
  readonly name: string;
  readonly version: CustomResourceDefinitionVersion;
  readonly schema: JsonObject;
  readonly hasStatus: boolean;
  /** Where a Scale of the object takes its values from. */
  readonly scale: ScalePaths | undefined;
}

export interface ScalePaths {
  /** `.spec.replicas`, as the definition has it. */
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** '' where there is none. */
  readonly selector: string;
}

export function readVersions({ spec, status }: CustomResourceDefinition): readonly ReadVersion[] {
  const kind = status.acceptedNames.kind ?? spec.names.kind ?? '';
  return (spec.versions ?? []).map((version) => {
    const name = version.name ?? '';
    const schema = schemaOf(version, spec.preserveUnknownFields === true);
    const scale = version.subresources?.scale;
    return {
      name,
      version,
      schema,
      kind,
      apiVersion: `${spec.group ?? ''}/${name}`,
      structural: readStructural(schema),
      hasStatus: version.subresources?.status !== undefined,
      scale:
        scale === undefined
          ? undefined
          : {
              specReplicas: scale.specReplicasPath ?? '',
              statusReplicas: scale.statusReplicasPath ?? '',
              selector: scale.labelSelectorPath ?? '',
            },
    };
  });
}

/**
 * Definitions from before schemas were required have objects of any structure. The copy shares only scalars with the
 * definition.
 */
function schemaOf({ schema }: CustomResourceDefinitionVersion, preserve: boolean): JsonObject {
  const given = parseJson(
    stringifyJson(
      (schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }) as JsonObject,
    ),
  ) as JsonObject;
  return preserve ? { ...given, 'x-kubernetes-preserve-unknown-fields': true } : given;
}

/** `.spec.replicas` as names of members. */
export const membersOf = (path: string): string[] => path.replace(/^\./, '').split('.');
