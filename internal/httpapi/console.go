package httpapi

import (
	"crypto/rand"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/auth"
)

// consolePolicy is the content policy of the console: its own scripts, styles of its
// own or with the nonce of the answer, requests to this origin. N is the nonce.
const consolePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"

// consolePage answers with the console, which shows what the path names. Who is not
// signed in is sent to the page of signing in before, and who does not belong to the
// tenant of the path is told that it does not exist, as for every route.
func (s *server) consolePage(w http.ResponseWriter, r *http.Request) {
	if s.console == nil {
		s.page(w, r, http.StatusOK, "unbuilt.html", nil)
		return
	}
	nonce := rand.Text()
	demo := ""
	if s.Demo != nil {
		raw, err := json.Marshal(consoleDemo(s.Demo))
		if err != nil {
			s.failPage(w, r, err)
			return
		}
		demo = string(raw)
	}
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Replace(consolePolicy, "'nonce-N'", "'nonce-"+nonce+"'", 1))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store") // a nonce is for one answer
	fill := strings.NewReplacer(noncePlace, `<meta name="csp-nonce" content="`+nonce+`" />`, demoPlace, `<meta name="assay-demo" content="`+html.EscapeString(demo)+`" />`)
	_, _ = io.WriteString(w, fill.Replace(s.console.index)) // the reader has gone; there is nobody to tell
}

// demoNote is what the console says in demo mode.
type demoNote struct {
	Note  string          `json:"note"`
	Links []demoElsewhere `json:"links"`
}

type demoElsewhere struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

func consoleDemo(d *DemoInfo) demoNote {
	out := demoNote{Note: d.Note, Links: []demoElsewhere{}}
	for _, l := range d.Links {
		if at := webLink(l.URL); at != "" {
			out.Links = append(out.Links, demoElsewhere{l.Title, string(at)})
		}
	}
	return out
}

// toSignIn is the page of signing in, which leads back to where somebody wanted to
// go, as far as that is a page of ours.
func toSignIn(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "/"
	}
	to, ok := auth.ReturnPath(r.URL.RequestURI())
	if !ok || to == "/" {
		return "/"
	}
	return "/?" + url.Values{"return": {to}}.Encode()
}

// returnOf is where the page of signing in leads back to; false: to no page of ours.
func returnOf(r *http.Request) (string, bool) {
	return auth.ReturnPath(r.URL.Query().Get("return"))
}

// returning adds to the addresses of the ways to sign in where they lead back.
func returning(ways []auth.Provider, to string) []auth.Provider {
	if to == "/" || to == "" {
		return ways
	}
	out := make([]auth.Provider, 0, len(ways))
	for _, way := range ways {
		if u, err := url.Parse(way.LoginURL); err == nil {
			q := u.Query()
			q.Set("return", to)
			u.RawQuery = q.Encode()
			way.LoginURL = u.String()
		}
		out = append(out, way)
	}
	return out
}
