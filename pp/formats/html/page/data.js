// SPDX-License-Identifier: GPL-2.0-or-later
// The data of the page: see columns.h, which has their format.

// inflate - bytes of deflated base64
async function inflate(text) {
	const characters = atob(text); // which skips ends of lines
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

	// rest - all numbers of the next column
	rest() {
		const end = this.number() + this.at, numbers = [];
		while (this.at < end)
			numbers.push(this.number());
		return numbers;
	}

	// read - the next column; if it is empty, what `instead` makes of an index
	read(array, instead) {
		const end = this.number() + this.at, {bytes} = this;
		const n = array.length, given = end > this.at;
		let at = this.at;
		for (let i = 0; i < n; i++) {
			if (!given) {
				array[i] = instead ? instead(i) : 0;
				continue;
			}
			let value = bytes[at++];
			if (value > 127) {
				let scale = 128, byte;
				value &= 127;
				do {
					byte = bytes[at++];
					value += (byte & 127) * scale;
					scale *= 128;
				} while (byte > 127);
			}
			array[i] = value;
		}
		this.at = at;
		if (at !== end)
			throw new Error("the data are damaged");
		return array;
	}
}

function addUp(array) {
	for (let i = 1; i < array.length; i++)
		array[i] += array[i - 1];
	return array;
}

// parentsOf - the parents (-1: none) of a tree in preorder, of how many levels each node is above
// the one before it
function parentsOf(up) {
	const n = up.length, parent = new Int32Array(n);
	for (let i = 0; i < n; i++) {
		let above = i - 1;
		for (let levels = i ? up[i] : 0; levels > 0; levels--)
			above = parent[above];
		parent[i] = above;
	}
	return parent;
}

// labelsOf - of each node, of the rank of its label below that of its parent, and the labels
function labelsOf(parent, rank, labels) {
	const n = parent.length, label = new Uint32Array(n), below = []; // by label
	let next = 0;
	for (let i = 0; i < n; i++) {
		const above = parent[i] < 0 ? 0 : label[parent[i]];
		const known = below[above] ||= [];
		if (rank[i] === known.length)
			known.push(labels[next++]);
		label[i] = known[rank[i]];
	}
	return label;
}

// readTree - a tree in preorder: n, label, parent (-1: none), depth, the deepest, and end: the
// first node behind all that are below a node
function readTree(columns, n) {
	const parent = parentsOf(columns.read(new Uint32Array(n)));
	const rank = columns.read(new Uint32Array(n));
	return {n, label: labelsOf(parent, rank, columns.rest()), parent, ...spansOf(parent)};
}

// readNodes - the tree of functions: fn and inlined of each node
function readNodes(columns, n) {
	const {label, ...tree} = readTree(columns, n), inlined = new Uint8Array(n);
	for (let i = 0; i < n; i++)
		inlined[i] = label[i] & 1;
	return {...tree, fn: label.map((one) => one >>> 1), inlined};
}

// spansOf - depth, end and deepest of a tree in preorder, by the parents of its nodes
function spansOf(parent) {
	const n = parent.length, depth = new Uint32Array(n), end = new Uint32Array(n);
	let deepest = 0;
	for (let i = 0; i < n; i++) {
		depth[i] = parent[i] < 0 ? 0 : depth[parent[i]] + 1;
		if (depth[i] > deepest)
			deepest = depth[i];
	}
	for (let i = n - 1; i >= 0; i--) {
		if (end[i] <= i)
			end[i] = i + 1;
		const above = parent[i];
		if (above >= 0 && end[above] < end[i])
			end[above] = end[i];
	}
	return {depth, end, deepest};
}

// chainsOf - the chain of each entry, plus 1, or 0
function chainsOf(steps) {
	let chain = 0;
	return steps.map((step) => {
		if (!step)
			return 0;
		chain += step % 2 ? -(step - 1) / 2 : step / 2;
		return chain;
	});
}

// Samples and events of each entry, by event; events of an event with one period are worked out
// when they are asked for.
class Entries {
	constructor(columns, about) {
		this.node = addUp(columns.read(new Uint32Array(about.entries)));
		this.thread = columns.read(new Uint32Array(about.entries));
		this.chain = chainsOf(columns.read(new Uint32Array(about.entries)));
		const {label, ...chains} = readTree(columns, about.chains);
		this.chains = {...chains, place: label};
		this.kinds = about.events;
		this.samples = [];
		this.events = [];
		for (const event of about.events) {
			this.samples.push(columns.read(new Float64Array(about.entries)));
			const n = event.weighted ? about.entries : 0;
			const events = columns.read(new Float64Array(n));
			this.events.push(event.weighted ? events : null);
		}
	}

	// of - "samples" or "events" of an event
	of(measure, event) {
		if (measure === "samples")
			return this.samples[event];
		const period = this.kinds[event].period || 1;
		this.events[event] ||= this.samples[event].map((count) => count * period);
		return this.events[event];
	}
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
	const tree = readNodes(columns, about.nodes);
	const profile = {
		...about,
		kinds: kindsOf(about),
		tree,
		entries: new Entries(columns, about),
		verdicts: about.judged.map(() =>
			columns.read(new Uint32Array(about.functions.length))),
		moments: readMoments(columns, about),
	};
	// the tree with inlined functions, and the one without, once it is wanted
	profile.hasInlined = tree.inlined.includes(1);
	profile.trees = {inlined: {tree: profile.tree, node: profile.entries.node}};
	return profile;
}
