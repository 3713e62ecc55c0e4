// SPDX-License-Identifier: GPL-2.0-or-later
// What nodes, functions, images, programs and threads weigh in what is selected.

// A selection: event (index), measure ("samples" or "events"), thread (index, or -1: all),
// from and to (microseconds, or null: all of the time)

function isSelected(profile, selection, entry) {
	return selection.thread < 0 || profile.entries.thread[entry] === selection.thread;
}

// eachValue - calls visit(entry, weight) for what is selected
function eachValue(profile, selection, visit) {
	if (selection.from === null) {
		const weights = profile.entries[selection.measure][selection.event];
		for (let i = 0; i < weights.length; i++)
			if (weights[i] && isSelected(profile, selection, i))
				visit(i, weights[i]);
		return;
	}
	const {n, time, entry, event} = profile.moments, {from, to} = selection;
	const weights = profile.moments[selection.measure];
	for (let i = 0; i < n; i++)
		if (event[i] === selection.event && time[i] >= from && time[i] < to &&
		    isSelected(profile, selection, entry[i]))
			visit(entry[i], weights[i]);
}

// isWhole - is it what the program that wrote the page has put nodes in order by?
function isWhole(profile, {event, measure, thread, from}) {
	return event === 0 && thread < 0 && from === null &&
		(measure === "events" || !profile.events[0].weighted);
}

// weigh - the tree with the weight of each node: self, total (with all below it), and all
function weigh(profile, selection) {
	const tree = profile.tree;
	const self = new Float64Array(tree.n);
	let all = 0;
	eachValue(profile, selection, (entry, weight) => {
		self[profile.entries.node[entry]] += weight;
		all += weight;
	});
	const isSorted = isWhole(profile, selection);
	return {...tree, self, total: sumUp(tree, self), all, isSorted};
}

// sumUp - of each node, its own weight and that of all below it
function sumUp(tree, self) {
	const total = Float64Array.from(self);
	for (let i = tree.n - 1; i >= 0; i--)
		if (tree.parent[i] >= 0)
			total[tree.parent[i]] += total[i];
	return total;
}

// sumsBy - self and total of each group, a node's group being group(function); a group that is
// in a call chain more than once counts once
function sumsBy(tree, n, group) {
	const self = new Float64Array(n), total = new Float64Array(n);
	const open = new Uint32Array(n);
	const above = [];
	for (let i = 0; i < tree.n; i++) {
		while (above.length && i >= tree.end[above[above.length - 1]])
			open[group(tree.fn[above.pop()])]--;
		const at = group(tree.fn[i]);
		self[at] += tree.self[i];
		if (!open[at]++)
			total[at] += tree.total[i];
		above.push(i);
	}
	return {self, total};
}

// sumsByThread - the weight of each thread
function sumsByThread(profile, selection) {
	const total = new Float64Array(profile.threads.length);
	eachValue(profile, {...selection, thread: -1}, (entry, weight) => {
		total[profile.entries.thread[entry]] += weight;
	});
	return total;
}

// matchingWeight - of all call chains with a function that matches
function matchingWeight(tree, matches) {
	let weight = 0;
	for (let i = 0; i < tree.n;) {
		if (!matches[tree.fn[i]]) {
			i++;
			continue;
		}
		weight += tree.total[i];
		i = tree.end[i];
	}
	return weight;
}

// neighbours - weights of the callers and callees of a function; a call that is in a call chain
// more than once counts once
function neighbours(tree, fn, n) {
	const callers = new Float64Array(n), callees = new Float64Array(n);
	const openCallers = new Uint32Array(n), openCallees = new Uint32Array(n);
	const above = [];
	for (let i = 0; i < tree.n; i++) {
		while (above.length && i >= tree.end[above[above.length - 1].node]) {
			const {open, other} = above.pop();
			open[other]--;
		}
		const caller = tree.parent[i] < 0 ? -1 : tree.fn[tree.parent[i]];
		if (caller < 0)
			continue;
		if (tree.fn[i] === fn) {
			if (!openCallers[caller]++)
				callers[caller] += tree.total[i];
			above.push({node: i, open: openCallers, other: caller});
		}
		if (caller === fn) {
			if (!openCallees[tree.fn[i]]++)
				callees[tree.fn[i]] += tree.total[i];
			above.push({node: i, open: openCallees, other: tree.fn[i]});
		}
	}
	return {callers, callees};
}

// Groups of an inverted tree below this share of all are not told apart.
const INVERTED_LEAST = 0.0005;

// invert - the tree from the functions that were sampled to their callers
function invert(tree) {
	const fn = [], parent = [], depth = [], end = [], total = [];
	const least = tree.all * INVERTED_LEAST;

	// groups - [function, nodes and their weights] of nodes, the heaviest first
	function groups(list) {
		const by = new Map();
		for (let k = 0; k < list.length; k += 2) {
			const key = tree.fn[list[k]];
			let group = by.get(key);
			if (!group)
				by.set(key, group = {fn: key, list: [], weight: 0});
			group.list.push(list[k], list[k + 1]);
			group.weight += list[k + 1];
		}
		return [...by.values()].sort((a, b) => b.weight - a.weight);
	}

	function callersOf(list) {
		const above = [];
		for (let k = 0; k < list.length; k += 2)
			if (tree.parent[list[k]] >= 0)
				above.push(tree.parent[list[k]], list[k + 1]);
		return above;
	}

	const leaves = [];
	for (let i = 0; i < tree.n; i++)
		if (tree.self[i])
			leaves.push(i, tree.self[i]);
	const todo = groups(leaves).reverse().map((group) => ({...group, parent: -1, depth: 0}));
	while (todo.length) {
		const group = todo.pop(), at = fn.length;
		fn.push(group.fn);
		parent.push(group.parent);
		depth.push(group.depth);
		end.push(at + 1);
		total.push(group.weight);
		if (group.weight < least)
			continue;
		for (const next of groups(callersOf(group.list)).reverse())
			todo.push({...next, parent: at, depth: group.depth + 1});
	}
	for (let i = fn.length - 1; i >= 0; i--)
		if (parent[i] >= 0)
			end[parent[i]] = Math.max(end[parent[i]], end[i]);
	const self = total.map((weight, i) => depth[i] ? 0 : weight);
	return {n: fn.length, fn, parent, depth, end, total, self, all: tree.all, isSorted: true};
}
