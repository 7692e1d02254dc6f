package browser

import (
	"fmt"
	"os"
	"testing"
)

// The first row of each list begins high on the page, and a row with a title has two lines. The note of the demo is not counted.
func TestListsBeginHighAndHaveLowRows(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	tenant := d.base + "/t/" + d.ids(p)["tenantId"]
	for _, name := range []string{"inbox", "runs", "repositories", "findings"} {
		p.goTo(tenant + "/" + name)
		p.until("document.querySelector('main tbody tr td')")
		if os.Getenv("ASSAY_SHOTS") != "" {
			p.shoot("rows-" + name)
		}
		must(t, p.run(`void document.querySelector("main .demo")?.remove()`, nil))
		must(t, p.run(`document.querySelectorAll("main time").forEach(t => t.textContent = "59 minutes ago")`, nil)) // the widest
		var at struct{ Top, Height float64 }
		must(t, p.run(`(rows => ({Top: rows[0].top, Height: Math.min(...rows.map(r => r.height))}))( // a row with a reason is higher
			[...document.querySelectorAll("main tbody tr")].map(r => r.getBoundingClientRect()))`, &at))
		t.Logf("%s: the first row begins at %.0f px, and the lowest one is %.0f px high", name, at.Top, at.Height)
		p.has(name+": the first row is high on the page", fmt.Sprintf("%v <= 220", at.Top))
		p.has(name+": the rows are low", fmt.Sprintf("%v <= 62", at.Height))
	}
}
