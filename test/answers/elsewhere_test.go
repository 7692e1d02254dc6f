package answers

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// leads are the ways in which an answer names another server, by the server's handler.
var leads = map[string]func(w http.ResponseWriter, r *http.Request, at string){
	"the next page by a header": func(w http.ResponseWriter, r *http.Request, at string) {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=2>; rel="next", <%s%s?page=9>; rel="last"`, at, r.URL.Path, at, r.URL.Path))
		w.Header().Set("X-HasMore", "true")
		_, _ = io.WriteString(w, "["+good(5)+"]")
	},
	"the next page by a member": func(w http.ResponseWriter, _ *http.Request, at string) {
		_, _ = io.WriteString(w, strings.Replace(wrapped(good(5)), "{", fmt.Sprintf(`{"next":%[1]q,"nextPage":%[1]q,"self":%[1]q,"@odata.nextLink":%[1]q,"nextPageToken":%[1]q,"isLast":false,`, at+"/next"), 1))
	},
	"addresses of everything": func(w http.ResponseWriter, _ *http.Request, at string) {
		_, _ = io.WriteString(w, strings.ReplaceAll(strings.ReplaceAll(good(5), "https://assay.example", at), "https://x.example", at))
	},
	"a redirect that may change the method": func(w http.ResponseWriter, r *http.Request, at string) {
		http.Redirect(w, r, at+r.URL.Path, http.StatusFound)
	},
	"a redirect that keeps the method": func(w http.ResponseWriter, r *http.Request, at string) {
		http.Redirect(w, r, at+r.URL.Path, http.StatusTemporaryRedirect)
	},
	"a redirect for ever": func(w http.ResponseWriter, r *http.Request, at string) {
		http.Redirect(w, r, at+r.URL.Path, http.StatusPermanentRedirect)
	},
}

// No answer makes a client ask another server or send it a credential. The exception is the log of a CI
// job, which a host may store elsewhere: it is fetched without a credential.
func TestNoAnswerLeadsElsewhere(t *testing.T) {
	var mu sync.Mutex
	var asking string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		allowed := strings.Contains(asking, "JobLog") && r.Method == http.MethodGet
		for _, name := range []string{"Authorization", "Private-Token", "X-Api-Key", "Cookie"} {
			allowed = allowed && r.Header.Get(name) == ""
		}
		if !allowed {
			t.Errorf("%s: another server was asked for %s %s", asking, r.Method, r.URL.Path)
		}
	}))
	t.Cleanup(elsewhere.Close)
	s := newServer(t)
	tried, depths := 0, 2
	if full() {
		depths = 3
	}
	for lead, answer := range leads {
		s.instead = func(w http.ResponseWriter, r *http.Request) { answer(w, r, elsewhere.URL) }
		for name, c := range clients(t, s) {
			for method, call := range c.calls() {
				mu.Lock()
				asking = fmt.Sprintf("%s, %s of %s", lead, method, name)
				mu.Unlock()
				for well := range depths {
					s.limit = 20
					s.begin(well, always(""))
					call(t.Context())
					tried++
				}
			}
		}
	}
	t.Logf("%d calls", tried)
}
