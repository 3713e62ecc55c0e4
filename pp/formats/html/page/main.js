// SPDX-License-Identifier: GPL-2.0-or-later
// The page: what is selected, and everything that shows it.

// The first images: of addresses that are in none, of programs and of the kernel.
const NO_KERNEL_IMAGE = 1;

const $ = (id) => document.getElementById(id);

class Page {
	constructor(profile) {
		this.profile = profile;
		const measure = profile.events[0].weighted ? "events" : "samples";
		this.selection = {event: 0, measure, shown: null, range: null, base: null,
			widths: "both"};
		this.isProgram = new Uint8Array(profile.functions.length);
		for (let i = 0; i < profile.tree.n; i = profile.tree.end[i])
			this.isProgram[profile.tree.fn[i]] = 1;
		this.flame = new Flame($("flame"), {
			named: (fn) => profile.functions[fn][0],
			tint: (fn) => this.tint(fn),
			change: (node) => this.changeOfNode(node),
			chosen: (node) => this.chosen(node),
			zoomed: (node) => {
				$("reset").disabled = node < 0;
			},
			pointed: (node, event) => this.pointed(node, event),
		});
		showHead(profile);
		this.controls();
		this.tabs();
		this.update();
		this.openHottest();
	}

	// tint - an image has one hue; the kernel, and what is unknown, less colour
	tint(fn) {
		const [name, image] = this.profile.functions[fn];
		const [base, , isKernel] = this.profile.images[image];
		const shade = hueOf(name) / 360;
		if (image <= NO_KERNEL_IMAGE)
			return {hue: 0, saturation: 0, shade};
		if (isKernel)
			return {hue: 215, saturation: 30, shade};
		return {hue: hueOf(base), saturation: 65, shade};
	}

	change(key, value) {
		this.selection[key] = value;
		this.update(true);
	}

	controls() {
		const {profile} = this;
		$("measure").value = this.selection.measure;
		$("event").append(...profile.kinds.map((kind, i) =>
			element("option", {value: i}, kind.name)));
		$("event").parentElement.hidden = profile.kinds.length === 1;
		this.filters();
		$("event").addEventListener("change", (event) => this.change("event", Number(event.target.value)));
		$("measure").addEventListener("change", (event) => this.change("measure", event.target.value));
		$("widths").addEventListener("change", (event) => this.change("widths", event.target.value));
		$("search").addEventListener("input", () => this.search());
		$("controls").addEventListener("submit", (event) => event.preventDefault());
		$("reset").addEventListener("click", () => this.flame.zoom(-1));
		this.toggle("inverted", () => this.show());
		this.toggle("upward", (on) => {
			this.flame.upward = on;
			this.flame.box.scrollTop = on ? this.flame.box.scrollHeight : 0;
			this.flame.redraw();
		});
		this.themes();
		document.addEventListener("keydown", (event) => this.shortcut(event));
		if (!profile.moments.n)
			return;
		$("time").hidden = false;
		this.timeline = new Timeline($("time"), profile, (range, base) => {
			Object.assign(this.selection, {range, base});
			this.update(true);
		});
	}

