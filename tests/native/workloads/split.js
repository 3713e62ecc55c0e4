// SPDX-License-Identifier: GPL-2.0-or-later
// A profile of JavaScript known by construction: 60 % of the time in heavy, 40 % in light.
//
//	node --perf-basic-prof --no-turbo-inlining split.js SECONDS
//
// prints its pid, and runs for that much CPU time.
'use strict';

function heavy(iterations)
{
	let value = 3;

	for (; iterations > 0; iterations--)
		value = Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(value))));
	return value;
}

function light(iterations)
{
	let value = 3;

	for (; iterations > 0; iterations--)
		value = Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(value))));
	return value;
}

function cpuSeconds()
{
	const usage = process.cpuUsage();

	return (usage.user + usage.system) / 1e6;
}

const seconds = Number(process.argv[2]);

if (!(seconds > 0))
	process.exit(2);
console.log(process.pid);
while (cpuSeconds() < seconds) {
	const part = 5000 + Math.floor(Math.random() * 10000);

	heavy(6 * part);
	light(4 * part);
}
