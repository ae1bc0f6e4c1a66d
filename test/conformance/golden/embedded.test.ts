import { replaysRecordings } from './suite.ts';

replaysRecordings('embedded');
