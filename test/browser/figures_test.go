package browser

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/hunkcodec"
)

// observe records the browser's measurements of a page from its beginning: when its largest part was
// painted, and how long each interaction took until the next paint
// (w3c.github.io/largest-contentful-paint, w3c.github.io/event-timing).
const observe = `window.figures = {painted: 0, slowest: 0, tasks: [], paints: []};
new PerformanceObserver(l => l.getEntries().forEach(e => { window.figures.tasks.push([Math.round(e.startTime), Math.round(e.duration)]); })).observe({type: "longtask", buffered: true});
new PerformanceObserver(l => l.getEntries().forEach(e => { window.figures.painted = e.startTime; window.figures.what = e.element?.outerHTML.slice(0, 120); window.figures.paints.push(Math.round(e.startTime)); })).observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver(l => l.getEntries().forEach(e => { if (e.interactionId) window.figures.slowest = Math.max(window.figures.slowest, e.duration); })).observe({type: "event", durationThreshold: 16, buffered: true});`

// throttle makes network and processor as slow as Lighthouse's simulated slow phone
// (github.com/GoogleChrome/lighthouse, docs/throttling.md: 150 ms, 1.6 Mbit/s down, 0.75 up, processor
// four times slower).
func (p *page) throttle() {
	p.t.Helper()
	p.do("Network.emulateNetworkConditions", map[string]any{"offline": false, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8}, nil)
	p.do("Emulation.setCPUThrottlingRate", map[string]any{"rate": 4}, nil)
}

// settle is the time in ms that a page is left alone before its largest paint is read, by whether it is
// throttled. Larger parts may follow, and a browser that is asked again and again in the meantime does
// not report them.
var settle = map[bool]int{false: 4000, true: 15_000}

// These are the amounts of data during the measurement.
const (
	filledRuns  = 10_000
	filledLines = 3_000
)

// fill copies a run until there are filledRuns of it, a minute apart, and gives it a change of
// one file with filledLines lines, every third of them new.
func fill(t *testing.T, database, run string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+database+"?_pragma=busy_timeout(30000)")
	must(t, err)
	defer func() { must(t, db.Close()) }()
	rows, err := db.Query(`SELECT name FROM pragma_table_info('review_runs')`)
	must(t, err)
	var names, values []string
	for rows.Next() {
		var name string
		must(t, rows.Scan(&name))
		value := name
		switch name {
		case "id", "trigger_key":
			value = name + " || n"
		case "created_us", "started_us", "finished_us":
			value = name + " - n * 60000000"
		}
		names, values = append(names, name), append(values, value)
	}
	must(t, rows.Err())
	must(t, rows.Close())
	_, err = db.Exec(fmt.Sprintf(`WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < %d)
		INSERT INTO review_runs (%s) SELECT %s FROM review_runs, counted WHERE id = ?`, filledRuns, strings.Join(names, ", "), strings.Join(values, ", ")), run)
	must(t, err)

	h := &diff.Hunk{ID: "filled", OldStart: 1, NewStart: 1}
	for n := range filledLines {
		h.NewLines++
		l := diff.Line{Op: diff.Add, New: h.NewLines, Text: fmt.Sprintf("\tsum += prices[%d] * quantity // one of many lines", n)}
		if n%3 > 0 {
			h.OldLines++
			l.Op, l.Old = diff.Context, h.OldLines
		}
		h.Lines = append(h.Lines, l)
	}
	packed, err := hunkcodec.Pack([]*diff.Hunk{h}, 1<<20)
	must(t, err)
	if packed.Cut {
		t.Fatal("the change does not fit")
	}
	_, err = db.Exec(`UPDATE run_diff_files SET hunks = ?, additions = ?, deletions = 0 WHERE run_id = ? AND ordinal = 1`, packed.Hunks, filledLines/3, run)
	must(t, err)
}

