/**
 * Columns of the tables that the server prints, per kind: one set serves all versions of a kind. How cells are made
 * lies elsewhere; every row has a cell for every column, clients leave out what has a priority above 0 unless asked for
 * more.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables | Resources as
 *   tables}
 */
import { AGE, date, NAME, type Column } from './columns/column.ts';
import { CORE_COLUMNS } from './columns/core.ts';
import { GROUP_COLUMNS } from './columns/groups.ts';

export type { Column };

/** For kinds that are not listed here. */
export const DEFAULT_COLUMNS: readonly Column[] = [NAME, date('Created At', 'When the object was created.')];

/** For custom resources whose definition names no columns. */
export const CUSTOM_RESOURCE_COLUMNS: readonly Column[] = [NAME, date('Age', AGE.description)];

/** The first column of every custom resource. */
export const NAME_COLUMN = NAME;

/** By `group/Kind`; the core group is empty. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = { ...CORE_COLUMNS, ...GROUP_COLUMNS };

/** Columns of a built-in kind; {@link DEFAULT_COLUMNS} where it has none of its own. */
export const columnsOf = (group: string, kind: string): readonly Column[] =>
  COLUMNS[`${group}/${kind}`] ?? DEFAULT_COLUMNS;
