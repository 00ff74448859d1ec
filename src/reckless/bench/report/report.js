"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  root.classList.add("scripted");

  // Light and dark: as the system asks, until the reader chooses.
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const themeButton = document.querySelector(".theme");
  const nameTheme = () => { themeButton.textContent = isDark() ? "Light colors" : "Dark colors"; };
  themeButton.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; nameTheme(); });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();

  // Methods are switched off everywhere at once, so that one color means one thing on the whole page.
  const hidden = new Set();
  const showMethods = () => {
    all("[data-m]").forEach((element) => {
      const isHidden = hidden.has(element.dataset.m);
      if (element.matches(".method")) element.setAttribute("aria-pressed", String(!isHidden));
      else element.classList.toggle("off", isHidden);
    });
  };
  all(".method").forEach((button) => button.addEventListener("click", () => {
    const method = button.dataset.m;
    if (!hidden.delete(method)) hidden.add(method);
    showMethods();
  }));

  // Tables: numbers sort as numbers, what has none goes last.
  const words = { inf: Infinity, "-inf": -Infinity, nan: NaN };
  const valueOf = (cell) => {
    if (cell.dataset.v === undefined) return cell.textContent;
    return cell.dataset.v in words ? words[cell.dataset.v] : Number(cell.dataset.v);
  };
  const compare = (a, b) => {
    if (typeof a === "string" || typeof b === "string") {
      return String(a).localeCompare(String(b), "en", { numeric: true });
    }
    return a < b ? -1 : Number(a > b);
  };
  const sortBy = (header) => {
    const table = header.closest("table");
    const column = Array.from(header.parentNode.children).indexOf(header);
    const direction = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const rows = Array.from(table.tBodies[0].rows);
    const keys = new Map(rows.map((row) => [row, valueOf(row.cells[column])]));
    const isLast = (row) => Number(Number.isNaN(keys.get(row)));
    rows.sort((a, b) => isLast(a) - isLast(b) || direction * compare(keys.get(a), keys.get(b)));
    table.tBodies[0].append(...rows);
    all("th", table).forEach((other) => other.setAttribute("aria-sort", "none"));
    header.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  };
  all("th .sort").forEach((button) => button.addEventListener("click", () => sortBy(button.closest("th"))));

  // Downloads: made here, from what the page shows, with all digits.
  const quote = (value) => (/[",\r\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value);
  const csvOf = (table) => Array.from(table.rows)
    .map((row) => Array.from(row.cells).map((cell) => quote(cell.dataset.v ?? cell.textContent.trim())).join(","))
    .join("\r\n") + "\r\n";
  const save = (name, kind, content) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: kind }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  all(".csv").forEach((button) => button.addEventListener("click", () => {
    save(`${button.dataset.table}.csv`, "text/csv;charset=utf-8", csvOf(document.getElementById(button.dataset.table)));
  }));
  document.querySelector(".data").addEventListener("click", () => {
    save("reckless-report.json", "application/json", document.getElementById("report-data").textContent);
  });

  // Values: of the point nearest to the pointer, or from point to point by the arrow keys.
  const tooltip = document.createElement("div");
  tooltip.className = "tooltip";
  tooltip.setAttribute("role", "status");
  tooltip.hidden = true;
  document.body.append(tooltip);
  all("svg [data-tip] > title").forEach((title) => title.remove()); // else the browser shows its own as well
  let near = null;
  const centerOf = (point) => {
    const box = point.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  };
  const show = (point) => {
    if (near) near.classList.remove("near");
    near = point;
    tooltip.hidden = !point;
    if (!point) return;
    point.classList.add("near");
    tooltip.textContent = point.dataset.tip;
    const at = centerOf(point);
    const { width, height } = tooltip.getBoundingClientRect();
    const left = Math.min(Math.max(4, at.x + 14), Math.max(4, innerWidth - width - 4));
    tooltip.style.left = `${left}px`;
    tooltip.style.top = `${at.y + 14 + height > innerHeight ? at.y - height - 14 : at.y + 14}px`;
  };
  const pointsOf = (canvas) => all("[data-tip]", canvas).filter((point) => point.getClientRects().length > 0);
  all(".canvas").forEach((canvas) => {
    canvas.addEventListener("pointermove", (event) => {
      let best = null;
      let least = 22;
      pointsOf(canvas).forEach((point) => {
        const at = centerOf(point);
        const distance = Math.hypot(at.x - event.clientX, at.y - event.clientY);
        if (distance < least) { least = distance; best = point; }
      });
      if (best !== near) show(best);
    });
    canvas.addEventListener("pointerleave", () => show(null));
    canvas.addEventListener("blur", () => show(null));
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") show(null);
      const points = pointsOf(canvas);
      if (!step || points.length === 0) return;
      event.preventDefault();
      const at = points.indexOf(near);
      show(points[at < 0 ? (step > 0 ? 0 : points.length - 1) : (at + step + points.length) % points.length]);
    });
  });
})();
