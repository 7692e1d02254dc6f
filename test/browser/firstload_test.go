package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// recordFetches records the addresses that the scripts of a page fetch.
const recordFetches = `(send => {
	window.fetched = [];
	window.fetch = (what, how) => { window.fetched.push(String(what.url ?? what)); return send(what, how); };
})(window.fetch);`

// The service names the first answers of a page in its HTML. The page uses each of them, and so requests none
// twice. Each page with such answers is opened with the queries that its file of answers names.
func TestPagesUseTheirFirstAnswers(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	raw, err := os.ReadFile(filepath.Join("..", "..", "web", "src", "app", "first.json"))
	must(t, err)
	var first struct {
		Pages map[string][]struct {
			Load   string
			Search []string
		}
	}
	must(t, json.Unmarshal(raw, &first))
	p.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": recordFetches}, nil)
	for route, loads := range first.Pages {
		searches := []string{"x=1"}
		for _, load := range loads {
			searches = append(searches, load.Search...)
		}
		slices.Sort(searches)
		for _, search := range slices.Compact(searches) {
			p.goTo("about:blank")
			address := d.base + fillIn(t, route, ids) + "?" + search
			p.goTo(address)
			p.until(loaded)
			var named []string
			must(t, p.run("[...document.querySelectorAll('link[rel=preload][as=fetch]')].map(l => l.href)", &named))
			if len(named) < 4 || search == "" && len(named) == 4 { // the frame has four
				t.Errorf("%s names the answers %v", address, named)
			}
			for _, answer := range named { // a request that got the answer of a link is not an entry of its own
				p.until("(answer => (n => n > 0 && n === performance.getEntriesByName(answer).length)(window.fetched.filter(a => a === answer).length))(" + quote(answer) + ")")
			}
			p.has(address+" names files", "document.querySelector('link[rel=modulepreload]')")
		}
	}
	p.clean(d.base, d.base)
}
