// SPDX-License-Identifier: GPL-2.0-or-later
// Who is shown: a program, process, thread, unit, control group..., each beside the others.

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
		found.push({name: "Threads",
			key: (thread) => profile.threads[thread].slice(0, 3).join(),
			title: (thread) => threadName(profile, thread)});
	if (has(3))
		found.push({name: "CPUs", key: field(3),
			title: (thread) => `CPU ${field(3)(thread)}`});
	profile.labels.forEach((name, i) => {
		const value = field(4 + i);
		if (name === "cgroup") {
			const unit = (thread) =>
				value(thread) === null ? "no unit" : unitOf(value(thread));
			found.push({name: "Units", key: unit, title: unit});
		}
		found.push({name: name === "cgroup" ? "Control groups" : name, key: value,
			title: (thread) => value(thread) ?? `no ${name}`});
	});
	return found;
}

const CHOICES_MOST = 500; // of a grouping in the list; its table has all

class Filters {
	// changed(): what is shown alone has changed
	constructor(profile, selection, changed) {
		this.profile = profile;
		this.changed = changed;
		this.groupings = groupingsOf(profile);
		this.chosen = new Map(); // by grouping: {at, title}
		this.offer(selection);
		$("filter").addEventListener("change", () => this.choose());
	}

	// offer - a list of all, the heaviest first
	offer(selection) {
		const {profile} = this, weights = new Float64Array(profile.threads.length);
		for (const part of partsOf(profile, selection))
			sumsByThread(profile, selection, part).forEach((weight, i) => {
				weights[i] += weight;
			});
		this.choices = [null];
		$("filter").append(element("option", {value: 0}, "everything"));
		for (const grouping of this.groupings)
			this.offerGroup(grouping, weights);
		$("filter").parentElement.hidden = this.choices.length === 1;
	}

	offerGroup(grouping, weights) {
		const groups = new Map();
		weights.forEach((weight, thread) => {
			const at = grouping.key(thread), before = groups.get(at);
			groups.set(at, {title: grouping.title(thread),
				weight: weight + (before?.weight || 0)});
		});
		if (groups.size < 2)
			return;
		const list = element("optgroup", {label: grouping.name});
		const order = [...groups.keys()].sort((a, b) =>
			groups.get(b).weight - groups.get(a).weight);
		for (const at of order.slice(0, CHOICES_MOST)) {
			const {title} = groups.get(at);
			list.append(element("option", {value: this.choices.length}, shorten(title, 60)));
			this.choices.push({grouping, at, title});
		}
		$("filter").append(list);
	}

	choose() {
		const choice = this.choices[$("filter").value];
		$("filter").value = 0;
		if (choice)
			this.set(choice.grouping, choice.at, choice.title);
		else
			this.clear();
	}

	has(grouping, at) {
		return this.chosen.has(grouping) && this.chosen.get(grouping).at === at;
	}

	// set - show this alone; once more: no longer
	set(grouping, at, title) {
		if (this.has(grouping, at))
			this.chosen.delete(grouping);
		else
			this.chosen.set(grouping, {at, title});
		this.show();
	}

	clear() {
		this.chosen.clear();
		this.show();
	}

	// shown - whether a thread is shown; null: all are
	shown() {
		const wanted = [...this.chosen];
		if (!wanted.length)
			return null;
		const is = this.profile.threads.map((_, thread) =>
			wanted.every(([{key}, {at}]) => key(thread) === at));
		return (thread) => is[thread];
	}

	show() {
		$("filters").replaceChildren(...[...this.chosen].map(([grouping, {at, title}]) => {
			const button = element("button", {type: "button",
				title: `${grouping.name}: ${title}`}, `${shorten(title, 28)} ✕`);
			button.ariaLabel = `${grouping.name}: ${title}: show others, too`;
			button.addEventListener("click", () => this.set(grouping, at, title));
			return element("li", {}, button);
		}));
		$("filters").hidden = !this.chosen.size;
		this.changed();
	}
}
