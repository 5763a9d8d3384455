#!/usr/bin/env node
// Speaks a protocol that nobody asked for.
import { serve } from './speak.mjs';

await serve({ handshake: (path) => `skein|2|unix:${path}` });
