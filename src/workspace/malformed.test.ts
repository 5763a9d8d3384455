import { expect, test } from 'vitest';
import { complaintsOf, workspaceFolder } from '../../tests/support/workspace-files.ts';

const svc = (body: string): string => `name: shop\nservices:\n  - name: a\n    agent: process\n${body}`;

/** Title, `workspace.skein.yaml`, and every complaint about it. */
test.each<[string, string, readonly string[]]>([
  [
    'a wrong type',
    'name: [a]\n',
    [
      'SK1011 workspace.skein.yaml:1:7 `name` must be a name: a lower-case letter, then lower-case letters, digits and single dashes, 63 characters at most; found a list',
    ],
  ],
  [
    'a missing name',
    'services: []\n',
    [
      'SK1012 workspace.skein.yaml:1:1 `name` is missing; it must be a name: a lower-case letter, then lower-case letters, digits and single dashes, 63 characters at most',
    ],
  ],
  [
    'W-2 two dashes',
    'name: a--b\n',
    [
      'SK1013 workspace.skein.yaml:1:7 `name` must be a name: a lower-case letter, then lower-case letters, digits and single dashes, 63 characters at most; found `a--b`',
    ],
  ],
  [
    'no mapping',
    '- a\n',
    ['SK1011 workspace.skein.yaml:1:1 the file must be a mapping: a workspace file; found a list'],
  ],
  [
    'an empty value',
    'name: shop\nservices:\n',
    [
      'SK1011 workspace.skein.yaml:2:1 `services` must be a list of services, each a path or a mapping; found nothing',
    ],
  ],
  [
    'an entry of the wrong kind',
    'name: shop\nservices: [42]\n',
    ['SK1011 workspace.skein.yaml:2:12 item 1 of `services` must be a path or a service; found `42`'],
  ],
  [
    'a later key',
    'name: shop\nenvironments: []\n',
    [
      'SK1014 workspace.skein.yaml:2:1 `environments` is not supported yet by this version; `local` exists without being declared',
    ],
  ],
  [
    'a later key of a module',
    'name: shop\nmodules: [{ name: x, services: [], git: u }]\n',
    [
      'SK1014 workspace.skein.yaml:2:36 `git` is not supported yet by this version: write the path of a module as text, or its services inline',
    ],
  ],
  [
    'an unknown key far from all',
    'name: shop\nzzzzzz: 1\n',
    [
      'SK1010 workspace.skein.yaml:2:1 unknown key `zzzzzz`: a workspace file knows `name`, `services`, `modules`',
    ],
  ],
  [
    'a key of an object prototype',
    'name: shop\nconstructor: 1\n',
    [
      'SK1010 workspace.skein.yaml:2:1 unknown key `constructor`: a workspace file knows `name`, `services`, `modules`',
    ],
  ],
  [
    'a job that is always started again',
    svc('    kind: job\n    restart: always\n'),
    [
      'SK1043 workspace.skein.yaml:6:14 `restart: always` is for services: the job shop/a would run again and again, and never have completed',
    ],
  ],
  [
    'a job that is always started again, by its policy',
    svc('    kind: job\n    restart: { policy: always, attempts: 3 }\n'),
    [
      'SK1043 workspace.skein.yaml:6:24 `restart: always` is for services: the job shop/a would run again and again, and never have completed',
    ],
  ],
  [
    'a bad duration',
    svc('    restart: { backoff: 10 s }\n'),
    [
      'SK1011 workspace.skein.yaml:5:25 `backoff` must be a duration such as `250ms`, `10s` or `5m`; found `10 s`',
    ],
  ],
  [
    'a duration that no timer holds',
    svc('    restart: { backoff: 99999m }\n'),
    [
      'SK1011 workspace.skein.yaml:5:25 `backoff` must be a duration such as `250ms`, `10s` or `5m`, of at most 24 days; found `99999m`',
    ],
  ],
  [
    'an unnamed variable',
    svc('    environment: { 1X: a }\n'),
    [
      'SK1011 workspace.skein.yaml:5:20 the key `1X` of `environment` must be the name of a variable: a letter or `_`, then letters, digits and `_`',
    ],
  ],
  [
    'a variable without value',
    svc('    environment:\n      X:\n'),
    ['SK1011 workspace.skein.yaml:6:7 `X` must be text, a number, `true` or `false`; found nothing'],
  ],
  [
    'a number that JSON cannot hold',
    svc('    spec: { big: 12345678901234567890 }\n    environment: { BIG: 12345678901234567890 }\n'),
    [
      'SK1011 workspace.skein.yaml:5:18 the number `12345678901234567890` does not survive as JSON; put it in quotes',
    ],
  ],
  [
    'a port out of range',
    svc('    endpoints: [{ name: http, port: 70000 }]\n'),
    ['SK1011 workspace.skein.yaml:5:37 `port` must be a whole number from 1 to 65535; found `70000`'],
  ],
  [
    'a port that is text',
    svc('    endpoints: [{ name: http, port: "80" }]\n'),
    ['SK1011 workspace.skein.yaml:5:37 `port` must be a whole number from 1 to 65535; found `80`'],
  ],
  [
    'W-7 visibility: module',
    svc('    endpoints: [{ name: http, visibility: module, allow-modules: [x] }]\n'),
    [
      'SK1015 workspace.skein.yaml:5:43 `visibility: module` is refused: write `private` (its own module only) or `internal` (every module of the workspace); who may reach an internal endpoint is derived from the dependencies that consumers declare',
      'SK1015 workspace.skein.yaml:5:51 `allow-modules` is not authored: who may reach an endpoint is derived from the dependencies that consumers declare',
    ],
  ],
  [
    'W-7 a public endpoint without exposure',
    svc('    endpoints: [{ name: http, visibility: public }]\n'),
    [
      'SK1040 workspace.skein.yaml:5:43 the public endpoint `http` must state its `exposure`: `public` (an address reachable from outside) or `none`',
    ],
  ],
  [
    'W-7 an exposed internal endpoint',
    svc('    endpoints: [{ name: http, visibility: internal, exposure: public }]\n'),
    [
      'SK1040 workspace.skein.yaml:5:63 `exposure: public` needs `visibility: public`; the endpoint `http` is internal',
    ],
  ],
  ['W-7 exposure none says nothing false', svc('    endpoints: [{ name: http, exposure: none }]\n'), []],
  [
    'W-7 an endpoint whose api cannot be told',
    svc('    endpoints: [{ name: sql }]\n'),
    [
      'SK1012 workspace.skein.yaml:5:17 `api` is missing, and the name `sql` is none of `http`, `grpc`, `rest`, `connect`, `tcp`, `udp`, which would stand for it',
    ],
  ],
  [
    'R-3 a path on tcp',
    svc('    endpoints: [{ name: tcp, health: { path: / } }]\n'),
    [
      'SK1041 workspace.skein.yaml:5:46 `path` is for `http`, `rest` and `connect`; this endpoint speaks `tcp`',
    ],
  ],
  [
    'R-3 a probe command with a NUL',
    svc('    health: { command: "a\\0b" }\n'),
    [
      'SK1011 workspace.skein.yaml:5:24 `command` must be a command without NUL characters; found `a\u{FFFD}b`',
    ],
  ],
  [
    'R-3 a path on grpc',
    svc('    endpoints: [{ name: grpc, health: { path: / } }]\n'),
    [
      'SK1041 workspace.skein.yaml:5:47 `path` is for `http`, `rest` and `connect`; this endpoint speaks `grpc`',
    ],
  ],
  [
    'R-3 health on udp',
    svc('    endpoints: [{ name: udp, health: { timeout: 1s } }]\n'),
    ['SK1041 workspace.skein.yaml:5:38 an endpoint of `udp` has no health: nothing answers there by rule'],
  ],
  [
    'R-3 statuses without a path',
    svc('    endpoints: [{ name: http, health: { statuses: [200] } }]\n'),
    ['SK1041 workspace.skein.yaml:5:51 `statuses` needs a `path`: none is guessed'],
  ],
  [
    'R-3 a range that runs backwards',
    svc('    endpoints: [{ name: http, health: { path: /, statuses: [300-200] } }]\n'),
    ['SK1041 workspace.skein.yaml:5:61 the range of statuses `300-200` ends before it begins'],
  ],
  [
    'R-3 a status that is none',
    svc('    endpoints: [{ name: http, health: { path: /, statuses: [99, ok] } }]\n'),
    [
      'SK1011 workspace.skein.yaml:5:61 item 1 of `statuses` must be a status from 100 to 599; found `99`',
      'SK1011 workspace.skein.yaml:5:65 item 2 of `statuses` must be a status or a range such as `200-299`; found `ok`',
    ],
  ],
  [
    'R-4 the readiness probe twice',
    svc('    endpoints: [{ name: http, health: { interval: 1s, readiness: { path: /up } } }]\n'),
    [
      'SK1041 workspace.skein.yaml:5:51 `interval` stands beside `readiness`, and the keys of `health` itself are the readiness probe: write them in one place',
    ],
  ],
  [
    'R-4 a probe of its own is judged like the flat one, all of them at once',
    svc(
      '    endpoints: [{ name: tcp, health: { liveness: { path: / }, startup: { services: [a.B], interval: 0s } } }]\n',
    ),
    [
      'SK1041 workspace.skein.yaml:5:58 `path` is for `http`, `rest` and `connect`; this endpoint speaks `tcp`',
      'SK1041 workspace.skein.yaml:5:84 `services` is for `grpc`; this endpoint speaks `tcp`',
      'SK1011 workspace.skein.yaml:5:101 `interval` must be a duration such as `250ms`, `10s` or `5m`, longer than nothing; found `0s`',
    ],
  ],
  [
    'R-4 successes of liveness',
    svc('    endpoints: [{ name: tcp, health: { liveness: { success-threshold: 2 } } }]\n'),
    [
      'SK1015 workspace.skein.yaml:5:52 `success-threshold` is not written for `liveness`: one success ends a row of failures; only `failure-threshold` decides',
    ],
  ],
  [
    'R-4 timing without a command',
    svc('    health: { interval: 1s, liveness: { command: check } }\n'),
    ['SK1041 workspace.skein.yaml:5:25 `interval` needs a `command` to time'],
  ],
  [
    'R-4 health of a service that asks nothing',
    svc('    health: {}\n'),
    ['SK1012 workspace.skein.yaml:5:13 `command` is missing; it must be a command: text, or a list of words'],
  ],
  [
    'R-4 a probe of a service without a command',
    svc('    health: { startup: { interval: 1s } }\n'),
    ['SK1012 workspace.skein.yaml:5:24 `command` is missing; it must be a command: text, or a list of words'],
  ],
  [
    'R-4 health of a job',
    svc(
      '    kind: job\n    health: { command: check }\n    endpoints: [{ name: http, health: { path: / } }]\n',
    ),
    [
      'SK1041 workspace.skein.yaml:6:13 a job has no health: its end says how it went',
      'SK1041 workspace.skein.yaml:7:39 an endpoint of a job has no health: nothing waits for it to answer',
    ],
  ],
  [
    'one fixed port twice',
    svc('    endpoints: [{ name: tcp, port: 99 }, { name: udp, port: 99 }, { name: http, port: 99 }]\n'),
    [
      'SK1042 workspace.skein.yaml:5:75 TCP port 99 is fixed for two endpoints: shop/a/http and shop/a/tcp (workspace.skein.yaml:5:25)',
    ],
  ],
  [
    'an agent path that leaves',
    svc('').replace('agent: process', 'agent: ../x'),
    ["SK1020 workspace.skein.yaml:4:12 the path `../x` leaves the workspace's root ROOT"],
  ],
  [
    'a path with a NUL',
    'name: shop\nservices: ["a\\0b"]\n',
    [
      'SK1011 workspace.skein.yaml:2:12 item 1 of `services` must be a path to the folder of a service; found `a\u{FFFD}b`',
    ],
  ],
])('W-4 %s', async (_title, text, expected) => {
  using folder = workspaceFolder({ 'workspace.skein.yaml': text });
  expect((await complaintsOf(folder.root)).map((line) => line.replaceAll(folder.root, 'ROOT'))).toEqual(
    expected,
  );
});
