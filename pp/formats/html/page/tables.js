// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of functions, images, programs, processes, threads and CPUs.

const ROWS = 50; // that are shown at first, and added by "more"
const NAME = 46; // characters of a name in a table; the whole one is its title

// tableOf - a table of rows in the order of its first column of numbers
// columns: {name, isNumber, of(row), show(row), open(row), share(row), order(row)}
function tableOf(caption, all, rows) {
	const columns = all.filter(({isPath, of}) => !isPath || rows.some((row) => of(row)));
	const body = element("tbody");
	let sort = {column: 0, down: true}, shown = ROWS;
	const more = element("button", {type: "button", className: "more"});
	const heads = columns.map((column, i) => {
		const button = element("button", {type: "button", textContent: column.name});
		button.addEventListener("click", () => {
			const down = sort.column === i ? !sort.down : Boolean(column.isNumber);
			sort = {column: i, down};
			fill();
		});
		return element("th", {scope: "col", className: column.isNumber ? "number" : ""}, button);
	});

	function compare(a, b) {
		const column = columns[sort.column], key = column.order || column.of;
		const x = key(a), y = key(b);
		const order = column.isNumber ? x - y : x < y ? -1 : x > y ? 1 : 0;
		return sort.down ? -order : order;
	}

	function cell(column, row) {
		const text = column.show ? column.show(row) : column.of(row);
		if (column.isNumber) {
			const made = element("td", {className: "number"}, text);
			if (column.share)
				made.style.setProperty("--share", `${column.share(row) * 100}%`);
			if (column.tone)
				made.classList.add(column.tone(row));
			return made;
		}
		const short = column.isPath ? text.slice(text.lastIndexOf("/") + 1)
			: shorten(text, NAME);
		const title = text;
		if (!column.open)
			return element("td", {className: `name ${column.size || ""}`, title}, short);
		const button = element("button", {type: "button", title, textContent: short});
		button.addEventListener("click", () => column.open(row));
		return element("td", {className: "name wide"}, button);
	}

	function fill() {
		rows.sort(compare);
		heads.forEach((head, i) => {
			head.ariaSort = i !== sort.column ? "none" : sort.down ? "descending" : "ascending";
		});
		body.replaceChildren(...rows.slice(0, shown).map((row) =>
			element("tr", {}, ...columns.map((column) => cell(column, row)))));
		more.hidden = rows.length <= shown;
		more.textContent = `Show more (${(rows.length - shown).toLocaleString("en")} left)`;
	}

	more.addEventListener("click", () => {
		shown = shown * 4;
		fill();
	});
	fill();
	const table = element("table", {}, element("caption", {textContent: caption}),
		element("thead", {}, element("tr", {}, ...heads)), body);
	const none = element("p", {className: "none", textContent: `${caption}: none`});
	none.hidden = rows.length > 0;
	table.hidden = !none.hidden;
	return element("div", {className: "scroll"}, table, none, more);
}

// Columns of weights: share and amount; of a comparison: the change, and both shares
function weightColumns(view, key, name) {
	const {parts} = view.tree;
	if (!parts)
		return [
			{name, isNumber: true, of: (row) => row[key][0],
				share: (row) => view.all ? row[key][0] / view.all : 0,
				show: (row) => percent(row[key][0], view.all)},
			{name: view.unitName, isNumber: true, of: (row) => row[key][0],
				show: (row) => amount(row[key][0], view.unit)},
		];
	const share = (row, i) => parts[i].all ? row[key][i] / parts[i].all : 0;
	const change = (row) => view.changeOf(row[key][0], row[key][1]);
	return [
		{name: `${name} change`, isNumber: true, of: (row) => change(row).difference,
			order: (row) => Math.abs(change(row).difference),
			show: (row) => points(change(row).difference),
			tone: (row) => toneOf(change(row))},
		{name: "Old", isNumber: true, of: (row) => share(row, 0),
			show: (row) => percent(row[key][0], parts[0].all)},
		{name: "New", isNumber: true, of: (row) => share(row, 1),
			show: (row) => percent(row[key][1], parts[1].all)},
	];
}

function toneOf({difference, isChance}) {
	return isChance ? "chance" : difference > 0 ? "grown" : "shrunk";
}

