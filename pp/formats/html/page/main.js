// SPDX-License-Identifier: GPL-2.0-or-later
// The page: what is selected, and everything that shows it.

// The first images: of addresses that are in none, of programs and of the kernel.
const NO_KERNEL_IMAGE = 1;

const $ = (id) => document.getElementById(id);

class Page {
	constructor(profile) {
		this.profile = profile;
		const measure = profile.events[0].weighted ? "events" : "samples";
		this.selection = {event: 0, measure, thread: -1, from: null, to: null};
		this.isProgram = new Uint8Array(profile.functions.length);
		for (let i = 0; i < profile.tree.n; i = profile.tree.end[i])
			this.isProgram[profile.tree.fn[i]] = 1;
		this.flame = new Flame($("flame"), {
			named: (fn) => profile.functions[fn][0],
			tint: (fn) => this.tint(fn),
			chosen: (node) => this.chosen(node),
			zoomed: (node) => {
				$("reset").disabled = node < 0;
			},
			pointed: (node, event) => this.pointed(node, event),
		});
		this.head();
		this.controls();
		this.tabs();
		this.update();
	}

	head() {
		const {profile} = this;
		document.title = `${profile.title} - profile`;
		$("title").textContent = profile.title;
		for (const [name, value] of profile.facts)
			$("facts").append(element("dt", {}, name), element("dd", {}, value));
		const notes = [...profile.notes];
		for (const [cause, n] of profile.lost)
			notes.push(`${n.toLocaleString("en")} samples lost: ${cause}`);
		$("notes").append(...notes.map((note) => element("li", {}, note)));
		$("about").hidden = !profile.facts.length;
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

	controls() {
		const {profile} = this;
		const change = (key, value) => {
			this.selection[key] = value;
			this.update(true);
		};
		$("measure").value = this.selection.measure;
		$("event").append(...profile.events.map((event, i) =>
			element("option", {value: i}, event.name)));
		$("thread").append(element("option", {value: -1}, "all"),
			...this.threadOptions());
		$("event").addEventListener("change", (event) => change("event", Number(event.target.value)));
		$("measure").addEventListener("change", (event) => change("measure", event.target.value));
		$("thread").addEventListener("change", (event) => change("thread", Number(event.target.value)));
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
		if (profile.moments.n) {
			$("time").hidden = false;
			this.timeline = new Timeline($("time"), profile, (from, to) => {
				Object.assign(this.selection, {from, to});
				this.update(true);
			});
		}
	}

	// the threads with the most samples
	threadOptions() {
		const weights = sumsByThread(this.profile, this.selection);
		const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
		return order.slice(0, 500).map((thread) =>
			element("option", {value: thread}, threadName(this.profile, thread)));
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
			this.flame.redraw();
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
		const event = this.profile.events[this.selection.event];
		const isEvents = this.selection.measure === "events";
		this.unit = isEvents ? event.unit : "";
		this.unitName = isEvents ? event.name : "Samples";
		this.tree = weigh(this.profile, this.selection);
		this.all = this.tree.all;
		if (this.timeline)
			this.timeline.show(this.selection);
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

	// describe - a node of the graph
	describe(node) {
		const tree = this.flame.tree;
		const [name, image, file] = this.profile.functions[tree.fn[node]];
		const total = tree.total[node], self = tree.self[node];
		return `${name}\n${this.profile.images[image][0]}${file ? `, ${file}` : ""}\n` +
			`total ${percent(total, this.all)}, ${amount(total, this.unit)}; ` +
			`self ${percent(self, this.all)}, ${amount(self, this.unit)}`;
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

	// open - the callers and callees of a function
	open(fn, stay) {
		this.opened = fn;
		$("function").hidden = false;
		$("function").replaceChildren(...functionLists(this, fn));
		if (!stay)
			$("function").querySelector("h2").focus();
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
		const bytes = await inflate($("data").textContent);
		const profile = readProfile(bytes);
		$("data").remove();
		$("main").hidden = false;
		window.page = new Page(profile);
	} catch (error) {
		$("problem").hidden = false;
		$("problem").textContent = `The profile can't be shown: ${error.message}`;
	}
}

begin();
