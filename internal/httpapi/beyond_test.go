package httpapi_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestRoutesBeyondTheSpecification sends a request to every route that the specification does not have, as a
// person of every role. The permissions come from testdata/beyond_routes.tsv, which must list every such
// route.
func TestRoutesBeyondTheSpecification(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "beyond_routes.tsv"))
	must(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	var there []string
	for _, r := range httpapi.Routes() {
		if r.BeyondSpec && strings.HasPrefix(r.Path, "/api/") {
			there = append(there, r.Method+"\t"+r.Path+"\t"+r.Permission)
		}
	}
	slices.Sort(there)
	slices.Sort(lines)
	testkit.Equal(t, "routes", strings.Join(there, "\n"), strings.Join(lines, "\n"))

	w := newWorld(t, storetest.SQLite(t))
	roles := map[string]string{member: "view", reviewer: "review", manager: "manage"}
	for _, who := range []string{roleless, reviewer, manager} {
		w.person(who, false, w.Tenant, domain.RoleMember)
	}
	for _, line := range lines {
		method, rest, _ := strings.Cut(line, "\t")
		pattern, permission, _ := strings.Cut(rest, "\t")
		path, body := pathParam.ReplaceAllString(w.fillPath(strings.ReplaceAll(pattern, "{number}", "999")), "some-id"), ""
		if method == http.MethodPost || method == http.MethodPut {
			body = "{}"
		}
		if method == http.MethodPost && strings.HasSuffix(pattern, "/sast-runs") { // a session does not open it, see TestWhoUploads
			continue
		}
		for who, role := range roles { // roles for deciding acts must not be older than a minute
			w.role(who, w.Repository, role)
		}
		for _, who := range []string{anonymous, stranger, roleless, member, reviewer, manager, admin, instanceAdmin} {
			t.Run(method+" "+pattern+" as "+who, func(t *testing.T) {
				admitted(t, w.call(who, method, path, body), expected(pattern, permission, who), true)
			})
		}
	}
}
