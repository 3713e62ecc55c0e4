// SPDX-License-Identifier: GPL-2.0-or-later
//
// speedscope's own importer, without a browser: reads a profile and prints each profile in it as
// lines "NAME UNIT TOTAL", then "SELF FUNCTION" of the functions with own weight.
//
//	node speedscope.js BUNDLE FILE
//
// BUNDLE: dist/release/speedscope-*.js of the npm package.  The importer is inside of it and is not
// exported, so a handle is put where the program loads it, and the program is given things that
// do nothing for a browser.
'use strict';
const fs = require('fs');
const vm = require('vm');

const [bundle, file] = process.argv.slice(2);
let source = fs.readFileSync(bundle, 'utf8');
const module_ = source.match(/\(([\w$]+),\{[^}]*importProfileGroupFromText:/)[1];
const loading = source.match(new RegExp(
	'Promise\\.resolve\\(\\)\\.then\\(\\(\\)=>\\(([\\w$]+\\(\\)),' +
	module_.replace(/\$/g, '\\$') + '\\)\\)'));

source = source.replace(loading[0],
	() => `(globalThis.importer=()=>(${loading[1]},${module_}),${loading[0]})`);

const anything = new Proxy(function () {}, {
	get: (target, key) => key === Symbol.toPrimitive ? () => '' :
		key === 'then' ? undefined : anything,
	apply: () => anything,
	construct: () => anything,
	set: () => true,
});
const quiet = {log() {}, error() {}, warn() {}, info() {}};
const world = {
	console: quiet, setTimeout, clearTimeout, Promise, TextDecoder, TextEncoder, URL,
	URLSearchParams, performance: {now: () => 0}, document: anything, navigator: anything,
	location: anything, localStorage: anything, history: anything,
	requestAnimationFrame: () => 0, addEventListener() {},
	fetch: () => Promise.reject(new Error('there is no network here')),
};
world.window = world.self = world.globalThis = world;
try {
	vm.runInNewContext(source, world);
} catch (error) {
	// the program itself cannot start without a browser
}

async function main() {
	const group = await world.importer().importProfileGroupFromText(
		file, fs.readFileSync(file, 'utf8'));

	for (const profile of group.profiles) {
		console.log(profile.getName(), profile.getWeightUnit(), profile.getTotalWeight());
		profile.forEachFrame(frame => {
			if (frame.getSelfWeight())
				console.log(frame.getSelfWeight(), frame.name);
		});
	}
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});
