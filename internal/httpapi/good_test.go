package httpapi_test

import (
	"encoding/json"
	"fmt"
	"time"
)

// goodBodies are bodies that name something of the estate, by operation.
// Everything else is made from the example in the description, which thereby is
// tried.
var goodBodies = map[string]bodyMaker{
	"POST " + inTenant + "/oidc-role-mappings": func(e *estate) string {
		return e.json(`{"identityProviderId":%q,"claim":["groups"],"value":"reviewers","role":"member"}`, e.provider())
	},
	"POST " + inTenant + "/pattern-repositories": func(e *estate) string {
		return e.json(`{"repositoryId":%q,"paths":["src/**"],"note":"How services are built here"}`, e.second.ID)
	},
	"POST " + inTenant + "/repositories/{repositoryId}/links": func(e *estate) string {
		return e.json(`{"repositoryId":%q,"kind":"consumer"}`, e.second.ID)
	},
	"POST " + inTenant + "/mcp-tokens": func(e *estate) string {
		return e.json(`{"name":"Editor","scopes":["reviews:read"],"expiresAt":%q}`, time.Now().Add(24*time.Hour).UTC().Format(time.RFC3339))
	},
}

const inTenant = "/api/tenants/{tenantId}"

// notMade are operations that make something and cannot be called in these
// tests, with the reason.
var notMade = map[string]string{}

// json writes a body, with %q for texts.
func (e *estate) json(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// provider is an identity provider that the estate's tenant may use; the
// instance has one for all.
func (e *estate) provider() string {
	const path = "/api/instance/identity-providers"
	if e.made[path] == "" {
		var list httpList[struct{ ID string }]
		e.w.into(&list, e.w.call(instanceAdmin, "GET", path, ""))
		if len(list.Items) == 0 {
			_, ops := operations(e.w.t)
			for _, op := range ops {
				if op.method == "POST" && op.path == path {
					body, _ := json.Marshal(op.example)
					var made struct{ ID string }
					e.w.made(&made, instanceAdmin, path, string(body))
					e.made[path] = made.ID
					return made.ID
				}
			}
		}
		e.made[path] = list.Items[0].ID
	}
	return e.made[path]
}
