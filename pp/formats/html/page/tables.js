// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of functions, images, programs, processes, threads and others: rows of one line, of which
// only those in the window are elements.

const LINE = 20; // pixels of a row's height: --row in style.css
const LETTER = 6.3; // pixels of a letter, about
const NAME_LEAST = 100; // pixels; a table with less room for names has no spare columns

let tablesMade = 0; // for ids

// Columns: {name, width (pixels; none: what is left), isSpare (left out where there is no room),
// isNumber, of(row), show(row), title(row),
// share(row), tone(row), order(row)}
class Table {
	// pick(row, byKey) is what a click, Enter or, if follows, an arrow key does; isChosen(row)
	constructor({caption, columns, rows, pick, isChosen, follows, state}) {
		Object.assign(this, {columns, rows, pick, isChosen, follows});
		this.id = `table-${tablesMade++}`;
		this.sort = {column: 0, down: true, ...state?.sort};
		this.at = -1;
		this.body = element("tbody");
		this.heads = columns.map((column, i) => this.head(column, i));
		this.table = element("table", {tabIndex: 0}, element("caption", {textContent: caption}),
			element("thead", {}, element("tr", {}, ...this.heads)), this.body);
		this.table.setAttribute("role", "grid");
		this.table.setAttribute("aria-rowcount", rows.length + 1);
		this.table.setAttribute("aria-label", caption);
		this.spacer = element("div");
		this.box = element("div", {className: "scroll"}, this.table, this.spacer);
		this.box.addEventListener("scroll", () => this.fill());
		this.body.addEventListener("click", (event) => this.click(event));
		this.table.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.resize()).observe(this.box);
		this.order();
		if (!rows.length)
			this.box.replaceChildren(element("p", {className: "none",
				textContent: `${caption}: none`}));
	}

	head(column, i) {
		const button = element("button", {type: "button", textContent: column.name,
			title: column.hint || ""});
		button.addEventListener("click", () => {
			const {sort} = this;
			const down = sort.column === i ? !sort.down : Boolean(column.isNumber);
			this.sort = {column: i, down};
			this.order();
			this.box.scrollTop = 0;
			this.fill();
		});
		const head = element("th", {scope: "col", className: this.kindOf(column)}, button);
		if (column.width)
			head.style.width = `${column.width}px`;
		return head;
	}

	kindOf({isNumber, isSpare, width}) {
		return `${isNumber ? "number" : width ? "weak" : "name"}${isSpare ? " spare" : ""}`;
	}

	order() {
		const {column: index, down} = this.sort;
		const column = this.columns[index] || this.columns[0];
		const key = column.order || column.of;
		const by = (x, y) => column.isNumber ? x - y : x < y ? -1 : x > y ? 1 : 0;
		const keyed = this.rows.map((row) => ({row, key: key(row)}));
		keyed.sort((a, b) => (down ? -1 : 1) * by(a.key, b.key) ||
			(a.row.name < b.row.name ? -1 : 1));
		this.rows = keyed.map(({row}) => row);
		this.at = this.rows.findIndex((row) => this.isChosen?.(row));
		this.heads.forEach((head, i) => {
			head.ariaSort = i !== index ? "none" : down ? "descending" : "ascending";
		});
	}

	// visible - how many rows the box has room for
	visible() {
		return Math.max(1, Math.floor((this.box.clientHeight - LINE) / LINE));
	}

	first() {
		return Math.min(Math.round(this.box.scrollTop / LINE),
			Math.max(0, this.rows.length - this.visible()));
	}

	// resize - fill it anew if it was filled for another size; rows that stay can be clicked
	resize() {
		const {clientWidth, clientHeight} = this.box;
		if (this.size !== `${clientWidth} ${clientHeight}`)
			this.fill();
	}

	fill() {
		this.size = `${this.box.clientWidth} ${this.box.clientHeight}`;
		const n = this.visible(), first = this.first();
		const rest = Math.max(0, this.rows.length - n);
		this.spacer.style.height = `${rest * LINE}px`;
		const widthOf = (columns) =>
			columns.reduce((sum, {width}) => sum + (width || 0), 0);
		const isNarrow = this.box.clientWidth - widthOf(this.columns) < NAME_LEAST;
		this.box.classList.toggle("narrow", isNarrow);
		const fixed = widthOf(this.columns.filter(({isSpare}) => !(isNarrow && isSpare)));
		this.letters = Math.floor((this.box.clientWidth - fixed - 14) / LETTER);
		this.body.replaceChildren(...this.rows.slice(first, first + n).map((row, i) =>
			this.line(row, first + i)));
		if (this.at >= first && this.at < first + n)
			this.table.setAttribute("aria-activedescendant", `${this.id}-${this.at}`);
		else
			this.table.removeAttribute("aria-activedescendant");
	}

	line(row, i) {
		const properties = {id: `${this.id}-${i}`, className: i === this.at ? "at" : ""};
		const line = element("tr", properties,
			...this.columns.map((column) => this.cell(column, row)));
		line.setAttribute("aria-rowindex", i + 2);
		line.ariaSelected = String(Boolean(this.isChosen?.(row)));
		line.dataset.row = i;
		return line;
	}

	cell(column, row) {
		const text = String(column.show ? column.show(row) : column.of(row));
		const title = column.title ? column.title(row) : text;
		if (!column.isNumber) {
			const letters = column.width ? (column.width - 12) / LETTER : this.letters;
			return element("td", {className: this.kindOf(column), title},
				shorten(text, Math.max(6, Math.floor(letters))));
		}
		const made = element("td", {className: this.kindOf(column), title}, text);
		if (column.share)
			made.style.setProperty("--share", `${column.share(row) * 100}%`);
		if (column.tone)
			made.classList.add(column.tone(row));
		return made;
	}

	click(event) {
		const line = event.target.closest("tr");
		if (!line)
			return;
		this.at = Number(line.dataset.row);
		this.pick(this.rows[this.at], false);
		this.fill();
	}

	key(event) {
		const page = this.visible() - 1;
		const step = {ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page,
			Home: -Infinity, End: Infinity}[event.key];
		if (event.target !== this.table || event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === "Enter" && this.at >= 0) {
			event.preventDefault();
			this.pick(this.rows[this.at], true);
			this.fill();
		}
		if (!step)
			return;
		event.preventDefault();
		this.at = Math.min(this.rows.length - 1, Math.max(0, this.at + step));
		this.reveal();
		if (this.follows)
			this.pick(this.rows[this.at], true);
		this.fill();
	}

	// reveal - scroll the box, and nothing else, to the row
	reveal() {
		const first = this.first(), n = this.visible();
		if (this.at >= 0 && this.at < first)
			this.box.scrollTop = this.at * LINE;
		else if (this.at >= first + n)
			this.box.scrollTop = (this.at - n + 1) * LINE;
	}

	// choose - mark the row that isChosen() now says, and show it
	choose() {
		this.at = this.rows.findIndex((row) => this.isChosen?.(row));
		this.reveal();
		this.fill();
	}
}

