package httpapi_test

import (
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// TestOtherTenantsThingsDoNotExist calls every route of a tenant with every id of another tenant of the same
// shape, in every place of the path and in every body. The answer has the same bytes as for an id that never
// existed, and nothing changes.
func TestOtherTenantsThingsDoNotExist(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		w := newWorld(t, s)
		mine, theirs := newEstates(w)
		mine.build(t)
		theirs.build(t)
		_, ops := operations(t)
		quiet := []string{"sessions", "audit_logs", "audit_entries", "audit_hashes"}
		before := storetest.Dump(t, url, quiet...)
		for _, rt := range httpapi.Routes() {
			if !strings.Contains(rt.Path, "{tenantId}") || rt.Auth == "mcp-token" { // see TestWhoUploads
				continue
			}
			body := ""
			if i := slices.IndexFunc(ops, func(op operation) bool { return op.method == rt.Method && op.path == rt.Path }); i >= 0 {
				body = mine.body(ops[i])
			} else if rt.Body != "-" {
				body = "{}"
			}
			for _, foreign := range foreignPaths(mine, theirs, rt.Path) {
				never := neverIssued(foreign.path, foreign.ids)
				send := func(path string) reply {
					if rt.Method == http.MethodPost && strings.HasPrefix(rt.Path, "/t/") { // the form of a page
						return w.call(admin, rt.Method, path, "csrf="+w.people[admin].csrf, form)
					}
					return w.call(admin, rt.Method, path, body)
				}
				got, want := send(foreign.path), send(never)
				switch {
				case !rt.Implemented && foreign.child:
					if got.status != http.StatusNotImplemented {
						t.Errorf("%s %s: %d, want 501", rt.Method, foreign.path, got.status)
					}
				case got.status != http.StatusNotFound:
					t.Errorf("%s %s with %s of another tenant: %d %s", rt.Method, rt.Path, foreign.what, got.status, got.body)
				case got.body != want.body || !reflect.DeepEqual(comparable(got.header), comparable(want.header)):
					t.Errorf("%s %s: the answer differs for a foreign and an unused id:\n%s\n%s", rt.Method, rt.Path, got.body, want.body)
				}
			}
		}
		bodiesOfOthers(t, mine, theirs, ops)
		after := storetest.Dump(t, url, quiet...)
		for table := range after {
			if !slices.Equal(before[table], after[table]) {
				t.Errorf("the calls changed the table %s", table)
			}
		}
	})
}

type foreignPath struct {
	path, what string
	ids        []string
	child      bool // only the last id is foreign; tenant and repository are the caller's
}

// foreignPaths returns a route's paths with ids of the other tenant: all of them at once, and each alone
// below the caller's tenant.
func foreignPaths(mine, theirs *estate, pattern string) []foreignPath {
	out := []foreignPath{{path: theirs.path(pattern), what: "everything", ids: []string{theirs.at.Tenant.ID}}}
	own, other := strings.Split(mine.path(pattern), "/"), strings.Split(theirs.path(pattern), "/")
	for i, part := range strings.Split(pattern, "/") {
		if !strings.HasPrefix(part, "{") || part == "{tenantId}" || other[i] == "absent" || other[i] == own[i] {
			continue
		}
		mixed := slices.Clone(own)
		mixed[i] = other[i]
		out = append(out, foreignPath{path: strings.Join(mixed, "/"), what: part, ids: []string{other[i]}, child: part != "{repositoryId}"})
	}
	return out
}

// neverIssued replaces ids by unused ones of the same form.
func neverIssued(path string, ids []string) string {
	for _, id := range ids {
		path = strings.ReplaceAll(path, id, unusedID(id))
	}
	return path
}

var lastDigits = regexp.MustCompile(`[0-9a-z]{8}$`)

func unusedID(id string) string { return lastDigits.ReplaceAllString(id, "zzzzzzzz") }

// bodiesOfOthers puts ids of the other tenant into valid bodies. They are refused with the same words as an
// unused id.
func bodiesOfOthers(t *testing.T, mine, theirs *estate, ops []operation) {
	t.Helper()
	refs := map[string]string{mine.at.Repository.ID: theirs.at.Repository.ID, mine.at.Run.ID: theirs.at.Run.ID, mine.second.ID: theirs.second.ID}
	for path, id := range mine.made {
		if theirs.made[path] != id {
			refs[id] = theirs.made[path]
		}
	}
	tried := 0
	for _, op := range ops {
		if !strings.Contains(op.path, "{tenantId}") || notMade[op.method+" "+op.path] != "" {
			continue
		}
		body := mine.body(op)
		for id, other := range refs {
			if id == "" || other == "" || !strings.Contains(body, id) {
				continue
			}
			tried++
			got := mine.w.call(mine.who, op.method, mine.path(op.path), strings.ReplaceAll(body, id, other))
			want := mine.w.call(mine.who, op.method, mine.path(op.path), strings.ReplaceAll(body, id, unusedID(other)))
			if got.status != http.StatusUnprocessableEntity && got.status != http.StatusNotFound || got.body != want.body {
				t.Errorf("%s %s with a foreign id in the body: %d %s; with an unused one: %d %s", op.method, op.path, got.status, got.body, want.status, want.body)
			}
		}
	}
	if tried < 2 {
		t.Errorf("only %d bodies refer to something", tried)
	}
}

// comparable returns the headers that do not differ between requests.
func comparable(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"X-Request-Id", "Date"} {
		h.Del(name)
	}
	return h
}
