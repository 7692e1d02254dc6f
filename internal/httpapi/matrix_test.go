package httpapi_test

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// line is one endpoint of the specification's tables.
type line struct{ method, path, permission, body, audited string }

var colonParam = regexp.MustCompile(`:(\w+)`)

// specification reads the tables. Parameters have the form {name}.
func specification(t *testing.T) []line {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "spec_routes.tsv"))
	must(t, err)
	defer f.Close()
	var out []line
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		c := strings.Split(s.Text(), "\t")
		if len(c) != 5 {
			t.Fatalf("the line %q has %d columns", s.Text(), len(c))
		}
		out = append(out, line{c[0], colonParam.ReplaceAllString(c[1], "{$1}"), c[2], c[3], c[4]})
	}
	return out
}

// asSpecified returns a route's permission in the words of the tables.
func asSpecified(permission, auth string) string {
	switch auth {
	case "signature":
		return permission + " (signature)"
	case "mcp-token":
		return permission + " (personal MCP access token)"
	}
	return permission
}

func TestRoutesAreThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	want := specification(t)
	if len(want) != 186 {
		t.Fatalf("the tables have %d endpoints, want 186", len(want))
	}
	var got []line
	for _, r := range httpapi.Routes() {
		if !r.BeyondSpec {
			got = append(got, line{r.Method, r.Path, asSpecified(r.Permission, r.Auth), r.Body, r.Audited})
		}
	}
	compare(t, "route table", got, want)
}

func TestDescriptionIsThatOfTheSpecification(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "api", "openapi.json"))
	must(t, err)
	var doc struct {
		OpenAPI    string
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	must(t, json.Unmarshal(raw, &doc))
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("version %q", doc.OpenAPI)
	}
	var got []line
	ids := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, rawOp := range methods {
			var op struct {
				OperationID string
				Permission  string `json:"x-permission"`
				Audited     string `json:"x-audited"`
				Auth        string `json:"x-authentication"`
				Beyond      bool   `json:"x-beyond-spec"`
				RequestBody struct {
					Content map[string]struct {
						Schema struct {
							Ref string `json:"$ref"`
						}
					}
				}
			}
			must(t, json.Unmarshal(rawOp, &op))
			if op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s %s: the operation id %q is missing or taken", method, path, op.OperationID)
			}
			ids[op.OperationID] = true
			if op.Beyond {
				continue
			}
			body := "-"
			if ref := op.RequestBody.Content["application/json"].Schema.Ref; ref != "" {
				body = strings.TrimPrefix(ref, "#/components/schemas/")
				if doc.Components.Schemas[body] == nil {
					t.Errorf("the schema %s is not described", body)
				}
			}
			got = append(got, line{strings.ToUpper(method), path, asSpecified(op.Permission, op.Auth), body, op.Audited})
		}
	}
	compare(t, "description", got, specification(t))
}