// Columns of weights: share and amount; of a comparison: old, new, and the change
function weightColumns(view, key, name, hint) {
	const {difference} = view;
	if (!difference)
		return [
			{name, hint, isNumber: true, width: 74, of: (row) => row[key][0],
				share: (row) => view.all ? row[key][0] / view.all : 0,
				title: (row) => view.exact(row[key][0], 0),
				show: (row) => percent(row[key][0], view.all)},
			{name: view.amountName, hint, isNumber: true, width: 70, isSpare: true,
				of: (row) => row[key][0],
				title: (row) => view.exact(row[key][0], 0),
				show: (row) => amount(row[key][0], view.unit)},
		];
	const verdict = (row) => view.verdicts.of(row.fn, key);
	const change = (row) => difference.of(row[key][0], row[key][1], verdict(row));
	const side = (title, i) => ({name: title, hint: `${name}, ${hint}`, isNumber: true,
		width: 66, isSpare: true, of: (row) => row[key][i],
		title: (row) => view.exact(row[key][i], i),
		show: (row) => difference.value(row[key][i], i)});
	return [
		{name: `${name} ±`, isNumber: true, width: 94, of: (row) => change(row).difference,
			hint: `Change of ${name.toLowerCase()}; ${view.profile.chance}`,
			order: (row) => Math.abs(change(row).difference),
			title: (row) => view.weightText(name.toLowerCase(), row[key], verdict(row)),
			show: (row) => difference.text(change(row)),
			tone: (row) => toneOf(change(row))},
		side("Old", 0), side("New", 1),
	];
}

