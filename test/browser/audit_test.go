package browser

import (
	_ "embed"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // the number of tabs that work at the same time
		panic(err)
	}
	testkit.Main(m)
}

//go:embed audit.js
var auditScript string

// audit inspects the page in its present state and walks through it with the keyboard.
func (p *page) audit(what string) {
	p.t.Helper()
	p.inspect(what)
	p.walk(what)
}

// everyLook reports whether each page is loaded by its address and inspected in every colour scheme at
// every width, as in make nightly.
func everyLook() bool { return os.Getenv("ASSAY_LOOKS") == "all" }

// walk goes through the page with the keyboard.
func (p *page) walk(what string) {
	p.t.Helper()
	for _, text := range p.keyboard() {
		p.t.Errorf("%s: %s", what, text)
	}
}

// inspect inspects the page, once its heading is there, at both widths, in one colour scheme each. Pages take turns, because all of
// them are made of the same parts. If [everyLook], it inspects both schemes at both widths.
func (p *page) inspect(what string) {
	p.t.Helper()
	p.inspected++
	// An element under the mouse may show a tooltip, placed for the former width.
	p.do("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": 1, "y": 1}, nil)
	p.until("document.querySelector('h1') && ![...document.querySelectorAll('[role=tooltip]')].some(e => e.checkVisibility())")
	for _, width := range []int{1280, 360} {
		for i, colours := range []string{"light", "dark"} {
			if !everyLook() && (i == p.inspected%2) == (width == 360) {
				continue
			}
			p.look(width, colours)
			var wrong []string
			must(p.t, p.run(auditScript, &wrong))
			for _, text := range wrong {
				p.t.Errorf("%s, %s, %d px: %s", what, colours, width, text)
			}
		}
	}
	p.look(1280, "light")
}

// maxStops bounds the way through a page with the keyboard.
const maxStops = 100

// keyboard goes through the page by Tab: every element that can be pressed or filled is reached, and
// the focus is visible (WCAG 2.2, 2.1.1 and 2.4.7).
func (p *page) keyboard() (wrong []string) {
	p.t.Helper()
	for same := false; !same; { // a page that changed on the way is walked again; its settled state bounds this
		must(p.t, p.run("window.stood = "+stops+", window.reached = new Set(), null", nil))
		wrong = p.tour()
		must(p.t, p.run("(now => now.length === stood.length && now.every((e, i) => e === stood[i]))("+stops+")", &same))
	}
	return wrong
}

// stops are the visible elements that can be pressed or filled.
const stops = `[...document.querySelectorAll("a[href], button, summary, input:not([type=hidden]), textarea")].filter(e => e.checkVisibility())`

// tour presses Tab until the focus is back at the first element.
func (p *page) tour() (wrong []string) {
	p.t.Helper()
	for range maxStops {
		p.key("Tab", 9)
		var at struct {
			Where   string
			Visible bool
			Again   bool
		}
		must(p.t, p.run(`(e => {
			if (!e || e === document.body) return {where: ""};
			const s = getComputedStyle(e), again = reached.has(e);
			reached.add(e);
			return {where: e.outerHTML.slice(0, 120), visible: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2, again};
		})(document.activeElement)`, &at))
		if at.Again {
			break
		}
		if at.Where != "" && !at.Visible { // "" is between the last and the first
			wrong = append(wrong, "the focus is not seen: "+at.Where)
		}
	}
	var missed []string
	must(p.t, p.run(stops+".filter(e => !reached.has(e)).map(e => e.outerHTML.slice(0, 120))", &missed))
	for _, e := range missed {
		wrong = append(wrong, "Tab does not reach "+e)
	}
	return wrong
}

