/** What a column is, and the ones that most tables have. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  /** `name` marks the column with the object's name. */
  readonly format: '' | 'name';
  readonly description: string;
  readonly priority: number;
}

export const column = (type: Column['type'], name: string, description: string): Column => ({
  name,
  type,
  format: '',
  description,
  priority: 0,
});
export const text = (name: string, description: string): Column => column('string', name, description);
export const integer = (name: string, description: string): Column => column('integer', name, description);
export const boolean = (name: string, description: string): Column => column('boolean', name, description);
export const date = (name: string, description: string): Column => column('date', name, description);
export const wide = (shown: Column): Column => ({ ...shown, priority: 1 });

export const NAME: Column = {
  ...text('Name', 'Name of the object; no other of its kind in the namespace has it.'),
  format: 'name',
};
export const AGE = text('Age', 'Time since the object was created.');
