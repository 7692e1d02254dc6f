package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// The review of the demo that waits: a person reads it, leaves a finding out and
// approves the rest, and the host shows exactly that.
func TestApprovingInABrowser(t *testing.T) {
	t.Parallel()
	port := testkit.FreePort(t)
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	program(t)
	demo := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "demo", Args: []string{"serve", "--demo"}, Env: map[string]string{
		"ASSAY_DATA_DIR": t.TempDir(), "ASSAY_LISTEN": fmt.Sprintf("127.0.0.1:%d", port), "ASSAY_METRICS_LISTEN": "off"}})
	link := strings.TrimSpace(demo.WaitLine(patience, base+"/auth/break-glass#token="))
	pull, _, _ := strings.Cut(strings.TrimSpace(demo.WaitLine(patience, "/acme/payouts/pull/1 ")), " ")
	_, run, _ := strings.Cut(demo.WaitLine(patience, "decide at "), "decide at ")
	p := launch(t).tab()
	p.signIn(link)
	p.goTo(strings.TrimSpace(run))
	p.until("document.querySelector('button[value=approve]')")
	p.audit("a review that waits")
	p.fill("#note", "The first one is known.")
	p.click("input[name=drop]")
	p.press("button[value=approve]", "h1")
	p.until("document.body.innerText.includes('approved this review') && !document.querySelector('button[value=approve]')")
	p.has("what was left out, and why", "document.body.innerText.includes('The first one is known.') && document.body.innerText.includes('left out')")
	p.has("the finding, no longer among those that are shown", "document.querySelector('details .finding') && !document.querySelector('main > .finding')")
	p.audit("a review that was approved")
	p.until("[...document.querySelectorAll('.history .state')].some(e => e.innerText === 'completed')")
	p.goTo(pull)
	p.has("the review without what was left out", "document.body.innerText.includes('Reviewed 1 file') && !document.body.innerText.includes('A payout can be sent twice')")
}
