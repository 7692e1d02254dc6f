package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// page is a tab. It records its requests and complaints.
type page struct {
	*profile
	session string
	width   int    // of the window, in CSS pixels
	colours string // that the person prefers: light or dark

	inspected int // how often the page was inspected

	mu         sync.Mutex
	complaints []string // of console, scripts and content policies
	failed     []string // error responses, as "404 http://…"
	requests   []string // addresses
	loaded     int      // bytes received over the network, compressed
	asked      []string // kinds of dialogs that the browser opened; each was confirmed
	tally      tally    // counts the clicks and fields of the person
}

// tab opens a page with the cookies of all other pages of the profile. It has its own window and
// behaves like the front page.
func (f *profile) tab() *page {
	f.t.Helper()
	var target struct{ TargetID string }
	must(f.t, f.try("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": f.id, "newWindow": true}, &target))
	var attached struct{ SessionID string }
	must(f.t, f.try("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached))
	p := &page{profile: f, session: attached.SessionID}
	f.listen(p.session, p.heard)
	f.t.Cleanup(func() { f.listen(p.session, nil) })
	for _, domain := range []string{"Page", "Runtime", "Network", "Log", "Audits", "Inspector"} {
		p.do(domain+".enable", nil, nil)
	}
	p.do("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	p.do("Network.setExtraHTTPHeaders", map[string]any{"headers": map[string]string{"X-Forwarded-For": f.address}}, nil)
	p.observe()
	p.look(1280, "light")
	return p
}

// heard records a report.
func (p *page) heard(m message) {
	var v struct {
		Type  string
		Args  []struct{ Value, Description any }
		Entry struct{ Level, Source, Text, URL string }
		Issue struct {
			Code    string
			Details json.RawMessage
		}
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Name, Payload string
		Request       struct{ URL string }
		Response      struct {
			URL    string
			Status int
		}
		EncodedDataLength float64
	}
	_ = json.Unmarshal(m.Params, &v) // reports of other kinds have other fields
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Method {
	case "Network.requestWillBeSent":
		p.requests = append(p.requests, v.Request.URL)
	case "Network.loadingFinished":
		p.loaded += int(v.EncodedDataLength)
	case "Network.responseReceived":
		if v.Response.Status >= 400 {
			p.failed = append(p.failed, fmt.Sprint(v.Response.Status, " ", v.Response.URL))
		}
	case "Runtime.exceptionThrown":
		p.complaints = append(p.complaints, "script: "+v.ExceptionDetails.Text+" "+v.ExceptionDetails.Exception.Description)
	case "Runtime.consoleAPICalled":
		if v.Type == "error" || v.Type == "warning" || v.Type == "assert" {
			p.complaints = append(p.complaints, fmt.Sprint("console: ", v.Args))
		}
	case "Log.entryAdded":
		if strings.Contains(v.Entry.Text, "was preloaded using link preload but not used within a few seconds") {
			break // a slow machine causes it, too; TestPagesUseTheirFirstAnswers checks the use
		}
		if v.Entry.Source != "network" && v.Entry.Level != "verbose" && v.Entry.Level != "info" { // statuses are in failed
			p.complaints = append(p.complaints, v.Entry.Source+": "+v.Entry.Text)
		}
	case "Runtime.bindingCalled":
		p.tally.add(v.Payload)
	case "Page.javascriptDialogOpening":
		p.asked = append(p.asked, v.Type)
		p.call(p.session, "Page.handleJavaScriptDialog", map[string]any{"accept": true})
	case "Inspector.targetCrashed":
		p.t.Errorf("the process of the page has ended; the browser shows nothing more of it")
	case "Audits.issueAdded":
		p.complaints = append(p.complaints, v.Issue.Code+": "+string(v.Issue.Details))
	}
}

func (p *page) do(method string, params, into any) {
	p.t.Helper()
	must(p.t, p.try(p.session, method, params, into))
}

// look sets the width of the window in CSS pixels and the preferred colours: light or dark.
func (p *page) look(width int, colours string) {
	p.t.Helper()
	if p.width != width {
		p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	}
	if p.colours != colours {
		p.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": colours}}}, nil)
	}
	p.width, p.colours = width, colours
}

// goTo opens an address.
func (p *page) goTo(address string) {
	p.t.Helper()
	if !p.navigate(address) { // only the fragment differs
		p.navigate("about:blank")
		p.navigate(address)
	}
	p.until("document.readyState === 'complete'")
}

// navigate opens an address, and waits until its page has begun to load. It returns false if the page
// stayed, because only the fragment differs.
func (p *page) navigate(address string) bool {
	p.t.Helper()
	var at struct{ LoaderID string }
	p.do("Page.navigate", map[string]any{"url": address}, &at)
	return at.LoaderID != ""
}

// move goes to a different page of the console like a link, without loading it, and waits until the
// heading changes.
func (p *page) move(address string) {
	p.t.Helper()
	p.until("document.querySelector('main h1')")
	must(p.t, p.run(`(to => {
		if (location.href === to) return; // it is there already
		document.querySelector("main h1").setAttribute("data-left", "");
		history.pushState({}, "", to);
	})(`+quote(address)+`)`, nil))
	p.until("document.querySelector('main h1:not([data-left])')")
}

// run evaluates an expression. It returns an error for an exception, or if the page was left meanwhile.
func (p *page) run(expression string, into any) error {
	p.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	if err := p.try(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &out); err != nil {
		return err
	}
	if out.ExceptionDetails != nil {
		return fmt.Errorf("%s", out.ExceptionDetails.Exception.Description)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(out.Result.Value, into)
}

// awaited is a promise of the page that waits for an expression. It evaluates the expression when the
// document changes, and regularly because positions, styles and values change without an event. It
// resolves to "", or after a time (in ms) to the last problem.
const awaited = `new Promise(done => {
	const end = Date.now() + %d;
	let soon = 0;
	const look = () => {
		soon = 0;
		let is = false, why = "false";
		try { is = !!(%s); } catch (e) { why = String(e); }
		changes.takeRecords(); // looking may mark elements
		if (!is && Date.now() < end) return;
		changes.disconnect();
		clearInterval(again);
		done(is ? "" : why);
	};
	const changes = new MutationObserver(() => { soon ||= setTimeout(look, 10); });
	changes.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
	const again = setInterval(look, 100);
	look();
})`

// glance is how long one promise waits before it is replaced.
const glance = 5 * time.Second

// until waits until an expression is true, across page loads, which end the promises of the former
// page.
func (p *page) until(expression string) {
	p.t.Helper()
	testkit.Eventually(p.t, time.Until(p.ends), func() (bool, string) {
		var why string
		err := p.run(fmt.Sprintf(awaited, glance.Milliseconds(), expression), &why)
		if err == nil && why == "" {
			return true, ""
		}
		return false, fmt.Sprintf("(%v %s) at %s: %s", err, why, p.at(), expression)
	})
}

// at returns the address of the page, how many animations run, and the beginning of its text, for messages. They are short,
// because reports of test runs cut long lines.
func (p *page) at() (out string) {
	_ = p.run(`location.pathname + location.search + ", " + document.getAnimations().filter(a => a.playState === "running").length + " animations: " +
		((document.querySelector("[role=dialog], main") ?? document.body)?.innerText ?? "").replace(/\s+/g, " ").slice(0, 300)`, &out)
	return out
}

// fill types into a field and replaces its value.
func (p *page) fill(selector, value string) {
	p.t.Helper()
	p.replace("document.querySelector("+quote(selector)+")", value)
}

// replace types into the field of an expression and replaces its value. It types again if the focus has
// moved meanwhile, as it does while a dialog opens.
func (p *page) replace(field, value string) {
	p.t.Helper()
	testkit.Eventually(p.t, time.Until(p.ends), func() (is bool, why string) {
		must(p.t, p.run("(e => { e.focus(); e.select(); })("+field+")", nil))
		p.do("Input.insertText", map[string]any{"text": value}, nil)
		must(p.t, p.run("document.activeElement === "+field, &is))
		return is, "the focus does not stay in " + field
	})
}

// atRest is true when no element of the page moves or fades.
const atRest = "document.getAnimations().every(a => a.playState !== 'running' || a.effect.getComputedTiming().iterations === Infinity) && " +
	"[...document.querySelectorAll('[role=dialog], [role=menu]')].every(e => getComputedStyle(e).opacity === '1')"

// presses bounds how often a changing page may move an element away from the mouse.
const presses = 20

// click clicks the first element of a selector.
func (p *page) click(selector string) {
	p.t.Helper()
	p.clickOn("document.querySelector(" + quote(selector) + ")")
}

// clickOn presses the mouse button at the element of an expression when it exists and the page is at rest,
// and fails if another element covers it. If the page has moved the element just before, as a running
// review does, it presses again, as a person would.
func (p *page) clickOn(element string) {
	p.t.Helper()
	for range presses {
		if p.clicked(element) {
			return
		}
	}
	p.t.Fatalf("%s moves away from each press, at %s", element, p.at())
}

// clicked presses once, and returns false if it missed the element.
func (p *page) clicked(element string) bool {
	p.t.Helper()
	p.until("(" + element + ") && " + atRest)
	var at struct {
		X, Y          float64
		Gone, Noticed bool // the element is not there any more, or below a notice
	}
	if err := p.run(`(e => {
		if (!e) return {gone: true};
		e.scrollIntoView({block: "center"});
		const r = e.getClientRects()[0] ?? e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
		const top = document.elementFromPoint(x, y);
		if (!e.contains(top) && top?.closest(".mantine-Notification-root")) return {noticed: true};
		if (!top || !e.contains(top)) throw new Error("is covered by " + top?.outerHTML.slice(0, 120));
		window.missed = true;
		window.other = "";
		addEventListener("click", ({target}) => { // a page that renders its list again has another element at this place
			window.missed = !e.contains(target) && !(`+element+`)?.contains(target);
			if (window.missed) window.other = target.closest("a, button")?.outerHTML.slice(0, 200) ?? "";
		}, {capture: true, once: true});
		return {x, y};
	})(`+element+`)`, &at); err != nil {
		p.t.Fatalf("%s cannot be clicked: %v, at %s", element, err, p.at())
	}
	if at.Noticed {
		p.until("!document.querySelector('.mantine-Notification-root')") // it goes by itself
	}
	if at.Gone || at.Noticed {
		return false
	}
	p.mu.Lock()
	before := p.tally.clicks
	p.mu.Unlock()
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
	var did struct {
		Missed bool
		Other  string // the link or button that was pressed instead
	}
	err := p.run("({missed: window.missed === true, other: window.other})", &did)
	if err == nil && did.Other != "" {
		p.t.Logf("%s has moved, and the press met %s", element, did.Other) // if this led away, the test ends soon
	}
	if err == nil && did.Missed {
		p.mu.Lock()
		p.tally.clicks = before // the person meant one click
		p.mu.Unlock()
		return false
	}
	return true // an error: the page is being left
}

// key presses a key without text, such as Tab.
func (p *page) key(name string, code int) {
	p.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		p.do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code}, nil)
	}
}

// quote writes a text as a literal of the page's language.
func quote(s string) string {
	raw, _ := json.Marshal(s) // a text
	return strings.ReplaceAll(string(raw), "\u2028", `\u2028`)
}
