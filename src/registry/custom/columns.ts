/**
 * Columns and cells of tables, as a definition names them. @see {@link
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#additional-printer-columns
 * | Additional printer columns}
 */
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
} from '../../api/gen/types/apiextensions-v1.ts';
import { type Column, CUSTOM_RESOURCE_COLUMNS, NAME_COLUMN } from '../../api/columns.ts';
import { ageCell } from '../../api/table/cells.ts';
import { goValue } from '../../machinery/go-format.ts';
import { type JsonPath, parseJsonPath } from '../../machinery/json-path.ts';
import { stringifyJson } from '../../machinery/json/writer.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import type { JsonValue } from '../../machinery/value.ts';
import type { Cell } from '../strategy.ts';

export interface CustomColumns {
  readonly columns: readonly Column[];
  cells(object: KubeObject, now: Date): Cell[];
}

export function createColumns({ additionalPrinterColumns: own = [] }: CustomResourceDefinitionVersion): CustomColumns {
  const name = ({ metadata }: KubeObject): Cell => metadata?.name ?? '';
  if (own.length === 0)
    return {
      columns: CUSTOM_RESOURCE_COLUMNS,
      cells: (object, now) => [name(object), ageCell(object.metadata?.creationTimestamp, now)],
    };
  const readers = own.map(cellOf);
  return {
    columns: [NAME_COLUMN, ...own.map(shownColumn)],
    cells: (object, now) => [name(object), ...readers.map((read) => read(asJson(object), now))],
  };
}

const shownColumn = ({
  name = '',
  type = '',
  format = '',
  description = '',
  priority = 0,
}: CustomResourceColumnDefinition): Column => ({
  name,
  type: type as Column['type'],
  format: format as Column['format'],
  description,
  priority,
});

function cellOf({ type = '', jsonPath = '' }: CustomResourceColumnDefinition): (object: JsonValue, now: Date) => Cell {
  const find: JsonPath | undefined = parseJsonPath(jsonPath);
  return (object, now) => {
    // Paths are simple: where several values are found, the first one stands for them.
    const [value] = find?.(object) ?? [];
    return value === undefined ? null : (cells[type]?.(value, now) ?? null);
  };
}

const cells: Readonly<Record<string, (value: JsonValue, now: Date) => Cell>> = {
  string: (value) =>
    typeof value === 'object' && value !== null
      ? stringifyJson(value)
      : value === null
        ? '<nil>'
        : typeof value === 'string'
          ? value
          : goValue(value),
  integer: (value) =>
    typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? Number(value) : null,
  number: (value) => (typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, now) =>
    typeof value !== 'string' ? null : Number.isNaN(Date.parse(value)) ? '<invalid>' : ageCell(value, now),
};
