// SPDX-License-Identifier: GPL-2.0-or-later
// What nodes, functions, images, programs and threads weigh in what is selected.

// A selection: event (a name's index in profile.kinds), measure ("samples" or "events"), shown
// (a function of a thread's index, or null: all), range ([from, to] in microseconds, or null: all
// of the time), base (the same, to compare with, or null) and widths ("both", "old" or "new": what a
// comparison draws).

// kindsOf - the events by name, each with its index on each side, or -1
function kindsOf(profile) {
	const kinds = [];
	profile.events.forEach((event, index) => {
		let kind = kinds.find(({name, at}) => name === event.name && at[event.side] < 0);
		if (!kind)
			kinds.push(kind = {name: event.name, at: profile.sides.map(() => -1)});
		kind.at[event.side] = index;
	});
	return kinds;
}

// partsOf - what is compared: [{event, range}...], two or, without a comparison, one
function partsOf(profile, {event, range, base}) {
	const {at} = profile.kinds[event];
	if (at.length > 1)
		return at.map((index) => ({event: index, range: null}));
	return (base ? [base, range] : [range]).map((range) => ({event: at[0], range}));
}

// eachValue - calls visit(entry, weight) for a part of what is selected
function eachValue(profile, {measure, shown}, part, visit) {
	const {entries, moments} = profile, {thread} = entries;
	if (part.event < 0)
		return;
	if (!part.range) {
		const weights = entries.of(measure, part.event);
		for (let i = 0; i < weights.length; i++)
			if (weights[i] && (!shown || shown(thread[i])))
				visit(i, weights[i]);
		return;
	}
	const {n, time, entry, event} = moments, [from, to] = part.range;
	const weights = moments[measure];
	for (let i = 0; i < n; i++)
		if (event[i] === part.event && time[i] >= from && time[i] < to &&
		    (!shown || shown(thread[entry[i]])))
			visit(entry[i], weights[i]);
}

// isWhole - is it what the program that wrote the page has put nodes in order by?
function isWhole(profile, {event, measure, shown, range, base, widths}) {
	return event === 0 && !shown && !range && !base &&
		(profile.sides.length === 1 || widths === "both") &&
		profile.kinds[0].at.every((index) =>
			index >= 0 && (measure === "events" || !profile.events[index].weighted));
}

// secondsOf - how long a part was sampled; 0: it is not known
function secondsOf(profile, {event, range}) {
	if (range)
		return (range[1] - range[0]) / 1e6;
	return event < 0 ? 0 : (profile.sides[profile.events[event].side].duration || 0) / 1e9;
}

// weighPart - self and total of each node in a part, and the sum of all
function weighPart(profile, selection, part) {
	const {tree, entries} = profile, self = new Float64Array(tree.n);
	let all = 0, samples = 0;
	eachValue(profile, selection, part, (entry, weight) => {
		self[entries.node[entry]] += weight;
		all += weight;
	});
	if (selection.measure === "samples")
		samples = all;
	else
		eachValue(profile, {...selection, measure: "samples"}, part, (_, count) => {
			samples += count;
		});
	return {self, total: sumUp(tree, self), all, samples, seconds: secondsOf(profile, part)};
}

// mixed - the shares of parts, each by its factor
function mixed(parts, factors, key) {
	const scale = parts.map(({all}, i) => all ? factors[i] / all : 0);
	return parts[0][key].map((weight, i) => weight * scale[0] + parts[1][key][i] * scale[1]);
}

// weigh - the tree with the weight of each node: self, total (with all below it), and all; of a
// comparison, these are shares, and the weights are in `parts`
function weigh(profile, selection) {
	const parts = partsOf(profile, selection)
		.map((part) => weighPart(profile, selection, part));
	const isSorted = isWhole(profile, selection);
	if (parts.length === 1)
		return {...profile.tree, ...parts[0], parts: null, isSorted};
	const factors = {both: [0.5, 0.5], old: [1, 0], new: [0, 1]}[selection.widths];
	const all = parts.reduce((sum, {all}, i) => sum + (all ? factors[i] : 0), 0);
	return {...profile.tree, parts, isSorted, all, self: mixed(parts, factors, "self"),
		total: mixed(parts, factors, "total")};
}

// sumUp - of each node, its own weight and that of all below it
function sumUp(tree, self) {
	const total = Float64Array.from(self), {parent} = tree;
	for (let i = tree.n - 1; i >= 0; i--)
		if (parent[i] >= 0)
			total[parent[i]] += total[i];
	return total;
}

// sumsBy - self and total of each group of nodes, by groupOf[function]; a group that is in a call
// chain more than once counts once
function sumsBy(tree, weights, n, groupOf) {
	const self = new Float64Array(n), total = new Float64Array(n);
	const open = new Uint32Array(n), {fn, depth} = tree;
	const path = new Uint32Array(tree.deepest + 2); // groups of the nodes above
	let height = 0;
	for (let i = 0; i < tree.n; i++) {
		for (; height > depth[i]; height--)
			open[path[height - 1]]--;
		const at = groupOf ? groupOf[fn[i]] : fn[i];
		self[at] += weights.self[i];
		if (!open[at]++)
			total[at] += weights.total[i];
		path[height++] = at;
	}
	return {self, total};
}

