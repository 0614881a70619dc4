// The page without libraries.

import {start} from './page.js';

start({});
