package httpapi_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// estate is a tenant with one object of every kind that the API can create, created through the API by the
// tenant's admin.
type estate struct {
	w      *world
	who    string // its admin
	at     storetest.World
	second store.Repository  // a second repository beside the one of at
	made   map[string]string // ids by path of the collection, with {parameters}

	canaries map[string]string // planted secrets by operation and field, or nil if none are planted
}

// newEstates returns the estates of the world's tenant and of the other one.
func newEstates(w *world) (mine, theirs *estate) {
	w.t.Helper()
	one := func(who string, at storetest.World) *estate {
		return &estate{w: w, who: who, at: at, second: storetest.Repository(w.t, w.store, at.Tenant, at.Installation), made: map[string]string{}}
	}
	return one(admin, w.World.World), one(stranger, w.other)
}

// path fills the estate's ids into a path, and "absent" for missing ones.
func (e *estate) path(pattern string) string {
	var out []string
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			out = append(out, part)
			continue
		}
		id := e.made[strings.Join(parts[:i], "/")]
		switch part {
		case "{tenantId}":
			id = e.at.Tenant.ID
		case "{repositoryId}":
			id = e.at.Repository.ID
		case "{runId}":
			id = e.at.Run.ID
		case "{number}":
			id = fmt.Sprint(e.at.Pull.Number)
		}
		if id == "" {
			id = "absent"
		}
		out = append(out, id)
	}
	return strings.Join(out, "/")
}

// body returns a valid body for an operation.
func (e *estate) body(op operation) string {
	b, _ := json.Marshal(e.fit(op.example))
	if e.canaries == nil {
		return string(b)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		panic(err)
	}
	e.plant(op.doc, op.schema, v, op.method+" "+op.path)
	b, _ = json.Marshal(v)
	return string(b)
}

// otherwise lists secrets that exclude those of the example, with the test that plants them.
var otherwise = map[string]string{
	"POST " + inTenant + "/tracker-connections/auth/clientSecret": "TestTrackerConnectionLives of package tracking",
}

// plant replaces every secret in a body by a unique one.
func (e *estate) plant(doc *huma.OpenAPI, s *huma.Schema, v any, at string) {
	s = resolve(doc, s)
	if len(s.AnyOf) > 0 {
		s = resolve(doc, s.AnyOf[0])
	}
	object, _ := v.(map[string]any)
	original := maps.Clone(object)
	for name, p := range s.Properties {
		if p.WriteOnly && p.Type == "string" && otherwise[at+"/"+name] == "" {
			secret := "s3cr3t-" + rand.Text()
			if p.MaxLength != nil && *p.MaxLength < len(secret) { // the key of a push subscription: 16 bytes
				secret = base64.RawURLEncoding.EncodeToString([]byte(rand.Text())[:16])
			}
			e.canaries[at+"/"+name] = secret
			object[name] = secret
			if old, err := url.Parse(fmt.Sprint(original[name])); err == nil && old.Scheme == "https" { // an address with a secret in it
				object[name] = "https://" + old.Host + "/services/" + secret
			}
		} else if inner, there := object[name]; there {
			e.plant(doc, p, inner, at+"/"+name)
		}
	}
}

// build creates one object of every kind, beginning with those that others refer to.
func (e *estate) build(t *testing.T) {
	t.Helper()
	for _, op := range creating(t) {
		if notMade[op.method+" "+op.path] != "" {
			continue
		}
		got := e.w.call(e.who, op.method, e.path(op.path), e.body(op))
		if got.status != http.StatusCreated && !(slices.Contains(upserts, op.path) && got.status == http.StatusOK) {
			t.Errorf("%s %s with a good body: %d %s\n%s", op.method, op.path, got.status, got.body, e.body(op))
			continue
		}
		var made struct{ ID string }
		must(t, json.Unmarshal([]byte(got.body), &made))
		e.made[op.path] = made.ID
		if at := got.header.Get("Location"); got.status == http.StatusCreated && at != e.path(op.path)+"/"+made.ID {
			t.Errorf("%s %s: Location %q of %s", op.method, op.path, at, made.ID)
		}
	}
}

// upserts lists operations that create by PUT and answer with the id.
var upserts = []string{"/api/me/tenants/{tenantId}/push-subscriptions"}

// creating returns the operations inside a tenant that answer 201.
func creating(t *testing.T) (out []operation) {
	t.Helper()
	_, ops := operations(t)
	for _, op := range ops {
		if (op.answers["201"] != nil || op.method == http.MethodPut && slices.Contains(upserts, op.path)) && strings.Contains(op.path, "{tenantId}") {
			out = append(out, op)
		}
	}
	// Operations that refer to other objects come after those.
	last := func(op operation) int {
		if refers(op.example) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b operation) int { return last(a) - last(b) })
	return out
}

// TestGoodInput: the examples of the description are accepted, and the results can be read back.
func TestGoodInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	mine, _ := newEstates(w)
	mine.build(t)
	doc, ops := operations(t)
	for _, op := range ops {
		name := op.method + " " + op.path
		item := doc.Paths[op.path]
		switch {
		case !strings.Contains(op.path, "{tenantId}") || notMade[name] != "" || op.answers["202"] != nil:
		case op.answers["201"] != nil && item.Get != nil && built(item.Get):
			mine.listed(t, op)
		case slices.Contains(upserts, op.path):
			mine.listed(t, op)
		case op.method == http.MethodPut && item.Get != nil:
			mine.replaced(t, op)
		case op.method == http.MethodPatch:
			got := w.call(admin, op.method, mine.path(op.path), mine.body(op))
			if got.status != http.StatusOK {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
	}
}

func built(op *huma.Operation) bool { return op.Extensions["x-implemented"] == true }

// listed finds the created object in its list.
func (e *estate) listed(t *testing.T, op operation) {
	t.Helper()
	var list httpList[struct{ ID string }]
	e.w.into(&list, e.w.call(e.who, http.MethodGet, e.path(op.path), ""))
	for _, item := range list.Items {
		if item.ID == e.made[op.path] {
			return
		}
	}
	t.Errorf("GET %s does not list the created object", op.path)
}

// replaced puts a document and reads it back: the stored one equals the sent one.
func (e *estate) replaced(t *testing.T, op operation) {
	t.Helper()
	name, sent := op.method+" "+op.path, e.body(op)
	put := e.w.call(e.who, op.method, e.path(op.path), sent)
	if put.status != http.StatusOK && put.status != http.StatusCreated {
		t.Errorf("%s: %d %s\n%s", name, put.status, put.body, sent)
		return
	}
	got := e.w.call(e.who, http.MethodGet, e.path(op.path), "")
	var want, have map[string]any
	must(t, json.Unmarshal([]byte(sent), &want))
	must(t, json.Unmarshal([]byte(got.body), &have))
	for field, v := range want {
		a, _ := json.Marshal(v)
		b, _ := json.Marshal(have[field])
		if have[field] != nil && string(a) != string(b) {
			t.Errorf("%s: %s was sent as %s and read back as %s", name, field, a, b)
		}
	}
}
