/** The codes of workspace reading, SK1001 to SK1099: what each means, and what a person does about it. */
import type { ErrorTable } from '../errors/index.ts';

export const workspaceErrors: ErrorTable = {
  SK1001: {
    title: 'no workspace found',
    remedy: 'Go to a folder inside a workspace, name one with --cwd, or write a workspace.skein.yaml.',
  },
  SK1002: {
    title: 'a file or folder cannot be read',
    remedy: 'Check that it exists, what kind it is, and its permissions.',
  },
  SK1003: {
    title: 'a file is too large',
    remedy: 'Split it: move services into files of their own and name their paths.',
  },
  SK1004: { title: 'a file is not UTF-8', remedy: 'Save the file as UTF-8.' },
  SK1005: { title: 'a file is not well-formed YAML 1.2', remedy: 'Correct the YAML at the place shown.' },
  SK1006: { title: 'a key is written twice', remedy: 'Remove one of the two, or merge them.' },
  SK1007: {
    title: 'aliases beyond the bounds',
    remedy: 'Write the content out instead of repeating it by alias.',
  },
  SK1008: { title: 'a file is empty', remedy: 'Write at least the name, or remove the file.' },
  SK1010: { title: 'unknown key', remedy: 'Correct or remove the key.' },
  SK1011: {
    title: 'a value of the wrong kind',
    remedy: 'Write the value in the form that the message names.',
  },
  SK1012: { title: 'a key is missing', remedy: 'Add the key.' },
  SK1013: {
    title: 'a bad name',
    remedy:
      'Use a lower-case letter, then lower-case letters, digits and single dashes, 63 characters at most.',
  },
  SK1014: {
    title: 'not supported yet by this version',
    remedy: 'Remove the key, or use a version that supports it.',
  },
  SK1015: { title: 'refused by name', remedy: 'Remove it; the message says what to write instead.' },
  SK1020: {
    title: "a path leaves its module's root",
    remedy: 'Move what it names inside the module, or declare the service in the module that holds it.',
  },
  SK1021: {
    title: 'a path names nothing',
    remedy: 'Correct the path; it is relative to the file that holds it.',
  },
  SK1030: { title: 'a name is declared twice', remedy: 'Rename or remove one of the two.' },
  SK1031: { title: 'no such service', remedy: 'Name a service of the workspace; `skein graph` lists them.' },
  SK1032: {
    title: 'an ambiguous service name',
    remedy: 'Write the service with its module: module/service.',
  },
  SK1040: { title: 'an endpoint contradicts itself', remedy: 'Correct the endpoint as the message says.' },
  SK1041: {
    title: 'health that the endpoint cannot have',
    remedy: 'Correct the health as the message says.',
  },
  SK1042: {
    title: 'one fixed port for two endpoints',
    remedy: 'Change one of the ports, or leave it out: skein derives a stable one.',
  },
  SK1043: {
    title: 'a job that never ends',
    remedy: 'Write `on-failure` or `never`, or make it a service (`kind: service`).',
  },
  SK1050: {
    title: 'a dependency on an unknown service',
    remedy: 'Correct the name, or add the module that holds the service.',
  },
  SK1051: { title: 'a dependency on an unknown endpoint', remedy: "Name one of the producer's endpoints." },
  SK1052: {
    title: 'a dependency on an endpoint out of reach',
    remedy:
      'Give the endpoint `visibility: internal` (any module of the workspace), or drop it from the dependency.',
  },
  SK1053: {
    title: 'a wait that cannot end',
    remedy: 'Wait for `ready` or `started`, or make the producer a job (`kind: job`).',
  },
  SK1054: {
    title: 'a dependency that makes no sense',
    remedy: 'Remove the dependency, or merge it with the other one.',
  },
  SK1060: { title: 'dependencies form a cycle', remedy: 'Remove one of the dependencies on the path.' },
};
