// SPDX-License-Identifier: GPL-2.0-or-later
// The time line: how much there was when, and a range that can be selected.

class Timeline {
	// changed(range, base): each [from, to] in microseconds or null
	constructor(section, profile, changed) {
		this.canvas = section.querySelector("canvas");
		this.fields = [section.querySelector("#from"), section.querySelector("#to")];
		this.all = section.querySelector("#all-time");
		this.compare = section.querySelector("#compare-time");
		this.said = section.querySelector("#compared");
		this.profile = profile;
		this.changed = changed;
		this.last = profile.moments.n ? profile.moments.time[profile.moments.n - 1] + 1 : 1;
		this.range = this.base = null;
		this.canvas.addEventListener("pointerdown", (event) => this.press(event));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		this.all.addEventListener("click", () => this.set(null));
		this.compare.addEventListener("click", () => {
			this.base = this.base ? null : this.range;
			this.set(this.range);
		});
		for (const field of this.fields)
			field.addEventListener("change", () => this.typed());
		new ResizeObserver(() => this.draw()).observe(this.canvas);
		this.put();
	}

	// show - of one event
	show(selection) {
		this.selection = selection;
		this.draw();
	}

	bars(n) {
		const {time, event, entry} = this.profile.moments;
		const {shown, measure} = this.selection;
		const weights = this.profile.moments[measure], {thread} = this.profile.entries;
		const wanted = this.profile.kinds[this.selection.event].at[0];
		const bars = new Float64Array(n);
		for (let i = 0; i < time.length; i++)
			if (event[i] === wanted && (!shown || shown(thread[entry[i]])))
				bars[Math.floor(time[i] / this.last * n)] += weights[i];
		return bars;
	}

	draw() {
		const ratio = window.devicePixelRatio || 1;
		const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
		const context = this.canvas.getContext("2d");
		const style = getComputedStyle(this.canvas);
		if (!this.selection || !width)
			return;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		const bars = this.bars(Math.max(1, Math.floor(width / 3)));
		const most = bars.reduce((a, b) => Math.max(a, b), 1), wide = width / bars.length;
		context.fillStyle = style.getPropertyValue("--bar");
		bars.forEach((bar, i) => {
			const tall = bar / most * (height - 2);
			context.fillRect(i * wide, height - tall, Math.max(1, wide - 1), tall);
		});
		this.box(context, this.base, style.getPropertyValue("--base"), width, height);
		this.box(context, this.range, style.getPropertyValue("--range"), width, height);
	}

	box(context, range, colour, width, height) {
		if (!range)
			return;
		const left = range[0] / this.last * width, right = range[1] / this.last * width;
		context.fillStyle = colour;
		context.fillRect(left, 0, right - left, height);
		context.fillRect(left, 0, 1, height);
		context.fillRect(right - 1, 0, 1, height);
	}

	set(range) {
		this.range = range && range[1] > range[0] ? range : null;
		this.put();
		this.draw();
		this.changed(this.range, this.base);
	}

	put() {
		const range = this.range || [0, this.last];
		this.fields.forEach((field, i) => {
			field.value = (range[i] / 1e6).toFixed(3);
		});
		this.all.disabled = !this.range;
		this.compare.disabled = !this.range && !this.base;
		this.compare.textContent = this.base ? "End comparison" : "Compare with this";
		this.said.textContent = !this.base ? "" :
			`compared with ${this.base.map((at) => (at / 1e6).toFixed(3)).join(" to ")} s` +
			(this.range === this.base ? ": now select another range" : "");
	}

	typed() {
		const [from, to] = this.fields.map((field) => Number(field.value) * 1e6);
		const isAll = from <= 0 && to >= Math.floor(this.last / 1000) * 1000;
		this.set(isAll ? null : [Math.max(0, from), Math.min(this.last, to)]);
	}

	timeOf(event) {
		const box = this.canvas.getBoundingClientRect();
		return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * this.last;
	}

	press(event) {
		const begin = this.timeOf(event);
		const move = (now) => {
			const at = this.timeOf(now);
			this.range = [Math.min(begin, at), Math.max(begin, at)];
			this.draw();
		};
		const up = (now) => {
			const at = this.timeOf(now);
			const least = this.last * 3 / this.canvas.clientWidth;
			this.canvas.removeEventListener("pointermove", move);
			this.set(Math.abs(at - begin) < least ? null
				: [Math.min(begin, at), Math.max(begin, at)]);
		};
		this.canvas.setPointerCapture(event.pointerId);
		this.canvas.addEventListener("pointermove", move);
		this.canvas.addEventListener("pointerup", up, {once: true});
	}

	// arrows move the range by a fiftieth of the time; with Shift only its end
	key(event) {
		const step = this.last / 50 * {ArrowLeft: -1, ArrowRight: 1}[event.key];
		if (!step)
			return;
		event.preventDefault();
		const [from, to] = this.range || [0, this.last / 10];
		const start = event.shiftKey || !this.range ? from : Math.max(0, from + step);
		this.set([start, Math.min(this.last, this.range ? to + step : to)]);
	}
}
