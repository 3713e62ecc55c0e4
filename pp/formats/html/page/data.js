// SPDX-License-Identifier: GPL-2.0-or-later
// The data of the page: see columns.h, which has their format.

// inflate - bytes of deflated base64
async function inflate(text) {
	const characters = atob(text.replace(/\s+/g, ""));
	const bytes = new Uint8Array(characters.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = characters.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Columns {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	number() {
		let value = 0, scale = 1, byte;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte > 127);
		return value;
	}

	// text - the next column as text
	text() {
		const n = this.number();
		this.at += n;
		return new TextDecoder().decode(this.bytes.subarray(this.at - n, this.at));
	}

	// read - the next column; if it is empty, what `instead` makes of an index
	read(array, instead) {
		const end = this.number() + this.at;
		const given = end > this.at;
		for (let i = 0; i < array.length; i++)
			array[i] = given ? this.number() : instead ? instead(i) : 0;
		if (this.at !== end)
			throw new Error("the data are damaged");
		return array;
	}
}

function addUp(array) {
	for (let i = 1; i < array.length; i++)
		array[i] += array[i - 1];
	return array;
}

// treeOf - a tree in preorder, of how many levels each node is above the one before it:
// parent (-1: none), depth, and end: the first node behind all that are below a node
function treeOf(up, fn) {
	const n = fn.length, parent = new Int32Array(n), depth = new Uint32Array(n);
	const end = new Uint32Array(n);
	for (let i = 0; i < n; i++) {
		let above = i - 1;
		for (let levels = i ? up[i] : 0; levels > 0; levels--)
			above = parent[above];
		parent[i] = above;
		depth[i] = above < 0 ? 0 : depth[above] + 1;
	}
	for (let i = n - 1; i >= 0; i--) {
		end[i] = Math.max(end[i], i + 1);
		if (parent[i] >= 0)
			end[parent[i]] = Math.max(end[parent[i]], end[i]);
	}
	return {n, fn, parent, depth, end};
}

function readEntries(columns, about) {
	const node = addUp(columns.read(new Uint32Array(about.entries)));
	const thread = columns.read(new Uint32Array(about.entries));
	const samples = [], events = [];
	for (const event of about.events) {
		const counts = columns.read(new Float64Array(about.entries));
		const period = event.period || 1;
		samples.push(counts);
		events.push(columns.read(new Float64Array(about.entries),
			(i) => counts[i] * period));
	}
	return {node, thread, samples, events};
}

function readMoments(columns, about) {
	const n = about.moments, kinds = about.events.length;
	const time = addUp(columns.read(new Float64Array(n)));
	const entry = new Uint32Array(n), event = new Uint8Array(n);
	columns.read(new Float64Array(n)).forEach((both, i) => {
		entry[i] = Math.floor(both / kinds);
		event[i] = both % kinds;
	});
	const samples = columns.read(new Float64Array(n));
	const period = (i) => samples[i] * (about.events[event[i]].period || 1);
	return {n, time, entry, event, samples, events: columns.read(new Float64Array(n), period)};
}

// readProfile - the profile in the page
function readProfile(bytes) {
	const columns = new Columns(bytes);
	const about = JSON.parse(columns.text());
	const up = columns.read(new Uint32Array(about.nodes));
	const fn = columns.read(new Uint32Array(about.nodes));
	return {
		...about,
		tree: treeOf(up, fn),
		entries: readEntries(columns, about),
		moments: readMoments(columns, about),
	};
}
