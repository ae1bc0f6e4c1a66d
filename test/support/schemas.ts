/** The generated schema, for tests of `machinery/`, whose code is given one and knows no `api/`. */
export { schemas } from '../../src/api/schemas.ts';
