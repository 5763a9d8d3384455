/** The variables of a service's process with their provenance, as views show them; pure. */
import type { Variable } from '../configuration/index.ts';
import { MASK } from '../secrets/index.ts';
import type { Service } from '../workspace/index.ts';
import type { ConfigurationEntry } from './run.ts';

/** Secret values are masked (C-2). */
export function configurationEntries(
  service: Service,
  variables: readonly Variable[],
): readonly ConfigurationEntry[] {
  return variables.map(({ name, value, secret }) => {
    const template = service.environment.get(name);
    return {
      variable: name,
      group: '',
      key: name,
      value: secret ? MASK : value,
      secret,
      source: template === undefined ? null : `${template.place.file}:${template.place.line}`,
      delivered: true,
      reason: template === undefined ? 'delivered by skein' : 'the service declares it',
    };
  });
}
