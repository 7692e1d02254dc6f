package browser

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

const (
	lostNote = "document.querySelectorAll('.connection-lost').length === 1 && document.querySelectorAll('main .note.bad').length === 0"
	backNote = "!document.querySelector('.connection-lost') && !document.querySelector('main [aria-busy=true]') && " +
		"document.querySelectorAll('main .note.bad').length === 0"
)

// The service stops and starts again below an open page: one note says so, and the page reads everything again
// without a click.
func TestPagesComeBackAfterAnOutage(t *testing.T) {
	t.Parallel()
	o := ownOffice(t)
	p := newTab(t)
	p.as(o.links[ada])
	world := storetest.Seed(t, o.store) // of another tenant: nothing of it is shown
	p.visit("/findings")
	p.visit("/inbox")
	for n, path := range []string{"/inbox", "/runs", "/findings"} {
		p.visit(path)
		p.stay()
		o.process.Kill()
		p.until(lostNote)
		if path == "/findings" { // an answer that the page does not have yet
			p.click("main nav a[href*=critical]")
			p.until("document.querySelector('main [aria-busy=true]') && " + lostNote)
			p.axe("the note of a lost connection")
		}
		if shots := os.Getenv("ASSAY_SHOTS"); shots != "" {
			p.shoot(fmt.Sprintf("lost-%d", n))
			p.look(390, "dark")
			p.shoot(fmt.Sprintf("lost-%d-narrow-dark", n))
			p.look(1280, "light")
		}
		storetest.Run(t, o.store, storetest.PullRequest(t, o.store, world.Repository, 900+n), "auto")
		o.process = testkit.Start(t, o.command)
		p.until(backNote + " && document.querySelector('main h1')")
		p.stayed()
		var foreign bool
		must(t, p.run(fmt.Sprintf("document.body.innerText.includes('#%d')", 900+n), &foreign))
		testkit.Equal(t, "a run of another tenant is shown", foreign, false)
	}
	p.visit("/runs")
	p.stay()
	o.process.Kill()
	p.until(lostNote)
	storetest.Run(t, o.store, storetest.PullRequest(t, o.store, o.world.Repository, 77), "auto")
	o.process = testkit.Start(t, o.command)
	p.until(backNote + " && document.querySelector('main tbody').innerText.includes('#77')")
	p.stayed()

	o.process.Kill()
	p.until(lostNote)
	p.click(".menus a[href$='/costs']") // its code is not loaded yet
	p.until(lostNote)
	o.process = testkit.Start(t, o.command)
	p.until(backNote + " && location.pathname.endsWith('/costs') && document.querySelector('main h1').innerText === 'Costs'")
	p.stayed()
	p.has("every style sheet", "[...document.querySelectorAll('link[rel=stylesheet]')].every(l => l.sheet.cssRules.length > 0) && !!document.querySelector('link[href*=CostsPage]')")
}

// Open lists show changes that were made elsewhere; two windows share one stream. Rows stay in their places while one of them has the focus.
func TestOpenListsFollow(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	p := newTab(t)
	p.as(o.links[ada])
	run := func(number int) {
		storetest.Run(t, o.store, storetest.PullRequest(t, o.store, o.world.Repository, number), "auto")
	}
	has := func(number int) string {
		return fmt.Sprintf("[...document.querySelectorAll('main tbody tr')].some(r => r.innerText.includes('#%d '))", number)
	}
	p.visit("/runs")
	p.stay()
	must(t, p.run("void (window.second = window.open(location.href))", nil))
	testkit.Eventually(t, time.Until(p.ends), func() (bool, string) {
		var streams [2]int
		err := p.run(`navigator.locks.query().then(q => [q.held, q.pending].map(l => l.filter(x => x.name.includes("/events")).length))`, &streams)
		return err == nil && streams == [2]int{1, 1}, fmt.Sprintf("of two windows, [open, waiting] streams: %v (%v)", streams, err)
	})
	must(t, p.run("window.second.close()", nil))
	run(71)
	p.until(has(71))
	must(t, p.run("document.querySelector('main tbody a').focus()", nil))
	run(72)
	p.until("document.querySelector('main .held .note')")
	var kept bool
	must(t, p.run("!("+has(72)+") && document.activeElement.closest('tr').innerText.includes('#71 ')", &kept))
	testkit.Equal(t, "the rows and the focus stay", kept, true)
	if shots := os.Getenv("ASSAY_SHOTS"); shots != "" {
		p.shoot("held")
	}
	must(t, p.run("document.activeElement.blur()", nil))
	p.until(has(72) + " && !document.querySelector('main .held .note')")
	p.visit("/inbox")
	reviewedOnce(context.Background(), t, o.store, o.world)
	p.until(has(81))
	p.stayed()
	p.clean(o.base, o.base)
}