// sumsByThread - the weight of each thread in a part
function sumsByThread(profile, selection, part) {
	const total = new Float64Array(profile.threads.length);
	eachValue(profile, selection, part, (entry, weight) => {
		total[profile.entries.thread[entry]] += weight;
	});
	return total;
}

// sumsByChain - self and total of each chain of places in a part
function sumsByChain(profile, selection, part) {
	const {chain, chains} = profile.entries, self = new Float64Array(chains.n);
	if (chains.n)
		eachValue(profile, selection, part, (entry, weight) => {
			if (chain[entry])
				self[chain[entry] - 1] += weight;
		});
	return {self, total: sumUp(chains, self)};
}

// isIn - whether a part has samples of a function, or of what it calls, inlined or not
function isIn(profile, selection, part, fn) {
	const {tree, node} = profile.trees.inlined, isBelow = new Uint8Array(tree.n);
	let found = false;
	for (let i = 0; i < tree.n; i++)
		isBelow[i] = tree.fn[i] === fn || isBelow[tree.parent[i]];
	eachValue(profile, selection, part, (entry) => {
		found ||= Boolean(isBelow[node[entry]]);
	});
	return found;
}

// sumsByPlace - what places have of their own in a part: of all, and of that within a function and
// what is inlined there
function sumsByPlace(profile, selection, part, fn) {
	const {tree, node} = profile.trees.inlined, {chain, chains} = profile.entries;
	const isWithin = new Uint8Array(tree.n), all = new Map(), within = new Map();
	for (let i = 0; i < tree.n; i++)
		isWithin[i] = tree.fn[i] === fn || (tree.inlined[i] && isWithin[tree.parent[i]]);
	eachValue(profile, selection, part, (entry, weight) => {
		const place = chain[entry] && chains.place[chain[entry] - 1];
		if (!place)
			return;
		all.set(place, (all.get(place) || 0) + weight);
		if (isWithin[node[entry]])
			within.set(place, (within.get(place) || 0) + weight);
	});
	return {all, within};
}

// sumsByRow - self and total of n rows, of sums by chain; rowsAt: [{row, isOwn}...] by place; a row
// that is in a chain more than once counts once
function sumsByRow(chains, sums, rowsAt, n, isInlinedApart) {
	const self = new Float64Array(n), total = new Float64Array(n);
	const open = new Uint32Array(n), above = [];
	for (let i = 0; i < chains.n; i++) {
		while (above.length && i >= above[above.length - 1].end)
			for (const {row} of above.pop().rows)
				open[row]--;
		if (!sums.total[i]) {
			i = chains.end[i] - 1;
			continue;
		}
		const rows = rowsAt.get(chains.place[i]);
		if (!rows)
			continue;
		for (const {row, isOwn} of rows) {
			if (!open[row]++)
				total[row] += sums.total[i];
			if (isOwn || !isInlinedApart)
				self[row] += sums.self[i];
		}
		above.push({end: chains.end[i], rows});
	}
	return {self, total};
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
function neighbours(tree, weights, fn, n) {
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
				callers[caller] += weights.total[i];
			above.push({node: i, open: openCallers, other: caller});
		}
		if (caller === fn) {
			if (!openCallees[tree.fn[i]]++)
				callees[tree.fn[i]] += weights.total[i];
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
	const parts = tree.parts && tree.parts.map(({all}) => ({all, self: [], total: []}));
	const least = tree.all * INVERTED_LEAST;

	// groups - of leaves and the nodes that were reached from them, by function, the heaviest
	// first
	function groups(list) {
		const by = new Map();
		for (let k = 0; k < list.length; k += 2) {
			const key = tree.fn[list[k]];
			let group = by.get(key);
			if (!group)
				by.set(key, group = {fn: key, list: [], weight: 0});
			group.list.push(list[k], list[k + 1]);
			group.weight += tree.self[list[k + 1]];
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

	function add(group) {
		const at = fn.length;
		fn.push(group.fn);
		parent.push(group.parent);
		depth.push(group.depth);
		end.push(at + 1);
		total.push(group.weight);
		if (parts)
			parts.forEach((part, i) => {
				let weight = 0;
				for (let k = 1; k < group.list.length; k += 2)
					weight += tree.parts[i].self[group.list[k]];
				part.total.push(weight);
				part.self.push(group.depth ? 0 : weight);
			});
		return at;
	}

	const leaves = [];
	for (let i = 0; i < tree.n; i++)
		if (tree.self[i])
			leaves.push(i, i);
	const todo = groups(leaves).reverse().map((group) => ({...group, parent: -1, depth: 0}));
	while (todo.length) {
		const group = todo.pop(), at = add(group);
		if (group.weight < least)
			continue;
		for (const next of groups(callersOf(group.list)).reverse())
			todo.push({...next, parent: at, depth: group.depth + 1});
	}
	for (let i = fn.length - 1; i >= 0; i--)
		if (parent[i] >= 0)
			end[parent[i]] = Math.max(end[parent[i]], end[i]);
	const self = total.map((weight, i) => depth[i] ? 0 : weight);
	const deepest = depth.reduce((a, b) => Math.max(a, b), 0);
	return {n: fn.length, fn, parent, depth, end, total, self, all: tree.all, parts, deepest,
		isSorted: true};
}
