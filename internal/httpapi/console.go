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
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
)

// consolePolicy is the content security policy of the console: its own scripts, its own styles or styles
// with the nonce of the answer, and requests to this origin. N stands for the nonce.
const consolePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"

// consolePage serves the console, which shows the page of the path. Requests without a session are
// redirected to the sign-in page before. A person who is not a member of the path's tenant gets the same
// answer as for a tenant that does not exist, as on every route.
func (s *server) consolePage(w http.ResponseWriter, r *http.Request) {
	s.consoleOf(w, r, callerFrom(r.Context()).tenant.ID)
}

// consoleOf serves the console to a person who will see the tenant with the given id first, or "" if that is open. The page
// holds the version of the tenant's event stream from before any answer that the page reads, so that the console reads its
// answers again after the stream's first event only if something has changed since.
func (s *server) consoleOf(w http.ResponseWriter, r *http.Request, tenantID string) {
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
	version := ""
	if tenantID != "" {
		version = s.tenantVersion(r.Context(), tenantID)
	}
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Replace(consolePolicy, "'nonce-N'", "'nonce-"+nonce+"'", 1))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store") // each answer has its own nonce
	fill := strings.NewReplacer(noncePlace, `<meta name="csp-nonce" content="`+nonce+`" />`, demoPlace,
		`<meta name="assay-demo" content="`+html.EscapeString(demo)+`" />`, versionPlace,
		`<meta name="assay-version" content="`+version+`" />`, loadsPlace, s.console.firstLoads(s.shownAt(r)))
	_, _ = io.WriteString(w, fill.Replace(s.console.index)) // fails only if the reader has gone
}

// reviewPage matches the path of a review's page.
var reviewPage = regexp.MustCompile(`^/t/[^/]+/repositories/([^/]+)/runs/([^/]+)$`)

// shownAt returns the address of the request with the tab that the console shows for it: a review that waits for approval opens
// on its approval, not on its changes. A reader who cannot see the review gets the address as it is.
func (s *server) shownAt(r *http.Request) *url.URL {
	part := reviewPage.FindStringSubmatch(r.URL.Path)
	if part == nil || r.URL.RawQuery != "" || !plausibleID(part[1]) || !plausibleID(part[2]) {
		return r.URL
	}
	reader := *callerFrom(r.Context())
	if err := s.enterRepository(r.Context(), &reader, part[1], false); err != nil {
		return r.URL
	}
	run, err := s.Store.Run(r.Context(), reader.tenant, part[2])
	if err != nil || run.Repository != part[1] || run.State != domain.RunAwaitingApproval {
		return r.URL
	}
	shown := *r.URL
	shown.RawQuery = "tab=approval"
	return &shown
}

// demoNote is the console's note in demo mode.
type demoNote struct {
	Note  string          `json:"note"`
	Links []demoElsewhere `json:"links"`
	Pulls []string        `json:"pulls"`
}

type demoElsewhere struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

func consoleDemo(d *DemoInfo) demoNote {
	out := demoNote{Note: d.Note, Links: []demoElsewhere{}, Pulls: []string{}}
	for _, l := range d.Links {
		if at := webLink(l.URL); at != "" {
			out.Links = append(out.Links, demoElsewhere{l.Title, string(at)})
		}
	}
	for _, pull := range d.Pulls {
		if at := webLink(pull); at != "" {
			out.Pulls = append(out.Pulls, string(at))
		}
	}
	return out
}

// signInPath returns the address of the sign-in page that leads back to the requested page, if that is a page
// of assay.
func signInPath(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "/"
	}
	to, ok := auth.ReturnPath(r.URL.RequestURI())
	if !ok || to == "/" {
		return "/"
	}
	return "/?" + url.Values{"return": {to}}.Encode()
}

// returnPath returns the path that the sign-in page leads back to. It returns false if that is not a page of
// assay.
func returnPath(r *http.Request) (string, bool) {
	return auth.ReturnPath(r.URL.Query().Get("return"))
}

// withReturnPath adds the return path to the sign-in addresses.
func withReturnPath(ways []auth.Provider, to string) []auth.Provider {
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