// clean checks that there were no complaints, that only the service and the host were asked, and that
// the service returned only the expected errors: a status and a path each.
func (p *page) clean(service, host string, expected ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.complaints {
		p.t.Errorf("the browser complains: %s", text)
	}
	for _, address := range p.requests {
		u, err := url.Parse(address)
		must(p.t, err)
		if at := u.Scheme + "://" + u.Host; u.Scheme != "data" && u.Scheme != "about" && at != service && at != host {
			p.t.Errorf("a request to another origin: %s", address)
		}
	}
	var failed []string
	for _, text := range p.failed {
		if status, address, _ := strings.Cut(text, " "); strings.HasPrefix(address, service+"/") {
			path, _, _ := strings.Cut(strings.TrimPrefix(address, service), "?")
			if status == "503" && strings.HasSuffix(path, "/pull-requests/refresh") {
				continue // a repository of a world without code hosts; its page says so, and shows what is known
			}
			failed = append(failed, status+" "+path)
		}
	}
	if !slices.Equal(failed, expected) {
		p.t.Errorf("answers with an error: %v, want %v; in full: %v", failed, expected, p.failed)
	}
}

// The checks find the faults of a bad page. Otherwise a clean result would prove nothing.
func TestChecksFindFaults(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `console.error("from the script"); throw new Error("thrown")`)
			return
		}
		if r.URL.Path != "/" {
			w.Header().Set("Content-Type", "text/css")
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src *")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>x</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><h1>1</h1><h1>2</h1><input id="a" aria-invalid="true"><p id="a" aria-describedby="none">
			<a href="#none">to</a> <a href="/" tabindex="-1">missed</a> <button></button><img src="%s/x.png"><font color="#888888">grey</font><nobr>%s</nobr><script>inline()</script><script src="/a.js"></script>`, elsewhere.URL, strings.Repeat("wide ", 100))
	}))
	defer server.Close()
	p := newTab(t)
	p.goTo(server.URL)
	p.look(360, "light")
	must(t, p.run(`(made => {
		document.body.append(made);
		made.innerHTML = "<button>a long text</button><div>" + "wide".repeat(100) + "</div>";
		made.firstChild.style.cssText = "width: 40px; overflow: hidden; white-space: nowrap";
		made.lastChild.style.cssText = "width: 40px; overflow: auto";
	})(document.createElement("div"))`, nil))
	var wrong []string
	must(t, p.run(auditScript, &wrong))
	found := strings.Join(append(wrong, p.keyboard()...), "\n")
	for _, want := range []string{"no language", "the title is x", "2 elements h1", "0 elements main", "the id a", "no label", "no autocomplete", "error is not bound", "leads nowhere: none", "no name: <button", "the link leads nowhere", "no alternative",
		"px too wide at 360", "the words of a button are cut: <button style", "the keyboard does not scroll: <div", "a target is", "contrast of 3.5", "the focus is not seen", "Tab does not reach <a href=\"/\""} {
		if !strings.Contains(found, want) {
			t.Errorf("the audit does not say %q: %s", want, found)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	complaints := strings.Join(p.complaints, "\n")
	for _, want := range []string{"from the script", "thrown", "Content Security Policy"} {
		if !strings.Contains(complaints, want) {
			t.Errorf("the browser does not complain of %q: %s", want, complaints)
		}
	}
	if !slices.Contains(p.requests, elsewhere.URL+"/x.png") || !slices.Contains(p.failed, "404 "+server.URL+"/style.css") {
		t.Errorf("requests: %v, failed: %v", p.requests, p.failed)
	}
}

// A press reaches an element that the page has moved just before.
func TestAPressMeetsWhatMoves(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>x</title><button style="position: absolute; top: 0">go</button><script>
			const button = document.querySelector("button");
			let moves = 3;
			document.addEventListener("mousedown", () => { if (moves-- > 0) button.style.top = moves * 100 + 50 + "px"; }, true);
			button.addEventListener("click", () => { document.title += " pressed"; });
		</script>`)
	}))
	defer server.Close()
	p := newTab(t)
	p.goTo(server.URL)
	p.click("button")
	p.has("pressed once", `document.title === "x pressed"`)
}
