import { replaysRecordings } from './suite.ts';

replaysRecordings('etcd');