function toneOf({difference, verdict}) {
	return verdict !== CHANGE ? "chance" : difference > 0 ? "grown" : "shrunk";
}

const SELF = "in the function itself", TOTAL = "with what it calls; recursion counts once";

// rowsOf - of groups that have a weight in any part; sums: {self, total} of each part
function rowsOf(sums, name) {
	const rows = [];
	for (let i = 0; i < sums[0].total.length; i++)
		if (sums.some(({total}) => total[i]))
			rows.push({at: i, self: sums.map(({self}) => self[i]),
				total: sums.map(({total}) => total[i]), name: name(i)});
	return rows;
}

function functionsTable(view, state) {
	const {profile} = view;
	const rows = rowsOf(view.sums, (fn) => profile.functions[fn][0])
		.filter((row) => !view.isProgram[row.at] || row.self.some((weight) => weight))
		.map((row) => ({...row, fn: row.at}));
	const imageOf = (row) => profile.images[profile.functions[row.at][1]];
	return new Table({caption: "Functions", rows, state, follows: true, columns: [
		...weightColumns(view, "self", "Self", SELF),
		...weightColumns(view, "total", "Total", TOTAL),
		{name: "Function", of: (row) => row.name},
		{name: "Image", width: 92, isSpare: true, of: (row) => imageOf(row)[0],
			title: (row) => imageOf(row)[1]},
	], isChosen: (row) => row.at === view.opened, pick: (row) => view.open(row.at, "table")});
}

function imagesTable(view, state) {
	const {profile} = view;
	const imageOf = profile.functions.map(([, image]) => image);
	const sums = view.weights.map((weights) =>
		sumsBy(view.tree, weights, profile.images.length, imageOf));
	return new Table({caption: "Images", state, columns: [
		...weightColumns(view, "self", "Self", "in code of the image itself"),
		...weightColumns(view, "total", "Total", TOTAL),
		{name: "Image", of: (row) => row.name, title: (row) => profile.images[row.at][1]},
	], rows: rowsOf(sums, (image) => profile.images[image][0]), pick: () => {}});
}

// groupedTable - of threads, by a grouping; a row that is picked is shown alone
function groupedTable(view, grouping, state) {
	const parts = partsOf(view.profile, view.selection), {key, title} = grouping;
	const weights = parts.map((part) => sumsByThread(view.profile, view.selection, part));
	const groups = new Map();
	view.profile.threads.forEach((_, thread) => {
		const at = key(thread), own = weights.map((weight) => weight[thread]);
		if (!own.some((weight) => weight))
			return;
		if (!groups.has(at))
			groups.set(at, {at, name: title(thread), total: parts.map(() => 0)});
		own.forEach((weight, i) => {
			groups.get(at).total[i] += weight;
		});
	});
	return new Table({caption: grouping.name, state, columns: [
		...weightColumns(view, "total", "Share", "of what is shown"),
		{name: grouping.name, of: (row) => row.name},
	], rows: [...groups.values()], isChosen: (row) => view.filters.has(grouping, row.at),
	pick: (row) => view.filters.set(grouping, row.at, row.name)});
}

// The tables of a profile: [name, what makes it]
function tablesOf(view) {
	return [
		["Functions", functionsTable],
		["Images", imagesTable],
		...view.filters.groupings.map((grouping) =>
			[grouping.name, (view, state) => groupedTable(view, grouping, state)]),
	];
}

// callLists - tables of the callers and callees of a function
function callLists(view, fn) {
	const {profile} = view;
	const weights = view.weights.map((weights) =>
		neighbours(view.tree, weights, fn, profile.functions.length));
	// of a comparison, there is room for the change only; its title has the rest
	const columns = (hint) => weightColumns(view, "total", "Total", hint)
		.slice(0, view.difference ? 1 : 2);
	const list = (caption, key, hint) => new Table({caption, columns: [
		...columns(hint),
		{name: caption, of: (row) => row.name},
	], rows: rowsOf(weights.map((sums) => ({self: sums[key], total: sums[key]})),
		(at) => profile.functions[at][0]), pick: (row) => view.open(row.at)});
	return [list("Callers", "callers", "of the function, when called from there"),
		list("Callees", "callees", "when called by the function")];
}
