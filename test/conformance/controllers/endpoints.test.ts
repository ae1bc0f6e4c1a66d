import { replaysSection } from './suite.ts';

replaysSection('controllers-endpoints');
