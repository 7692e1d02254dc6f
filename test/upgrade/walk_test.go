package upgrade

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/httpapi"
)

// notWalked are routes that are not requested, with the reason.
var notWalked = map[string]string{
	"/api/tenants/{tenantId}/llm-credentials/{credentialId}/models":                   "asks the provider of the models",
	"/auth/trackers/tracker-b/callback":                                               "a tracker sends a browser here, with a state that was made before",
	"/api/instance/health":                                                            "the process of the test cannot examine the installation",
	"/api/tenants/{tenantId}/repositories/{repositoryId}/review-runs/{runId}/diff":    "runs of versions before, and those that ended early, have none: 409",
	"/api/tenants/{tenantId}/repositories/{repositoryId}/sast-runs/{sastRunId}/sarif": "runs of versions before have no document: 404",
	"/api/tenants/{tenantId}/provider-connections/{connectionId}/accounts":            "the host is asked",
	"/api/tenants/{tenantId}/repositories/{repositoryId}/code-search":                 "there is no index before a worker builds one: 409",
	"/api/tenants/{tenantId}/repositories/{repositoryId}/onboarding":                  "one that was never tried out has none; the list of the tenant is asked",
}

// fleeting are lists of things that soon end, with the reason. Their numbers of items are not compared.
var fleeting = map[string]string{
	"/api/me/sessions": "sessions end",
}

// walk requests every reading route that needs a session, for each id in the lists: routes of the
// instance as its admin, others as an admin of the tenant. Each must answer. It returns the number of
// items of each list, by path, and -1 if the answer is not a list.
func (s *service) walk() map[string]int {
	s.t.Helper()
	w := &walker{service: s, items: map[string]int{}, ids: map[string][]string{}}
	var routes []httpapi.RouteInfo
	for _, r := range httpapi.Routes() {
		if r.Method == http.MethodGet && r.Auth == "session" && notWalked[r.Path] == "" {
			routes = append(routes, r)
		}
	}
	slices.SortStableFunc(routes, func(a, b httpapi.RouteInfo) int { return len(a.Path) - len(b.Path) }) // lists before their items
	root, tenants := s.instanceAdmin(), s.admins()
	for _, r := range routes {
		if !strings.Contains(r.Path, "{tenantId}") {
			w.all(r, root, r.Path)
			continue
		}
		for id, admin := range tenants {
			w.all(r, admin, strings.Replace(r.Path, "{tenantId}", id, 1))
		}
	}
	return w.items
}

type walker struct {
	*service
	items map[string]int
	ids   map[string][]string // of the items, by path
}

// listed is an item of a list. Pull requests have a number and no id, and members the id of a person.
type listed struct {
	ID     string
	UserID string
	Number json.Number
}

// all requests a route for every value of its parameters.
func (w *walker) all(r httpapi.RouteInfo, who person, path string) {
	w.t.Helper()
	at := strings.Index(path, "/{")
	if at < 0 {
		w.one(r, who, path)
		return
	}
	rest := ""
	if i := strings.Index(path[at+1:], "/"); i >= 0 {
		rest = path[at+1+i:]
	}
	for _, id := range w.ids[path[:at]] {
		w.all(r, who, path[:at]+"/"+id+rest)
	}
}

// one requests a path, page by page.
func (w *walker) one(r httpapi.RouteInfo, who person, path string) {
	w.t.Helper()
	want, query := http.StatusOK, w.query(r)
	if !r.Implemented {
		want = http.StatusNotImplemented
	}
	w.items[path] = -1
	for cursor := ""; ; {
		ask := url.Values{}
		for name, v := range query {
			ask.Set(name, v)
		}
		if cursor != "" {
			ask.Set("cursor", cursor)
		}
		status, body := w.call(who, http.MethodGet, path+"?"+ask.Encode(), "")
		if status != want {
			w.t.Errorf("GET %s as %s: %d, want %d: %.500s", path, who.name, status, want, body)
			return
		}
		var page struct {
			Items      []listed
			NextCursor string
			OK         *bool
		}
		if json.Unmarshal([]byte(body), &page) != nil { // other items, or not JSON
			var loose struct{ Items []json.RawMessage }
			_ = json.Unmarshal([]byte(body), &loose)
			page.Items = make([]listed, len(loose.Items))
		}
		if strings.HasSuffix(path, "/audit/verify") && (page.OK == nil || !*page.OK) {
			w.t.Errorf("GET %s: %s", path, body)
		}
		if strings.Contains(body, `"items":[`) && fleeting[r.Path] == "" {
			w.items[path] = max(w.items[path], 0) + len(page.Items)
		}
		for _, item := range page.Items {
			w.ids[path] = append(w.ids[path], cmp.Or(item.ID, item.UserID, item.Number.String()))
		}
		if cursor = page.NextCursor; cursor == "" {
			return
		}
	}
}

// query returns the parameters that a route requires.
func (w *walker) query(r httpapi.RouteInfo) map[string]string {
	w.t.Helper()
	switch r.Path {
	case "/api/tenants/{tenantId}/search":
		return map[string]string{"text": "a pull request"}
	case "/api/instance/deliveries":
	default:
		return nil
	}
	var guid string
	must(w.t, w.db.Read.QueryRowContext(bg, `SELECT min(delivery_guid) FROM webhook_deliveries`).Scan(&guid))
	return map[string]string{"guid": guid}
}