func compare(t *testing.T, what string, got, want []line) {
	t.Helper()
	for _, l := range want {
		if !slices.Contains(got, l) {
			t.Errorf("the %s lacks %v", what, l)
		}
	}
	for _, l := range got {
		if !slices.Contains(want, l) {
			t.Errorf("the %s has %v, which the specification does not have", what, l)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the %s has %d endpoints, want %d", what, len(got), len(want))
	}
}

// The people of the matrix beside those of every world: members with each role on
// the repository, and one without any.
const (
	roleless = "member without a role on the repository"
	viewer   = "repository viewer"
	reviewer = "repository reviewer"
	manager  = "repository manager"

	abroad = "admin of tenant and instance, in a session of another tenant's provider"
)

// expected returns the status for a person at an endpoint according to the specification's permission. 0
// stands for any status of the route itself.
func expected(path, permission, who string) int {
	base, note, _ := strings.Cut(permission, " (")
	inTenant := strings.HasPrefix(base, "tenant:") || strings.HasPrefix(base, "repo:")
	switch {
	case strings.HasPrefix(note, "personal MCP") && who == mcpToken:
		return 0
	case strings.HasPrefix(note, "personal MCP"):
		return http.StatusUnauthorized
	case base == "public":
		return 0
	case who == anonymous || who == expired || who == mcpToken: // a token works only at /mcp
		return http.StatusUnauthorized
	case base == "authenticated":
		return 0
	case base == "instance:manage" && who != instanceAdmin:
		return http.StatusForbidden
	case inTenant && (who == stranger || who == instanceAdmin || who == abroad):
		return http.StatusNotFound
	case who == admin || !inTenant || base == "tenant:view":
		return 0
	case who == roleless && strings.HasPrefix(path, "/api/tenants/{tenantId}/repositories/{repositoryId}"):
		return http.StatusNotFound // without a role on it, the repository does not exist for the person
	case base == "tenant:manage":
		return http.StatusForbidden
	}
	// Each of the three roles on a repository includes those before it.
	rank := map[string]int{"repo:view": 1, "repo:review": 2, "repo:manage": 3}
	has := map[string]int{member: 1, viewer: 1, reviewer: 2, manager: 3}
	if has[who] < rank[base] {
		return http.StatusForbidden
	}
	return 0
}

// allPeople returns the people for whom the matrix tests every endpoint.
func allPeople() []string {
	return []string{anonymous, expired, mcpToken, stranger, roleless, member, viewer, reviewer, manager, admin, instanceAdmin, abroad}
}

// describedPeople reads the test sources for the people of the tests: the values of the constants below a
// comment that begins with "The people of".
func describedPeople(t *testing.T) (out []string) {
	t.Helper()
	for _, name := range []string{"harness_test.go", "matrix_test.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		must(t, err)
		for _, d := range file.Decls {
			block, ok := d.(*ast.GenDecl)
			if !ok || block.Tok != token.CONST || !strings.HasPrefix(block.Doc.Text(), "The people of") {
				continue
			}
			for _, spec := range block.Specs {
				text, err := strconv.Unquote(spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
				must(t, err)
				out = append(out, text)
			}
		}
	}
	return out
}

// TestMatrixHasAllPeople fails if a person of the tests is missing in the matrix.
func TestMatrixHasAllPeople(t *testing.T) {
	t.Parallel()
	want, got := describedPeople(t), allPeople()
	slices.Sort(want)
	slices.Sort(got)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the matrix has the people %q; the constants are %q", got, want)
	}
}

// TestAuthorizationMatrix requests every endpoint of the specification as every person. Its expectations come
// from the specification, not from the route table.
func TestAuthorizationMatrix(t *testing.T) {
	t.Parallel()
	built := map[string]bool{}
	for _, r := range httpapi.Routes() {
		built[r.Method+" "+r.Path] = r.Implemented
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		roles := map[string]string{member: "view", viewer: "view", reviewer: "review", manager: "manage"}
		for _, who := range []string{roleless, viewer, reviewer, manager} {
			w.person(who, false, w.Tenant, domain.RoleMember)
		}
		w.person("of both", true, w.Tenant, domain.RoleAdmin)
		w.as(abroad, "of both", w.providerFor("theirs", w.other.Tenant.ID))
		w.showing(true)
		secret := w.token(admin, "Editor").Secret
		fill := strings.NewReplacer("{tenantId}", w.Tenant.ID, "{repositoryId}", w.Repository.ID, "{runId}", w.Run.ID)
		for _, l := range specification(t) {
			name := l.method + " " + l.path
			path, body := pathParam.ReplaceAllString(fill.Replace(l.path), "some-id"), ""
			if l.method != http.MethodGet && l.method != http.MethodDelete {
				body = "{}"
			}
			for who, role := range roles { // roles for deciding acts must not be older than a minute, however long the test takes
				w.role(who, w.Repository, role)
			}
			for _, who := range allPeople() {
				if l.path == "/auth/logout" && who != anonymous && who != expired && who != mcpToken {
					continue // it would end the session; see TestLogout
				}
				t.Run(name+" as "+who, func(t *testing.T) {
					with := func(*http.Request) {}
					if who == mcpToken {
						with = bearing(secret)
					}
					admitted(t, w.call(who, l.method, path, body, with), expected(l.path, l.permission, who), built[name])
				})
			}
			if l.method != http.MethodGet && (strings.HasPrefix(l.path, "/api/") || l.path == "/auth/logout") {
				t.Run(name+" forged", func(t *testing.T) { w.refusesForgeries(t, l.method, path, body) })
			}
		}
	})
}

