import { replaysSection } from './suite.ts';

replaysSection('scheduler-nodes');
