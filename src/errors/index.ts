export type {
  ErrorCode,
  ErrorTable,
  FilePlace,
  Place,
  RunPlace,
  SkeinErrorOptions,
} from './error.ts';
export { faultsOf, isFilePlace, SkeinError, SkeinFaults, wholeMessage } from './error.ts';
export { nearest } from './nearest.ts';
export { formatPlace, renderError } from './render.ts';
