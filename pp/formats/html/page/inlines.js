// SPDX-License-Identifier: GPL-2.0-or-later
// The tree without inlined functions: they count for the function whose symbol they are in, as in
// text without --inline.

// merged - nodes that stay: {of: by node of `tree` the one it is in, parent, fn}; those of one
// function below one node are one, wherever inlined functions call them
function merged(tree) {
	const of = new Uint32Array(tree.n), parent = [], fn = [], known = new Map();
	const nFunctions = tree.fn.reduce((most, one) => Math.max(most, one), 0) + 1;
	for (let i = 0; i < tree.n; i++) {
		const above = tree.parent[i] < 0 ? -1 : of[tree.parent[i]];
		if (tree.inlined[i] && above >= 0) {
			of[i] = above;
			continue;
		}
		const key = (above + 1) * nFunctions + tree.fn[i];
		let node = known.get(key);
		if (node === undefined) {
			known.set(key, node = fn.length);
			parent.push(above);
			fn.push(tree.fn[i]);
		}
		of[i] = node;
	}
	return {of, parent, fn};
}

// preorderOf - the place of each node, the heaviest child first; parents stand before children
function preorderOf(parent, weight) {
	const n = parent.length, order = Array.from(parent.keys());
	const size = new Uint32Array(n).fill(1);
	const next = new Uint32Array(n + 1), place = new Uint32Array(n);
	for (let i = n - 1; i >= 0; i--)
		if (parent[i] >= 0)
			size[parent[i]] += size[i];
	order.sort((a, b) => parent[a] - parent[b] || weight[b] - weight[a] || a - b);
	for (const i of order) {
		const above = parent[i];
		place[i] = next[above + 1]++;
		next[above + 1] += size[i] - 1;
		next[i + 1] = place[i] + 1;
	}
	return place;
}

// withoutInlined - {tree, node}: the tree, and the node in it of each entry
function withoutInlined(profile) {
	const {tree, node} = profile.trees.inlined, {of, parent, fn} = merged(tree), n = fn.length;
	const weight = new Float64Array(n);
	profile.kinds[0].at.filter((event) => event >= 0).forEach((event) => {
		const values = profile.entries.of("events", event);
		const all = values.reduce((sum, value) => sum + value, 0) || 1;
		values.forEach((value, i) => {
			weight[of[node[i]]] += value / all;
		});
	});
	for (let i = n - 1; i >= 0; i--)
		if (parent[i] >= 0)
			weight[parent[i]] += weight[i];
	const place = preorderOf(parent, weight);
	const placed = {n, fn: new Uint32Array(n), parent: new Int32Array(n), inlined: null};
	for (let i = 0; i < n; i++) {
		placed.fn[place[i]] = fn[i];
		placed.parent[place[i]] = parent[i] < 0 ? -1 : place[parent[i]];
	}
	return {tree: {...placed, ...spansOf(placed.parent)},
		node: Uint32Array.from(node, (one) => place[of[one]])};
}

// showInlined - take the tree with inlined functions, or the one without
function showInlined(profile, on) {
	if (!on && profile.hasInlined)
		profile.trees.plain ||= withoutInlined(profile);
	const {tree, node} =
		on || !profile.hasInlined ? profile.trees.inlined : profile.trees.plain;
	profile.tree = tree;
	profile.entries.node = node;
}
