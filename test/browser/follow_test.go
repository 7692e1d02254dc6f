package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// The script of the page of a run says what the stream of the run says, and loads
// the page again at the end. A page that is not seen has no stream. Where the stream is refused, the page says what to do.
func TestAPageFollowsItsRun(t *testing.T) {
	t.Parallel()
	program(t)
	script, err := os.ReadFile(filepath.Join("..", "..", "internal", "httpapi", "html", "follow.js"))
	must(t, err)
	const usage = `"usage":{"calls":%d,"costMicros":%s,"currency":"USD"}`
	more := make(chan string)
	var over atomic.Bool
	var open atomic.Int64 // streams
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/follow.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(script)
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			open.Add(1)
			defer open.Add(-1)
			for {
				select {
				case text := <-more:
					_, _ = fmt.Fprint(w, text)
					_ = http.NewResponseController(w).Flush()
				case <-r.Context().Done():
					return
				}
			}
		case "/", "/refused":
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:")
			w.Header().Set("Content-Type", "text/html")
			box := `<div data-events="/events"><p>a</p><p>b</p><p>c</p></div><script src="/follow.js" defer></script>`
			if r.URL.Path == "/refused" {
				box = `<div data-events="/nowhere"><p>a</p><p>b</p><p>c</p></div><script src="/follow.js" defer></script>`
			} else if over.Load() {
				box = "<p>The run is over</p>"
			}
			_, _ = fmt.Fprint(w, `<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,">`+box)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	p := launch(t).tab()
	shows := func(line int, text string) {
		t.Helper()
		p.until(fmt.Sprintf("document.querySelectorAll('p')[%d].textContent === %s", line, quote(text)))
	}
	p.goTo(server.URL + "/refused")
	shows(2, "Load the page again for news.")
	p.goTo(server.URL + "/")
	shows(2, "This page follows the run.")
	more <- "retry: 3000\n\nevent: progress\nid: 1\ndata: {\"state\":\"queued\"," + fmt.Sprintf(usage, 0, "0") + "}\n\n"
	shows(0, "On its way.")
	shows(1, "0 calls of models so far.")
	more <- ": still here\n\nevent: progress\nid: 2\ndata: {\"state\":\"running\",\"progress\":{\"stage\":\"<b>generate</b>\",\"done\":3,\"total\":7,\"files\":12}," + fmt.Sprintf(usage, 5, "12345") + "}\n\n"
	shows(0, "Working: <b>generate</b>, 3 of 7.")
	shows(1, "12 files, 5 calls of models, 0.0123 USD so far.")
	more <- "event: progress\nid: 3\ndata: {\"state\":\"publishing\"," + fmt.Sprintf(usage, 6, "null") + "}\n\n"
	shows(0, "Publishing.")
	shows(1, "6 calls of models, unknown USD so far.")
	hide := func(hidden bool, streams int64) {
		t.Helper()
		must(t, p.run(fmt.Sprintf("Object.defineProperty(document, 'hidden', {value: %v, configurable: true}) && document.dispatchEvent(new Event('visibilitychange'))", hidden), nil))
		testkit.Eventually(t, patience, func() (bool, string) {
			return open.Load() == streams, fmt.Sprintf("%d streams are open, hidden %v", open.Load(), hidden)
		})
	}
	hide(true, 0)
	hide(false, 1)
	over.Store(true)
	more <- "event: end\nid: 4\ndata: {\"state\":\"completed\"," + fmt.Sprintf(usage, 6, "null") + "}\n\n"
	shows(0, "The run is over")
	p.clean(server.URL, server.URL, "404 /nowhere")
}
