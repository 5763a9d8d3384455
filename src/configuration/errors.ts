/** The codes of configuration, SK1101 to SK1199: what each means, and what a person does about it. */
import type { ErrorTable } from '../errors/index.ts';

const forms =
  'Write ${endpoint:module/service/endpoint}, ${self:endpoint} (each with |host, |port, |authority or |url), or ' +
  '${configuration:module/service/group/key}; $${ stands for a plain ${.';

export const configurationErrors: ErrorTable = {
  SK1101: { title: 'a malformed reference', remedy: forms },
  SK1102: { title: 'a reference of an unknown kind', remedy: forms },
  SK1103: {
    title: 'a reference to a secret',
    remedy: 'This version resolves no ${secret:…}; name the variable in `spec.pass-environment` instead.',
  },
  SK1104: {
    title: 'a reference to an unknown service',
    remedy: 'Correct the name; `skein graph` lists the services.',
  },
  SK1105: {
    title: 'a reference to an unknown endpoint',
    remedy: "Name one of the service's endpoints, or an API that exactly one of them speaks.",
  },
  SK1106: {
    title: 'a reference to an endpoint out of reach',
    remedy: 'Give the endpoint `visibility: internal` (any module of the workspace), or drop the reference.',
  },
  SK1107: {
    title: 'an ambiguous reference',
    remedy: 'Name the endpoint itself instead of its API.',
  },
  SK1108: {
    title: 'a reference to the configuration of a service that is no dependency',
    remedy: 'Declare the service under `service-dependencies` with kind `runtime`.',
  },
  SK1110: {
    title: 'a reference without a value',
    remedy: 'The message says what is missing; correct the reference, or what the named service exposes.',
  },
  SK1111: {
    title: 'two values for one variable',
    remedy: 'Rename one of the two: letter case, `-`, `_` and `/` do not tell variables apart.',
  },
  SK1112: {
    title: 'a name that no variable can have',
    remedy: 'Use letters, digits, `-`, `_` and `/`, beginning with a letter.',
  },
  SK1113: {
    title: 'a variable that is not yours to set',
    remedy: 'Names beginning with SKEIN__ carry what skein delivers; choose another name.',
  },
  SK1120: {
    title: 'an agent exposed a malformed configuration',
    remedy: 'The agent must give each group a name and at least one value, and each key once.',
  },
};
