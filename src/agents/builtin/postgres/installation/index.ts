/** Which PostgreSQL servers there are, and which of them a service gets. */
export { chooseInstallation } from './choose.ts';
export { embeddedPackage, usableEmbedded } from './embedded.ts';
export type { Installation } from './installation.ts';
export { nativeInstallations } from './native.ts';