// admitted checks an answer against the expected status. With 0, the permission checks must let the caller
// pass.
func admitted(t *testing.T, got reply, want int, built bool) {
	t.Helper()
	switch {
	case want != 0 && got.status != want:
		t.Errorf("%d, want %d: %s", got.status, want, got.body)
	case want != 0:
		problemOf(t, got)
	case !built:
		if got.status != http.StatusNotImplemented || problemOf(t, got) != "not_implemented" {
			t.Errorf("%d, want 501: %s", got.status, got.body)
		}
	case got.status == http.StatusUnauthorized || got.status == http.StatusForbidden || got.status >= 500:
		t.Errorf("%d, want it to pass the checks: %s", got.status, got.body) // a 404 of a child or a 422 of {} comes after the checks
	}
}

// refusesForgeries sends a change as another site would make a browser send it.
func (w *world) refusesForgeries(t *testing.T, method, path, body string) {
	t.Helper()
	for name, tc := range map[string]struct {
		with func(*http.Request)
		code string
	}{
		"without CSRF token":    {header("X-CSRF-Token", ""), "csrf"},
		"wrong CSRF token":      {header("X-CSRF-Token", w.people[member].csrf), "csrf"},
		"foreign Origin":        {header("Origin", "https://evil.example"), "foreign_origin"},
		"Origin null":           {header("Origin", "null"), "foreign_origin"},
		"browser, no Origin":    {func(r *http.Request) { r.Header.Del("Origin"); r.Header.Set("Sec-Fetch-Site", "cross-site") }, "foreign_origin"},
		"two Origins":           {func(r *http.Request) { r.Header.Add("Origin", "https://evil.example") }, "foreign_origin"},
		"Origin on other port":  {header("Origin", "http://127.0.0.1:1"), "foreign_origin"},
		"Origin as prefix":      {header("Origin", w.base+".evil.example"), "foreign_origin"},
		"Origin, other scheme":  {header("Origin", strings.Replace(w.base, "http:", "https:", 1)), "foreign_origin"},
		"Origin with user info": {header("Origin", strings.Replace(w.base, "://", "://x@", 1)), "foreign_origin"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(admin, method, path, body, tc.with)
			if got.status != http.StatusForbidden || problemOf(t, got) != tc.code {
				t.Errorf("%d, want 403 %s: %s", got.status, tc.code, got.body)
			}
		})
	}
}

var pathParam = regexp.MustCompile(`\{\w+\}`)

// TestOthersThingsAreAbsent compares the bytes of two answers: about another tenant's object, and about one
// that never existed.
func TestOthersThingsAreAbsent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		mine, theirs := w.Tenant.ID, w.other.Tenant.ID
		run := "/review-runs/"
		paths := func(tenant, repository, runID string) []string {
			r := "/api/tenants/" + tenant + "/repositories/" + repository
			return []string{"/api/tenants/" + tenant + "/access", "/api/tenants/" + tenant + "/repositories", "/api/tenants/" + tenant + "/rules", r + "/review-runs", r + run + runID, r + "/rules", "/api/me/tenants/" + tenant + "/analytics"}
		}
		want := w.call(admin, "GET", "/api/tenants/ten_never/access", "")
		check := func(path string, got reply) {
			t.Helper()
			if got.status != http.StatusNotFound || got.body != want.body || got.header.Get("Content-Type") != want.header.Get("Content-Type") {
				t.Errorf("%s: %d %s, want %d %s", path, got.status, got.body, want.status, want.body)
			}
		}
		for _, set := range [][]string{paths(theirs, w.other.Repository.ID, w.other.Run.ID), paths("ten_never", "rep_never", "run_never"), paths("%00", "%27", "..%2f")} {
			for _, p := range set {
				check(p, w.call(admin, "GET", p, ""))
			}
		}
		for _, p := range []string{
			"/api/tenants/" + mine + "/repositories/" + w.other.Repository.ID + "/review-runs",
			"/api/tenants/" + mine + "/repositories/" + w.other.Repository.ID + "/rules",
			w.repo() + run + w.other.Run.ID, w.repo() + run + "run_never",
			"/api/nothing", "/api", "/api/tenants//access", "/api/tenants/" + mine + "/access/", "/api/tenants/" + mine + "/../" + mine + "/access",
		} {
			check(p, w.call(admin, "GET", p, ""))
		}
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		p := "/api/tenants/" + mine + "/repositories/" + second.ID + run + w.Run.ID
		check(p, w.call(admin, "GET", p, ""))
		p = "/api/tenants/" + mine + "/repositories/" + second.ID + run + w.Run.ID + "/rerun"
		check(p, w.call(admin, "POST", p, ""))
	})
}
