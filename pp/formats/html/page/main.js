// SPDX-License-Identifier: GPL-2.0-or-later
// The page: what is selected, and everything that shows it.

// The first images: of addresses that are in none, of programs and of the kernel.
const NO_KERNEL_IMAGE = 1;

const LEGEND_MOST = 6; // images whose colours are told
const ZOOM_STEP = 1.5; // of a key

const $ = (id) => document.getElementById(id);

class Page {
	constructor(profile) {
		this.profile = profile;
		showHead(profile);
		showInlined(profile, false);
		const [event] = profile.events, isTime = UNITS[event.unit] && event.period;
		this.selection = {event: 0, measure: event.weighted || isTime ? "events" : "samples",
			shown: null, range: null, base: null, widths: "both", basis: null};
		this.findPrograms();
		this.flame = new Flame($("flame"), {
			named: (fn) => profile.functions[fn][0],
			tint: (fn) => this.tint(fn),
			change: (node) => this.changeOfNode(node),
			changeText: (change) => this.difference.text(change),
			chosen: (node) => this.chosen(node),
			moved: () => {
				$("reset").disabled = this.flame.isWhole();
			},
			pointed: (...where) => this.pointed(...where),
		});
		this.controls();
		this.tabs();
		this.update();
		this.openHottest();
	}

	findPrograms() {
		const {profile} = this, {tree} = profile;
		this.isProgram = new Uint8Array(profile.functions.length);
		for (let i = 0; i < tree.n; i = tree.end[i])
			this.isProgram[tree.fn[i]] = 1;
	}

	// tint - an image has one hue; the kernel, and what is unknown, less colour
	tint(fn) {
		const [name, image] = this.profile.functions[fn];
		return {...this.tintOfImage(image), shade: hueOf(name) / 360};
	}

	tintOfImage(image) {
		const [base, , isKernel] = this.profile.images[image];
		if (image <= NO_KERNEL_IMAGE)
			return {hue: 0, saturation: 0};
		if (isKernel)
			return {hue: 215, saturation: 30};
		return {hue: hueOf(base), saturation: 65};
	}

	change(key, value) {
		this.selection[key] = value;
		this.update(true);
	}

	controls() {
		const {profile} = this;
		$("event").append(...profile.kinds.map((kind, i) =>
			element("option", {value: i}, kind.name)));
		$("event").parentElement.hidden = profile.kinds.length === 1;
		this.filters = new Filters(profile, this.selection, () =>
			this.change("shown", this.filters.shown()));
		$("event").addEventListener("change", (event) =>
			this.change("event", Number(event.target.value)));
		for (const key of ["measure", "widths", "basis"])
			$(key).addEventListener("change", (event) => this.change(key, event.target.value));
		$("search").addEventListener("input", () => this.search());
		$("controls").addEventListener("submit", (event) => event.preventDefault());
		$("reset").addEventListener("click", () => this.flame.zoom(-1));
		this.toggle("inlined", (on) => {
			showInlined(profile, on);
			this.other = null;
			this.update(true);
			if (!this.sums.some(({total}) => total[this.opened]))
				this.openHottest();
		});
		$("inlined").hidden = !profile.hasInlined;
		this.toggle("inverted", () => this.show(true));
		this.toggle("upward", (on) => {
			this.flame.upward = on;
			this.flame.box.scrollTop = on ? this.flame.box.scrollHeight : 0;
			this.flame.redraw();
		});
		this.themes();
		document.addEventListener("keydown", (event) => this.shortcut(event));
		document.addEventListener("click", (event) => {
			for (const popup of document.querySelectorAll(".popup[open]"))
				if (!popup.contains(event.target))
					popup.open = false;
		});
		if (!profile.moments.n)
			return;
		$("time").hidden = false;
		this.timeline = new Timeline($("time"), profile, (range, base) => {
			// ranges of different lengths are compared by what they have of a second
			const basis = base && !this.selection.base ? "seconds" : this.selection.basis;
			Object.assign(this.selection, {range, base, basis});
			this.update(true);
		});
	}

