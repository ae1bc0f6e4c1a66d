/** The generated schema, for tests of layers that may not know it. */
export { schemas } from '../../src/api/schemas.ts';
