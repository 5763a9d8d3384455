/** Words of services and agents that stand in what skein says itself: causes, failures, last lines. */
import { hasAnsi, stripAnsi } from '../../processes/index.ts';

/** Without escape sequences, so that nothing in them steers the terminal; one left open ends with its line. */
export function plainText(text: string): string {
  return hasAnsi(text) ? text.split('\n').map(stripAnsi).join('\n') : text;
}
