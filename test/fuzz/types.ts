import { schemas } from '../../src/api/schemas.ts';

const idsOf = (name: string): string[] =>
  schemas.typesOf(name).map((type) => (type.includes('.') ? type : `${name}.${type}`));

/** Types whose JSON is an object of their fields; the others are parts of those. */
export const structIds = schemas.packages
  .flatMap(({ name }) => idsOf(name))
  .filter((id) => schemas.type(id).jsonType === undefined && schemas.type(id).alias === undefined);

/** Those that have a message. */
export const messageIds = schemas.packages
  .filter(({ protoPackage }) => protoPackage !== '')
  .flatMap(({ name }) => idsOf(name))
  .filter((id) => structIds.includes(id) && schemas.type(id).noProto !== true);