	// measures - what can be counted of the event: samples, or what they stand for
	measures(event) {
		const {unit, weighted, period, name} = event;
		const known = weighted || period;
		const title = unit === "nanoseconds" ? "time" : unit === "bytes" ? "bytes" : name;
		const options = [["samples", "samples"], ...(known && title !== "samples"
			? [["events", title]] : [])];
		if (options.every(([value]) => value !== this.selection.measure))
			this.selection.measure = "samples";
		$("measure").replaceChildren(...options.map(([value, text]) =>
			element("option", {value}, text)));
		$("measure").value = this.selection.measure;
		$("measure").parentElement.hidden = options.length === 1;
		this.amountName = this.selection.measure === "samples" ? "Samples"
			: title.charAt(0).toUpperCase() + title.slice(1);
	}

	toggle(id, changed) {
		$(id).addEventListener("click", () => {
			const on = $(id).ariaPressed !== "true";
			$(id).ariaPressed = String(on);
			changed(on);
		});
	}

	themes() {
		const root = document.documentElement;
		const set = (dark) => {
			root.classList.toggle("dark", dark);
			$("theme").textContent = dark ? "Light" : "Dark";
			this.flame.dress();
			if (this.timeline)
				this.timeline.draw();
			if (this.tree)
				this.legend();
		};
		set(matchMedia("(prefers-color-scheme: dark)").matches);
		$("theme").addEventListener("click", () => set(!root.classList.contains("dark")));
	}

	shortcut(event) {
		const {target, key} = event;
		const isTyping = ["INPUT", "SELECT"].includes(target.tagName);
		if (key === "Escape") {
			event.preventDefault();
			this.escape(target);
			return;
		}
		if (isTyping || event.ctrlKey || event.metaKey || event.altKey)
			return;
		const does = {
			"/": () => $("search").focus(),
			"+": () => this.flame.scale(1 / ZOOM_STEP, 0.5),
			"=": () => this.flame.scale(1 / ZOOM_STEP, 0.5),
			"-": () => this.flame.scale(ZOOM_STEP, 0.5),
			"0": () => this.flame.zoom(-1),
			"c": () => $("inverted").click(),
			"i": () => $("inlined").click(),
			"h": () => this.showHottestLine(),
		}[key];
		if (!does)
			return;
		event.preventDefault();
		does();
	}

	// escape - one step back: what is open, the search, the zoom, the range of time
	escape(target) {
		const popup = document.querySelector(".popup[open]");
		$("tip").hidden = true;
		if (popup) {
			popup.open = false;
			popup.querySelector("summary").focus({preventScroll: true});
		} else if ($("search").value) {
			$("search").value = "";
			this.search();
		} else if (!this.flame.isWhole()) {
			this.flame.back();
		} else if (this.timeline && target === this.timeline.canvas) {
			this.timeline.set(null);
		}
	}

	// update - everything, after the selection has changed
	update(keep) {
		const {profile, selection} = this, {at} = profile.kinds[selection.event];
		const event = profile.events[at.find((index) => index >= 0)];
		this.measures(event);
		this.event = event;
		this.unit = selection.measure === "events" ? event.unit : "";
		this.tree = weigh(profile, selection);
		this.all = this.tree.all;
		this.weights = this.tree.parts || [this.tree];
		this.sums = this.weights.map((weights) =>
			sumsBy(this.tree, weights, profile.functions.length));
		this.compare();
		this.chainSums = null;
		if (this.timeline)
			this.timeline.show(selection);
		this.show(keep);
		this.legend();
		this.panel(keep);
		if (this.opened !== undefined)
			this.open(this.opened);
	}

	// sumsOfChains - of each part, what places of code have; worked out when code is shown
	sumsOfChains() {
		const {profile, selection} = this;
		this.chainSums ||= partsOf(profile, selection).map((part) =>
			sumsByChain(profile, selection, part));
		return this.chainSums;
	}

	// compare - what the difference of two parts is of; or none, of one
	compare() {
		const {parts} = this.tree, {selection} = this;
		$("compare").hidden = !parts;
		$("panes").classList.toggle("wide", Boolean(parts));
		this.difference = null;
		if (!parts)
			return;
		const bases = basesOf(parts);
		if (!bases.includes(selection.basis))
			selection.basis = "counts";
		$("basis").replaceChildren(...bases.map((value) =>
			element("option", {value}, BASES[value].title)));
		$("basis").value = selection.basis;
		this.difference = new Difference(parts, selection.basis, this.unit);
		this.verdicts = new Verdicts(this.profile, selection);
		$("chance").textContent = this.verdicts.column ? this.profile.chance
			: "?: cannot tell what is chance: nothing says how much it varies";
	}

