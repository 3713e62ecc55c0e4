// SPDX-License-Identifier: GPL-2.0-or-later
// The time line: how much there was when, and a range that can be selected.

class Timeline {
	// changed(from, to): in microseconds, or null: all of the time
	constructor(section, profile, changed) {
		this.canvas = section.querySelector("canvas");
		this.fields = [section.querySelector("#from"), section.querySelector("#to")];
		this.all = section.querySelector("#all-time");
		this.profile = profile;
		this.changed = changed;
		this.last = profile.moments.n ? profile.moments.time[profile.moments.n - 1] + 1 : 1;
		this.range = null;
		this.canvas.addEventListener("pointerdown", (event) => this.press(event));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		this.all.addEventListener("click", () => this.set(null));
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
		const moments = this.profile.moments, {event, measure} = this.selection;
		const bars = new Float64Array(n);
		for (let i = 0; i < moments.n; i++)
			if (moments.event[i] === event &&
			    isSelected(this.profile, this.selection, moments.entry[i]))
				bars[Math.floor(moments.time[i] / this.last * n)] +=
					moments[measure][i];
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
		context.fillStyle = style.getPropertyValue("--range");
		if (this.range)
			context.fillRect(this.range[0] / this.last * width, 0,
				(this.range[1] - this.range[0]) / this.last * width, height);
	}

	set(range) {
		this.range = range && range[1] > range[0] ? range : null;
		this.put();
		this.draw();
		this.changed(...this.range || [null, null]);
	}

	put() {
		const range = this.range || [0, this.last];
		this.fields.forEach((field, i) => {
			field.value = (range[i] / 1e6).toFixed(3);
		});
		this.all.disabled = !this.range;
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
		if (event.key === "Escape")
			this.set(null);
		if (!step)
			return;
		event.preventDefault();
		const [from, to] = this.range || [0, this.last / 10];
		const start = event.shiftKey || !this.range ? from : Math.max(0, from + step);
		this.set([start, Math.min(this.last, this.range ? to + step : to)]);
	}
}
