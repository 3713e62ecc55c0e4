// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of functions, images, programs, processes and threads.

const ROWS = 50; // that are shown at first, and added by "more"

// tableOf - a table of rows {cells, open}, in the order of its first column of numbers
// columns: {name, isNumber, show(row)}
function tableOf(caption, columns, rows, options) {
	const body = element("tbody");
	let sort = {column: 0, down: true}, shown = ROWS;
	const more = element("button", {type: "button", textContent: "Show more"});
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
		const x = columns[sort.column].of(a), y = columns[sort.column].of(b);
		const order = columns[sort.column].isNumber ? x - y : x < y ? -1 : x > y ? 1 : 0;
		return sort.down ? -order : order;
	}

	function cell(column, row) {
		const text = column.show ? column.show(row) : column.of(row);
		if (!column.open)
			return element("td", {className: column.isNumber ? "number" : "name"}, text);
		const button = element("button", {type: "button", textContent: text});
		button.addEventListener("click", () => column.open(row));
		return element("td", {className: "name"}, button);
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
	return element("div", {}, table, options && options.whole ? "" : more);
}

// Columns of weights: share and amount
function weightColumns(view, key, name) {
	return [
		{name, isNumber: true, of: (row) => row[key],
			show: (row) => percent(row[key], view.all)},
		{name: view.unitName, isNumber: true, of: (row) => row[key],
			show: (row) => amount(row[key], view.unit)},
	];
}

// rowsOf - of groups that have a weight
function rowsOf(sums, name) {
	const rows = [];
	for (let i = 0; i < sums.total.length; i++)
		if (sums.total[i])
			rows.push({at: i, self: sums.self[i], total: sums.total[i], name: name(i)});
	return rows;
}

function functionsTable(view) {
	const {profile} = view;
	const sums = sumsBy(view.tree, profile.functions.length, (fn) => fn);
	const rows = rowsOf(sums, (fn) => profile.functions[fn][0])
		.filter((row) => !view.isProgram[row.at] || row.self);
	return tableOf("Functions", [
		...weightColumns(view, "self", "Self"),
		...weightColumns(view, "total", "Total"),
		{name: "Function", of: (row) => row.name, open: (row) => view.open(row.at)},
		{name: "Image", of: (row) => profile.images[profile.functions[row.at][1]][0]},
		{name: "Source", of: (row) => profile.functions[row.at][2] || ""},
	], rows);
}

function imagesTable(view) {
	const {profile} = view;
	const sums = sumsBy(view.tree, profile.images.length, (fn) => profile.functions[fn][1]);
	return tableOf("Images", [
		...weightColumns(view, "self", "Self"),
		...weightColumns(view, "total", "Total"),
		{name: "Image", of: (row) => row.name},
		{name: "Path", of: (row) => profile.images[row.at][1]},
	], rowsOf(sums, (image) => profile.images[image][0]));
}

// groupedTable - of threads, by what key(thread) and name(thread) say
function groupedTable(view, caption, key, name) {
	const weights = sumsByThread(view.profile, view.selection), groups = new Map();
	weights.forEach((weight, thread) => {
		const at = key(thread), group = groups.get(at);
		if (!weight)
			return;
		if (group)
			group.total += weight;
		else
			groups.set(at, {name: name(thread), total: weight});
	});
	return tableOf(caption, [
		...weightColumns(view, "total", "Share"),
		{name: caption, of: (row) => row.name},
	], [...groups.values()]);
}

// The tables of a profile: [name, what makes it]
function tablesOf(profile) {
	const program = (thread) => profile.functions[profile.threads[thread][0]][0];
	const pid = (thread) => profile.threads[thread][1];
	const tables = [
		["Functions", functionsTable],
		["Images", imagesTable],
		["Programs", (view) => groupedTable(view, "Programs", program, program)],
	];
	if (profile.threads.some(([, pid]) => pid >= 0))
		tables.push(["Processes", (view) => groupedTable(view, "Processes", pid,
			(thread) => `${program(thread)} ${pid(thread)}`)]);
	if (profile.threads.some(([, , tid]) => tid >= 0))
		tables.push(["Threads", (view) => groupedTable(view, "Threads", (thread) => thread,
			(thread) => threadName(profile, thread))]);
	return tables;
}

// functionLists - the callers and callees of a function, side by side
function functionLists(view, fn) {
	const {profile} = view, [name, image] = profile.functions[fn];
	const weights = neighbours(view.tree, fn, profile.functions.length);
	const list = (caption, totals) => tableOf(caption, [
		...weightColumns(view, "total", "Total"),
		{name: "Function", of: (row) => row.name, open: (row) => view.open(row.at)},
	], rowsOf({self: totals, total: totals}, (at) => profile.functions[at][0]));
	return [
		element("h2", {tabIndex: -1}, `${name} (${profile.images[image][0]})`),
		element("div", {className: "lists"}, list("Callers", weights.callers),
			list("Callees", weights.callees)),
	];
}