	// legend - the colours of the images with the most samples of their own
	legend() {
		const {profile} = this;
		$("images").hidden = Boolean(this.tree.parts);
		const sums = new Float64Array(profile.images.length);
		profile.functions.forEach(([, image], fn) => {
			sums[image] += this.sums[0].self[fn];
		});
		const order = [...sums.keys()].filter((image) => sums[image])
			.sort((a, b) => sums[b] - sums[a]);
		const shown = order.slice(0, LEGEND_MOST).map((image) => {
			const patch = element("span", {className: "patch"});
			const tint = {...this.tintOfImage(image), shade: 0.5};
			const [base, path] = profile.images[image];
			const title = `${path || base}: ${percent(sums[image], this.all)} self`;
			patch.style.background = this.flame.colourOf(tint);
			return element("li", {title}, patch, shorten(base, 18));
		});
		if (order.length > LEGEND_MOST)
			shown.push(element("li", {}, `${order.length - LEGEND_MOST} more`));
		$("images").replaceChildren(...shown);
	}

	// show - the graph of the tree, or of the inverted one; each keeps what was seen of it
	show(keep) {
		const isInverted = $("inverted").ariaPressed === "true", {flame} = this;
		const isOther = Boolean(this.shownTree) && this.shownInverted !== isInverted;
		const before = isOther ? flame.state() : null;
		flame.show(isInverted ? invert(this.tree) : this.tree, keep && !isOther);
		if (isOther && this.other?.tree === this.tree)
			flame.restore(this.other.state);
		if (isOther)
			this.other = {tree: this.tree, state: before};
		this.shownInverted = isInverted;
		this.shownTree = this.tree;
		this.search();
	}

	search() {
		const text = $("search").value, functions = this.profile.functions;
		this.flame.matches = null;
		$("search").setCustomValidity("");
		$("matched").textContent = "";
		if (text) {
			try {
				const isMatch = matcher(text);
				this.flame.matches =
					Uint8Array.from(functions, ([name]) => isMatch(name));
				const weight = matchingWeight(this.tree, this.flame.matches);
				$("matched").textContent = `${percent(weight, this.all)} matched`;
			} catch (error) {
				$("search").setCustomValidity(error.message);
				$("matched").textContent = "not a regular expression";
			}
		}
		this.flame.redraw();
	}

	changeOfNode(node) {
		const [old, now] = this.flame.tree.parts;
		return this.difference.of(old.total[node], now.total[node],
			this.verdictOfNode(node));
	}

	// verdictOfNode - that on the function, if all that it has is in the node
	verdictOfNode(node) {
		const {tree} = this.flame, fn = tree.fn[node];
		const key = ["total", "self"].find((one) => tree.parts.every(({total}, i) =>
			total[node] === this.sums[i][one][fn]));
		return key ? this.verdicts.of(fn, key) : UNKNOWN;
	}

	// exact - a weight of a part in all that it can be told in: "20.08 %, 238 ms, 238 samples"
	exact(weight, i) {
		const {all, samples} = this.weights[i];
		const texts = [percent(weight, all), amount(weight, this.unit)];
		if (!this.unit)
			texts[1] = plural(Math.round(weight),
				this.selection.measure === "samples" ? "sample" : this.event.name);
		if (this.selection.measure !== "samples" && !this.event.weighted && all)
			texts.push(plural(Math.round(weight / all * samples), "sample"));
		return texts.join(", ");
	}

	// weightText - "total 20.00 %, 20 samples"; of a comparison "total 20 → 25 (+5 ~)"
	weightText(name, weights, verdict) {
		if (!this.difference)
			return `${name} ${this.exact(weights[0], 0)}`;
		const [old, now] = weights.map((weight, i) => this.difference.value(weight, i));
		const change = this.difference.of(...weights, verdict);
		return `${name} ${old} → ${now} (${this.difference.longer(change, weights[0])})`;
	}

	// describe - a node of the graph
	describe(node, n) {
		const {tree} = this.flame, parts = tree.parts || [tree], fn = tree.fn[node];
		const [name, image, file] = this.profile.functions[fn];
		const inlined = tree.inlined?.[node] ? " (inlined)" : "";
		return `${shorten(name, n)}${inlined}\n` +
			`${this.profile.images[image][0]}${file ? `, ${file}` : ""}\n` +
			`${this.weightText("total", parts.map(({total}) => total[node]),
				tree.parts && this.verdictOfNode(node))}; ` +
			`${this.weightText("self", parts.map(({self}) => self[node]))}`;
	}