	// filters - programs, processes, threads and CPUs that can be shown alone, heaviest first
	filters() {
		const {profile} = this, weights = new Float64Array(profile.threads.length);
		for (const part of partsOf(profile, this.selection))
			sumsByThread(profile, this.selection, part).forEach((weight, i) => {
				weights[i] += weight;
			});
		this.shown = [null];
		$("shown").append(element("option", {value: 0}, "everything"));
		for (const {name, key, title} of groupingsOf(profile)) {
			const groups = new Map();
			weights.forEach((weight, thread) => {
				const at = key(thread), before = groups.get(at);
				groups.set(at, {title: title(thread),
					weight: weight + (before ? before.weight : 0)});
			});
			const order = [...groups.keys()].sort((a, b) =>
				groups.get(b).weight - groups.get(a).weight);
			if (order.length < 2)
				continue;
			const list = element("optgroup", {label: name});
			for (const at of order.slice(0, 500)) {
				list.append(element("option", {value: this.shown.length},
					shorten(groups.get(at).title, 60)));
				this.shown.push((thread) => key(thread) === at);
			}
			$("shown").append(list);
		}
		$("shown").parentElement.hidden = this.shown.length === 1;
		$("shown").addEventListener("change", (event) =>
			this.change("shown", this.shown[event.target.value]));
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
		};
		set(matchMedia("(prefers-color-scheme: dark)").matches);
		$("theme").addEventListener("click", () => set(!root.classList.contains("dark")));
	}

	shortcut(event) {
		const isTyping = ["INPUT", "SELECT"].includes(event.target.tagName);
		if (event.key === "/" && !isTyping) {
			event.preventDefault();
			$("search").focus();
		}
		if (event.key === "Escape" && event.target === $("search")) {
			$("search").value = "";
			this.search();
		}
	}

	// update - everything, after the selection has changed
	update(keep) {
		const {profile, selection} = this, {at} = profile.kinds[selection.event];
		const event = profile.events[at.find((index) => index >= 0)];
		const isEvents = selection.measure === "events";
		this.unit = isEvents ? event.unit : "";
		this.unitName = isEvents ? event.name : "Samples";
		this.tree = weigh(profile, selection);
		this.all = this.tree.all;
		this.weights = this.tree.parts || [this.tree];
		this.sums = this.weights.map((weights) =>
			sumsBy(this.tree, weights, profile.functions.length));
		// samples of each part, for what may be by chance
		this.partSamples = this.tree.parts && partsOf(profile, selection).map((part) => {
			let sum = 0;
			eachValue(profile, {...selection, measure: "samples"}, part, (_, count) => {
				sum += count;
			});
			return sum;
		});
		// listings are of the last side's events, and of all its samples
		const last = at[at.length - 1];
		this.listedEvent = last >= 0 ? last : profile.events.length - 1;
		this.listedAll = profile.entries.of(selection.measure, this.listedEvent)
			.reduce((sum, weight) => sum + weight, 0);
		$("compare").hidden = !this.tree.parts;
		if (this.timeline)
			this.timeline.show(selection);
		this.show(keep);
		this.panel();
		if (this.opened !== undefined)
			this.open(this.opened, true);
	}

	// show - the graph of the tree, or of the inverted one
	show(keep) {
		const isInverted = $("inverted").ariaPressed === "true";
		this.flame.show(isInverted ? invert(this.tree) : this.tree, keep && !isInverted);
		$("reset").disabled = this.flame.focus < 0;
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

	// changeOf - of a share, from its weights in both parts
	changeOf(old, now) {
		const [before, after] = this.tree.parts;
		return changeOf(old, before.all, now, after.all, ...this.partSamples);
	}

	changeOfNode(node) {
		const [old, now] = this.flame.tree.parts;
		return this.changeOf(old.total[node], now.total[node]);
	}

	// weightText - "total 20.00 %, 20", or of a comparison "total 20.00 % → 25.00 % (+5.00)"
	weightText(name, weightsOf, node) {
		const {parts} = this.flame.tree;
		if (!parts) {
			const weight = weightsOf(this.flame.tree)[node];
			return `${name} ${percent(weight, this.all)}, ${amount(weight, this.unit)}`;
		}
		const [old, now] = parts.map((part) => weightsOf(part)[node]);
		const change = this.changeOf(old, now);
		return `${name} ${percent(old, parts[0].all)} → ${percent(now, parts[1].all)} ` +
			`(${points(change.difference)}${change.isChance ? ", may be chance" : ""})`;
	}

	// describe - a node of the graph
	describe(node) {
		const [name, image, file] = this.profile.functions[this.flame.tree.fn[node]];
		return `${name}\n${this.profile.images[image][0]}${file ? `, ${file}` : ""}\n` +
			`${this.weightText("total", ({total}) => total, node)}; ` +
			`${this.weightText("self", ({self}) => self, node)}`;
	}

	chosen(node) {
		$("said").textContent = this.describe(node).replace(/\n/g, "; ");
		if (!this.isProgram[this.flame.tree.fn[node]])
			this.open(this.flame.tree.fn[node], true);
	}

	pointed(node, event) {
		const tip = $("tip");
		tip.hidden = node < 0;
		if (node < 0)
			return;
		tip.textContent = this.describe(node);
		const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
		const below = event.clientY + 18;
		const isLow = below + tip.offsetHeight > innerHeight;
		tip.style.left = `${Math.max(0, x)}px`;
		tip.style.top = `${isLow ? event.clientY - tip.offsetHeight - 10 : below}px`;
	}

	// open - a function: its callers and callees, its code
	open(fn, stay) {
		const {profile} = this, [name, image, file] = profile.functions[fn];
		const isNew = this.opened !== fn;
		const heading = element("h2", {tabIndex: -1}, name);
		const sum = (key) => this.sums.map((sums, i) =>
			percent(sums[key][fn], this.weights[i].all)).join(" → ");
		const where = [profile.images[image][0], file].filter(Boolean).join(", ");
		this.opened = fn;
		$("function").hidden = false;
		$("function").replaceChildren(heading,
			element("p", {className: "where"}, `${where} · self ${sum("self")} · total ${sum("total")}`),
			codePanel(this, fn), callLists(this, fn));
		if (isNew)
			$("function").scrollTop = 0;
		if (!stay)
			heading.focus();
	}

	// openHottest - the function with the most samples of its own
	openHottest() {
		const {self} = this.sums[this.sums.length - 1];
		let best = -1;
		for (let fn = 0; fn < self.length; fn++)
			if (self[fn] > (best < 0 ? 0 : self[best]))
				best = fn;
		if (best >= 0)
			this.open(best, true);
	}

	tabs() {
		this.tables = tablesOf(this.profile);
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

	panel() {
		this.tables.forEach((_, i) => {
			const tab = $(`tab-${i}`);
			tab.ariaSelected = String(i === this.tab);
			tab.tabIndex = i === this.tab ? 0 : -1;
		});
		$("panel").setAttribute("aria-labelledby", `tab-${this.tab}`);
		$("panel").replaceChildren(this.tables[this.tab][1](this));
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
