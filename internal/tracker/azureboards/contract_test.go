package azureboards

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker/trackertest"
)

// TestFitsTheDescription: the requests, the sent fields and the read fields are in the description of
// work item tracking. Paths without a project are not, because the reference says that it may be left
// out ("Work Items - Get Work Item").
func TestFitsTheDescription(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name string }
		}
		Definitions map[string]struct{ Properties map[string]json.RawMessage }
	}
	trackertest.NoError(t, json.Unmarshal(testkit.Contract(t, "azure-devops/wit-7.1.reduced.json"), &doc))
	const in = "/{organization}/{project}/_apis/wit"
	for _, c := range []struct{ method, path, query string }{
		{"get", in + "/workitems/{id}", "$expand"}, {"patch", in + "/workitems/{id}", ""}, {"get", in + "/workitems", "ids $expand errorPolicy"},
		{"get", in + "/workitemtypes/{type}/states", ""}, {"get", in + "/workitemtypes/{type}/fields/{field}", ""},
		{"post", in + "/workItems/{workItemId}/comments", ""}, {"patch", in + "/workItems/{workItemId}/comments/{commentId}", ""},
		{"post", "/{organization}/{project}/{team}/_apis/wit/wiql", "$top"},
	} {
		op, known := doc.Paths[c.path][c.method]
		if !known {
			t.Errorf("%s %s is not described", c.method, c.path)
		}
		for _, q := range strings.Fields(c.query) {
			if !slices.ContainsFunc(op.Parameters, func(p struct{ Name string }) bool { return p.Name == q }) {
				t.Errorf("%s %s has no parameter %s", c.method, c.path, q)
			}
		}
	}
	for name, fields := range map[string]string{"WorkItem": "rev fields relations", "Comment": "id text format createdDate isDeleted createdBy", "CommentList": "comments continuationToken",
		"WorkItemQueryResult": "workItems", "WorkItemStateColor": "name category", "JsonPatchOperation": "op path value", "WorkItemRelation": ""} {
		d, known := doc.Definitions[name]
		if !known {
			t.Errorf("%s is not described", name)
		}
		for _, f := range strings.Fields(fields) {
			if _, there := d.Properties[f]; !there {
				t.Errorf("%s has no %s", name, f)
			}
		}
	}
}
