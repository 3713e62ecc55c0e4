// SPDX-License-Identifier: GPL-2.0-or-later
// Names and numbers for people.

const UNITS = {
	nanoseconds: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
	bytes: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]],
};

// amount - a weight, in the unit of its event if events are shown
function amount(weight, unit) {
	const scale = UNITS[unit];
	if (!scale)
		return Math.round(weight).toLocaleString("en");
	const [size, name] = scale.find(([size]) => weight >= size) || scale[scale.length - 1];
	return `${(weight / size).toLocaleString("en", {maximumFractionDigits: 2})} ${name}`;
}

function percent(weight, all) {
	return all ? `${(weight / all * 100).toFixed(2)} %` : "0.00 %";
}

// threadName - "program 70/71"
function threadName(profile, index) {
	const [program, pid, tid] = profile.threads[index];
	const name = profile.functions[program][0];
	if (pid < 0)
		return name;
	return tid < 0 ? `${name} ${pid}` : `${name} ${pid}/${tid}`;
}

// matcher - what a search looks for: part of a name, whatever its case, or /regex/; throws if
// the expression is wrong
function matcher(text) {
	const expression = /^\/(.+)\/$/.exec(text);
	if (expression) {
		const regex = new RegExp(expression[1]);
		return (name) => regex.test(name);
	}
	const part = text.toLowerCase();
	return (name) => name.toLowerCase().includes(part);
}

// element - <tag> with properties, and children that are elements or text
function element(tag, properties, ...children) {
	const made = Object.assign(document.createElement(tag), properties);
	made.append(...children);
	return made;
}
