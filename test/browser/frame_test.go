package browser

import "testing"

// A person who goes back from the instance to a list of a tenant finds it at the place where they left it.
func TestBackToAnotherFrame(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	p.goTo(d.base + "/t/" + d.ids(p)["tenantId"] + "/findings")
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 300, "deviceScaleFactor": 1, "mobile": false}, nil)
	const rows = "document.querySelectorAll('main tbody tr').length > 2"
	p.until(rows)
	must(t, p.run("new Promise(done => { addEventListener('scroll', done, {once: true}); scrollTo(0, 200); }).then(() => {})", nil))
	p.until("scrollY === 200")
	must(t, p.run("document.querySelector(\".menus a[href$='/instance/health']\").click()", nil))
	p.until("location.pathname === '/instance/health' && scrollY === 0 && " + loaded)
	must(t, p.run("history.back()", nil))
	p.until(rows + " && document.activeElement.innerText === 'Findings'")
	p.until("scrollY === 200 && document.title === 'Findings · assay'")
	p.clean(d.base, d.base)
}

// A hint fits into a narrow window, and stays while the pointer is on it. A day of figures has no hint.
func TestHintsInABrowser(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	p.do("Emulation.setTimezoneOverride", map[string]any{"timezoneId": "America/Los_Angeles"}, nil) // its names of times are long
	p.look(360, "light")
	p.goTo(d.base + "/t/" + d.ids(p)["tenantId"] + "/runs")
	const time, hint = "main tbody time[tabindex]", "document.querySelector('[role=tooltip]')"
	p.until("document.querySelector('" + time + "')")
	p.until(hint + " || document.activeElement.blur() || " + // hints are loaded when the page is idle
		"document.querySelector('" + time + "').focus()")
	p.until("(r => r.left >= 0 && r.right <= innerWidth)(" + hint + ".getBoundingClientRect()) && " +
		"document.documentElement.scrollWidth <= innerWidth")
	p.axe("a hint in a narrow window")
	must(t, p.run("document.activeElement.blur()", nil))
	p.until("!" + hint)

	p.look(1280, "light")
	p.point("document.querySelector('" + time + "')")
	p.until(hint)
	p.point(hint)
	must(t, p.run("new Promise(r => setTimeout(r, 300))", nil))
	p.has("the hint below the pointer", hint)
	p.point("document.querySelector('main h1')")
	p.until("!" + hint)
}

// point moves the mouse to the middle of an element.
func (p *page) point(element string) {
	p.t.Helper()
	var at struct{ X, Y float64 }
	must(p.t, p.run("(r => ({x: r.x + r.width / 2, y: r.y + r.height / 2}))(("+element+").getBoundingClientRect())", &at))
	p.do("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y}, nil)
}
