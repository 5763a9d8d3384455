/** Whether a service is declared as before, wherever in its file; pure. */
import type { Service } from '../workspace/index.ts';

export function sameDefinition(one: Service, other: Service): boolean {
  return text(one) === text(other);
}

/** `spec` is the author's own, and so are its keys; everywhere else `place` is where a thing stands in its file. */
function text({ spec, ...service }: Service): string {
  const rest = JSON.stringify(service, (key, value: unknown) => {
    if (key === 'place') return undefined;
    return value instanceof Map ? [...value] : value;
  });
  return `${JSON.stringify(spec)} ${rest}`;
}