// rowsOf - of groups that have a weight in any part; sums: {self, total} of each part
function rowsOf(sums, name) {
	const rows = [];
	for (let i = 0; i < sums[0].total.length; i++)
		if (sums.some(({total}) => total[i]))
			rows.push({at: i, self: sums.map(({self}) => self[i]),
				total: sums.map(({total}) => total[i]), name: name(i)});
	return rows;
}

function functionsTable(view) {
	const {profile} = view;
	const rows = rowsOf(view.sums, (fn) => profile.functions[fn][0])
		.filter((row) => !view.isProgram[row.at] || row.self.some((weight) => weight));
	return tableOf("Functions", [
		...weightColumns(view, "self", "Self"),
		...weightColumns(view, "total", "Total"),
		{name: "Function", of: (row) => row.name, open: (row) => view.open(row.at)},
		{name: "Image", of: (row) => profile.images[profile.functions[row.at][1]][0]},
		{name: "Source", of: (row) => profile.functions[row.at][2] || "", isPath: true},
	], rows);
}

function imagesTable(view) {
	const {profile} = view;
	const imageOf = profile.functions.map(([, image]) => image);
	const sums = view.weights.map((weights) =>
		sumsBy(view.tree, weights, profile.images.length, imageOf));
	return tableOf("Images", [
		...weightColumns(view, "self", "Self"),
		...weightColumns(view, "total", "Total"),
		{name: "Image", of: (row) => row.name},
		{name: "Path", of: (row) => profile.images[row.at][1], size: "wide"},
	], rowsOf(sums, (image) => profile.images[image][0]));
}

// groupedTable - of threads, by what key(thread) and name(thread) say
function groupedTable(view, caption, key, name) {
	const parts = partsOf(view.profile, view.selection);
	const weights = parts.map((part) => sumsByThread(view.profile, view.selection, part));
	const groups = new Map();
	view.profile.threads.forEach((_, thread) => {
		const at = key(thread), own = weights.map((weight) => weight[thread]);
		if (!own.some((weight) => weight))
			return;
		if (!groups.has(at))
			groups.set(at, {name: name(thread), total: parts.map(() => 0)});
		own.forEach((weight, i) => groups.get(at).total[i] += weight);
	});
	return tableOf(caption, [
		...weightColumns(view, "total", "Share"),
		{name: caption, of: (row) => row.name, size: "wide"},
	], [...groups.values()]);
}

// groupingsOf - what threads can be grouped by: {name, key(thread), title(thread)}
function groupingsOf(profile) {
	const field = (i) => (thread) => profile.threads[thread][i];
	const program = (thread) => profile.functions[profile.threads[thread][0]][0];
	const has = (i) => profile.threads.some((thread) => thread[i] >= 0);
	const found = [{name: "Programs", key: field(0), title: program}];
	if (has(1))
		found.push({name: "Processes", key: field(1),
			title: (thread) => `${program(thread)} ${field(1)(thread)}`});
	if (has(2))
		found.push({name: "Threads", key: (thread) => profile.threads[thread].slice(0, 3).join(),
			title: (thread) => threadName(profile, thread)});
	if (has(3))
		found.push({name: "CPUs", key: field(3), title: (thread) => `CPU ${field(3)(thread)}`});
	profile.labels.forEach((name, i) => {
		const value = field(4 + i);
		found.push({name, key: value, title: (thread) => value(thread) ?? `no ${name}`});
	});
	return found;
}

// The tables of a profile: [name, what makes it]
function tablesOf(profile) {
	return [
		["Functions", functionsTable],
		["Images", imagesTable],
		...groupingsOf(profile).map(({name, key, title}) =>
			[name, (view) => groupedTable(view, name, key, title)]),
	];
}

// callLists - the callers and callees of a function, side by side
function callLists(view, fn) {
	const {profile} = view;
	const weights = view.weights.map((weights) =>
		neighbours(view.tree, weights, fn, profile.functions.length));
	const list = (caption, key) => tableOf(caption, [
		...weightColumns(view, "total", "Total"),
		{name: "Function", of: (row) => row.name, open: (row) => view.open(row.at)},
	], rowsOf(weights.map((sums) => ({self: sums[key], total: sums[key]})),
		(at) => profile.functions[at][0]));
	return element("div", {className: "lists"}, list("Callers", "callers"),
		list("Callees", "callees"));
}
