import { replaysSection } from './suite.ts';

replaysSection('scheduler-pods');