	chosen(node) {
		$("said").textContent = this.describe(node, 120).replace(/\n/g, "; ");
		$("said").className = "";
		$("said").title = this.describe(node, 4096);
		if (!this.isProgram[this.flame.tree.fn[node]])
			this.open(this.flame.tree.fn[node], "graph");
	}

	// pointed - the tip stands on the callers' side of a frame, so that it covers no callee
	pointed(node, top, bottom, event) {
		const tip = $("tip");
		tip.hidden = node < 0;
		if (node < 0)
			return;
		tip.textContent = this.describe(node, 100);
		const x = Math.min(event.clientX + 10, innerWidth - tip.offsetWidth - 8);
		tip.style.left = `${Math.max(0, x)}px`;
		tip.style.top = this.flame.upward ? `${bottom + 4}px`
			: `${Math.max(0, top - tip.offsetHeight - 4)}px`;
	}

	// open - a function: its callers, callees and code; `from`: what it was chosen in, which
	// stays as it is
	open(fn, from) {
		const {profile} = this, [name, image, file] = profile.functions[fn];
		const weights = (key) => this.sums.map((sums) => sums[key][fn]);
		const told = (key) =>
			this.weightText(key, weights(key), this.verdicts?.of(fn, key));
		const where = [profile.images[image][0], file].filter(Boolean).join(", ");
		this.opened = fn;
		this.flame.marked = fn;
		this.flame.redraw();
		const lists = callLists(this, fn);
		const bold = (text) => element("b", {}, text);
		$("function").replaceChildren(
			element("header", {}, element("h2", {title: name}, name),
				element("p", {className: "where", title: where},
					bold(told("self")), " · ",
					bold(told("total")), ` · ${where}`)),
			element("div", {className: "pieces"}, element("div", {className: "calls"},
				...lists.map(({box}) => element("div", {}, box))), codePanel(this, fn)));
		lists.forEach((list) => list.fill());
		if (from !== "table" && this.tab === 0)
			this.table?.choose();
	}

	// showHottestLine - of the function that is open
	showHottestLine() {
		const button = document.querySelector(".hot button");
		if (button)
			button.click();
		else
			document.querySelector(".code")?.focus({preventScroll: true});
	}

	// openHottest - the function with the most samples of its own
	openHottest() {
		const {self} = this.sums[this.sums.length - 1];
		let best = -1;
		for (let fn = 0; fn < self.length; fn++)
			if (self[fn] > (best < 0 ? 0 : self[best]))
				best = fn;
		if (best >= 0)
			this.open(best);
	}

	tabs() {
		this.tables = tablesOf(this);
		this.tab = 0;
		$("tabs").append(...this.tables.map(([name], i) => {
			const tab = element("button", {type: "button", role: "tab", id: `tab-${i}`}, name);
			tab.setAttribute("aria-controls", "panel");
			tab.addEventListener("click", () => this.choose(i));
			tab.addEventListener("keydown", (event) => {
				const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
				const n = this.tables.length;
				if (step)
					this.choose((i + step + n) % n, true);
			});
			return tab;
		}));
	}

	choose(index, focus) {
		this.tab = index;
		this.panel();
		if (focus)
			$(`tab-${index}`).focus();
	}

	// panel - the table that is chosen; with `keep`, as it was sorted and scrolled
	panel(keep) {
		this.tables.forEach((_, i) => {
			const tab = $(`tab-${i}`);
			tab.ariaSelected = String(i === this.tab);
			tab.tabIndex = i === this.tab ? 0 : -1;
		});
		$("panel").setAttribute("aria-labelledby", `tab-${this.tab}`);
		const before = keep && this.table;
		this.table = this.tables[this.tab][1](this, before || undefined);
		$("panel").replaceChildren(this.table.box);
		if (before)
			this.table.box.scrollTop = before.box.scrollTop;
		this.table.fill();
	}
}

async function begin() {
	try {
		performance.mark("begun");
		const bytes = await inflate($("data").textContent);
		performance.mark("inflated");
		const profile = readProfile(bytes);
		performance.mark("read");
		$("data").remove();
		$("main").hidden = false;
		window.page = new Page(profile);
		performance.mark("shown");
	} catch (error) {
		$("problem").hidden = false;
		$("problem").textContent = `The profile can't be shown: ${error.message}`;
	}
}

begin();
