#!/usr/bin/env node
// A handshake that cannot be read.
import { serve } from './speak.mjs';

await serve({ handshake: (path) => `skein|one|${path}` });