// waterfall lists the requests of a load that began before its largest paint, and the time that the page's own code took.
const waterfall = `(() => {
	const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].filter(e => e.startTime < window.figures.painted);
	const before = all.filter(e => e.responseEnd <= window.figures.painted);
	return all.map(e => [e.startTime, e.responseStart, e.responseEnd].map(t => t.toFixed(0).padStart(6)).join("") + String(e.transferSize).padStart(8) + " " + e.initiatorType + " " + e.name.replace(location.origin, "")).join("\n") +
		"\n" + before.length + " requests with " + before.reduce((sum, e) => sum + e.transferSize, 0) + " bytes before the largest paint, of " + window.figures.what + "\nlong tasks: " + JSON.stringify(window.figures.tasks);
})()`

// measured is a page whose load TestFigures measures.
type measured struct{ name, path, ready, press, then string }

// TestFigures measures how soon pages are painted and how soon they react, for
// docs/performance/console.md. It asserts no figures. A page is loaded with an empty cache, and the
// pressed elements are named beside it. -run selects a part of it, such as TestFigures/slow/overview.
func TestFigures(t *testing.T) {
	if os.Getenv("ASSAY_FIGURES") == "" {
		t.Skip("ASSAY_FIGURES=yes measures")
	}
	data := t.TempDir()
	needConsole(t)
	d := newDemo(t, data)
	p := newTab(t)
	p.signIn(d.printed)
	p.ready()
	ids := p.ids()
	fill(t, filepath.Join(data, "demo", "assay.db"), ids["runId"])
	tenant := d.base + "/t/" + ids["tenantId"]
	run := tenant + "/repositories/" + ids["repositoryId"] + "/runs/" + ids["runId"]
	pages := []measured{
		{"overview", tenant, "document.querySelector('figure svg')", "nav a[href$='/repositories']", "document.querySelector('main td a')"},
		{"list of reviews", tenant + "/runs", "document.querySelector('main td a')", "main td a", "document.querySelector('nav.tabs')"},
		{"a review", run + "?tab=history", "document.querySelector('nav.tabs')", "nav.tabs a[href*='tab=diff']", "document.querySelector('.file-diff td.diff-code')"},
		{"changes of a review", run + "?tab=diff", "document.querySelector('.file-diff td.diff-code')", "nav.tabs a[href*='tab=published']", "document.querySelector('main .rendered p')"},
	}
	var kept struct{ Cookies []any }
	p.do("Network.getCookies", nil, &kept)
	for _, slow := range []bool{false, true} {
		t.Run(map[bool]string{false: "desktop", true: "slow"}[slow], func(t *testing.T) {
			for _, page := range pages {
				t.Run(page.name, func(t *testing.T) {
					q := newTab(t)
					q.do("Network.setCookies", map[string]any{"cookies": kept.Cookies}, nil)
					q.do("Network.setCacheDisabled", map[string]any{"cacheDisabled": true}, nil)
					q.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": observe}, nil)
					if slow {
						q.throttle()
					}
					q.measure(page, settle[slow])
				})
			}
		})
	}
}

// repeated is how often a page is loaded. The medians are shown.
const repeated = 3

// measure loads a page, leaves it alone for a time in ms, and presses its control.
func (p *page) measure(m measured, settle int) {
	p.t.Helper()
	var painted, slowest []float64
	for range repeated {
		p.goTo(m.path)
		var at struct{ Painted, Slowest float64 }
		must(p.t, p.run(fmt.Sprintf("new Promise(r => setTimeout(() => r(window.figures), %d))", settle), &at)) // before any press, because a press ends the measurement
		p.has(m.name+": it was all there when it was read", m.ready)
		var loads string
		must(p.t, p.run(waterfall, &loads))
		p.t.Logf("start, first byte, end (ms), bytes\n%s", loads)
		p.click(m.press)
		p.until(m.then)
		must(p.t, p.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => r(true), 100))))", nil)) // the duration is reported after the paint
		painted = append(painted, at.Painted)
		must(p.t, p.run("window.figures", &at))
		slowest = append(slowest, at.Slowest)
	}
	slices.Sort(painted)
	slices.Sort(slowest)
	p.t.Logf("%s: largest paint %.0f ms, next paint %.0f ms", m.name, painted[repeated/2], slowest[repeated/2])
}
