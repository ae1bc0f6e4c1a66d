/**
 * Version v1beta1 of definitions. It is no longer served, but it is what kube-apiserver stores to this day, as JSON:
 * what all versions have in common stands once, beside them.
 */
import { isObject, type JsonObject, type JsonValue } from '../../../machinery/value.ts';

export const oldDefinitionVersion = 'apiextensions.k8s.io/v1beta1';

/** A definition of v1beta1 as one of v1, both as JSON values. */
export function fromOldDefinition(old: JsonObject): JsonObject {
  const spec = isObject(old['spec']) ? fromOldSpec(old['spec']) : {};
  return { ...old, apiVersion: 'apiextensions.k8s.io/v1', spec };
}

function fromOldSpec(old: JsonObject): JsonObject {
  const {
    version,
    versions,
    validation,
    subresources,
    additionalPrinterColumns,
    conversion,
    preserveUnknownFields = true,
    scope = 'Namespaced',
    ...rest
  } = old;
  const common = {
    ...(validation === undefined ? {} : { schema: validation }),
    ...(subresources === undefined ? {} : { subresources }),
    ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns }),
  };
  const own =
    Array.isArray(versions) && versions.length > 0
      ? versions
      : version === undefined
        ? []
        : [{ name: version, served: true, storage: true }];
  return {
    ...rest,
    scope,
    preserveUnknownFields,
    ...(isObject(conversion) ? { conversion: fromOldConversion(conversion) } : {}),
    versions: own.map((each) => (isObject(each) ? withColumns({ ...each, ...common }) : each)),
  };
}

function withColumns(version: JsonObject): JsonObject {
  const { additionalPrinterColumns: columns } = version;
  return Array.isArray(columns) ? { ...version, additionalPrinterColumns: columns.map(renamed) } : version;
}

function renamed(column: JsonValue): JsonValue {
  if (!isObject(column) || column['JSONPath'] === undefined) return column;
  const { JSONPath: jsonPath, ...rest } = column;
  return { ...rest, jsonPath };
}

function fromOldConversion({
  strategy = 'None',
  webhookClientConfig,
  conversionReviewVersions,
}: JsonObject): JsonObject {
  if (strategy !== 'Webhook') return { strategy };
  const clientConfig = webhookClientConfig === undefined ? {} : { clientConfig: webhookClientConfig };
  return { strategy, webhook: { ...clientConfig, conversionReviewVersions: conversionReviewVersions ?? ['v1beta1'] } };
}
