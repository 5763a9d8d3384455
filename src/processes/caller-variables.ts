/**
 * What of the caller's own environment reaches whatever skein starts (C-17): agents get nothing else of it, services
 * what they name besides.
 */

/** What a program needs to find its tools, its user's files, its language and its terminal. */
export const callerVariables: readonly string[] = [
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'TERM',
  'TMPDIR',
  'USER',
  'SHELL',
];
