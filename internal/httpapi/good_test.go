package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store/storetest"
)

// fitting returns the values that an example cannot contain: ids of existing objects, a time in the future,
// and a unique key. All other values are sent as the description has them, which tests them.
func (e *estate) fitting(name string) any {
	switch name {
	case "identityProviderId":
		return e.provider()
	case "repositoryId":
		return e.second.ID
	case "tenantId":
		return e.at.Tenant.ID
	case "expiresAt":
		return time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	case "privateKey":
		return appKey()
	}
	return nil
}

// fit adapts an example to the world.
func (e *estate) fit(example any) any {
	object, is := example.(map[string]any)
	if !is {
		return example
	}
	object = maps.Clone(object)
	for name := range object {
		if value := e.fitting(name); value != nil {
			object[name] = value
		}
	}
	return object
}

// refers reports whether an example refers to an object that must exist before.
func refers(example any) bool {
	object, _ := example.(map[string]any)
	return object["identityProviderId"] != nil || object["repositoryId"] != nil || object["issue"] != nil // of a connected tracker
}

const inTenant = "/api/tenants/{tenantId}"

// notMade lists operations that create something and cannot be called in these tests, with the reason.
var notMade = map[string]string{}

// TestExampleOfAnInstallation sends the one example that creates nothing. The tests that send the others do
// not include it: [TestGoodInput], [TestEveryMutatingRouteWritesItsEntry], and for setup
// [TestFirstRunWritesItsEntries].
func TestExampleOfAnInstallation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	mine, _ := newEstates(w)
	const path = inTenant + "/installations"
	body := with(exampleOf(t, http.MethodPost, path).example, "appId", w.App.ID) // there are several apps
	if got := w.call(admin, http.MethodPost, mine.path(path), body); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// exampleOf returns the operation of a method and a path.
func exampleOf(t *testing.T, method, path string) operation {
	t.Helper()
	_, ops := operations(t)
	for _, op := range ops {
		if op.method == method && op.path == path {
			return op
		}
	}
	t.Fatalf("%s %s has no body", method, path)
	return operation{}
}

// provider returns an identity provider that the estate's tenant may use. The instance has one for all
// tenants.
func (e *estate) provider() string {
	const path = "/api/instance/identity-providers"
	if e.made[path] != "" {
		return e.made[path]
	}
	var list httpList[struct{ ID string }]
	e.w.into(&list, e.w.call(instanceAdmin, http.MethodGet, path, ""))
	var made struct{ ID string }
	if len(list.Items) == 0 {
		e.w.made(&made, instanceAdmin, path, e.body(exampleOf(e.w.t, http.MethodPost, path)))
	} else {
		made.ID = list.Items[0].ID
	}
	e.made[path] = made.ID
	return made.ID
}

// firstRun returns the bodies of the first run: the examples with the token of this instance and other
// secrets.
func firstRun(t *testing.T, token string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, step := range []string{"POST /setup/session", "PUT /setup/instance", "POST /setup/codehost/register", "PUT /setup/connection", "POST /setup/finish"} {
		method, path, _ := strings.Cut(step, " ")
		op := exampleOf(t, method, path)
		example, _ := op.example.(map[string]any)
		for name, value := range map[string]any{"token": token, "privateKey": appKey()} {
			if example[name] != nil {
				example = merged(example, name, value)
			}
		}
		raw, err := json.Marshal(example)
		must(t, err)
		out[step] = string(raw)
	}
	return out
}
